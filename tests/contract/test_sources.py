"""Sources and their jobs, on both databases."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tenax.config.service import JobSettings
from tenax.config.settings import Settings
from tenax.coordination.memory import MemoryCoordination
from tenax.errors import NoSuchSource, SecretError, SourceBusy, SourceChanged, SourceExists
from tenax.jobs.dispatch.inline import InlineDispatch
from tenax.jobs.scheduler.launcher import Launcher
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.jobs.sources.changes import SourceChangeKind
from tenax.jobs.sources.definition import SourceDefinition, check_definition, hide_headers, load_definition
from tenax.jobs.sources.definition_errors import BadDefinition, UnreadableSource
from tenax.jobs.sources.files import format_stored, parse_sources
from tenax.jobs.sources.job_sync import JobStep
from tenax.jobs.sources.sources import Sources
from tenax.records.jobs import Source
from tenax.runtime.backends import find_backend
from tenax.runtime.settings import check_settings
from tenax.stores.access import Access
from tenax.stores.jobs.sources import SourceFilter
from tenax.stores.paging import SliceRequest
from tests.support.clock import FakeClock
from tests.support.store import Rows, StoreUnderTest

HOURLY = {"interval_minutes": 1, "interval_type": "hours"}
BY_NAME = SliceRequest(key="name", is_descending=False, after=None, limit=2)


def define(name: str = "news", **fields: Any) -> SourceDefinition:
    return check_definition({"name": name, "seeds": ["https://example.com/"], **fields})


class SourcesHarness:
    """Sources, and a look behind them."""

    def __init__(self, store: StoreUnderTest, access: Access, clock: FakeClock) -> None:
        self.coordination = MemoryCoordination(clock)
        self.sources = Sources(store.place, access, self.coordination)
        self._store = store
        self._access = access
        self._clock = clock

    def list_jobs(self, columns: str = "state, schedule_enabled, next_run_at IS NOT NULL") -> Rows:
        return [tuple(row) for row in self._store.query(f"SELECT {columns} FROM jobs ORDER BY id")]

    def query(self, statement: str) -> Rows:
        return [tuple(row) for row in self._store.query(statement)]

    async def execute(self, statement: str) -> None:
        await self._access.write(lambda connection: connection.exec_driver_sql(statement))

    async def begin(self) -> None:
        """As a scheduler does it."""
        await self.execute("UPDATE jobs SET state = 'running'")
        await self.execute(
            "INSERT INTO executions (job_id, number, scheduled_at, trigger, state, started_at)"
            " SELECT id, 1, 1.0, 'schedule', 'running', 1.0 FROM jobs"
        )

    async def end(self, state: str = "completed") -> None:
        await self.execute(f"UPDATE executions SET state = '{state}', ended_at = 2.0")
        await self.execute(f"UPDATE jobs SET state = '{state}', next_run_at = NULL")

    async def list_notices(self) -> list[str]:
        return [notice.kind for _, notice in await self.coordination.read_notices(None, 100)]


@pytest.fixture
def harness(store: StoreUnderTest, access: Access, clock: FakeClock) -> SourcesHarness:
    return SourcesHarness(store, access, clock)


@pytest.fixture
def sources(harness: SourcesHarness) -> Sources:
    return harness.sources


# --- keeping them ------------------------------------------------------------------------------------


async def test_a_source_is_kept_as_it_was_defined(sources: Sources) -> None:
    definition = define(headers={"X-Key": "s3cret"}, enabled=False, schedule=HOURLY)
    added = await sources.add(definition)
    assert (added.name, added.enabled, added.version) == ("news", False, 1)
    assert added.created_at == added.updated_at
    assert load_definition(await sources.get(added.id)) == hide_headers(definition)
    assert sources.open_headers(added) == {"X-Key": "s3cret"}
    assert await sources.find_by_name("NEWS") == added


async def test_a_name_is_given_once_whatever_its_case(sources: Sources) -> None:
    await sources.add(define("Straße"))
    with pytest.raises(SourceExists, match="A source named Straße already exists"):
        await sources.add(define("STRASSE"))


async def test_of_two_concurrent_additions_of_one_name_one_is_refused(sources: Sources) -> None:
    results = await asyncio.gather(*(sources.add(define()) for _ in range(2)), return_exceptions=True)
    assert [type(result) for result in results if isinstance(result, Exception)] == [SourceExists]
    assert len(await sources.list_all()) == 1


async def test_a_source_is_changed_only_from_its_last_version(sources: Sources, clock: FakeClock) -> None:
    added = await sources.add(define())
    clock.advance(5)
    changed = await sources.change(added.id, define("News", delay_s=3), added.version)
    assert (changed.name, changed.version) == ("News", 2)
    assert changed.updated_at > changed.created_at == added.created_at
    with pytest.raises(SourceChanged):
        await sources.change(added.id, define("late"), added.version)
    assert (await sources.get(added.id)).name == "News"


async def test_of_two_changes_of_one_version_one_is_refused(sources: Sources) -> None:
    added = await sources.add(define())
    changes = (sources.change(added.id, define(delay_s=delay), 1) for delay in (1, 2))
    results = await asyncio.gather(*changes, return_exceptions=True)
    assert [type(each) for each in results if isinstance(each, Exception)] == [SourceChanged]
    assert (await sources.get(added.id)).version == 2


async def test_a_source_cannot_take_the_name_of_another(sources: Sources) -> None:
    await sources.add(define("one"))
    two = await sources.add(define("two"))
    with pytest.raises(SourceExists):
        await sources.change(two.id, define("ONE"), two.version)


async def test_a_missing_source_is_reported(sources: Sources) -> None:
    for order in (
        sources.get(7),
        sources.change(7, define(), 1),
        sources.set_enabled(7, True),
        sources.remove(7),
    ):
        with pytest.raises(NoSuchSource):
            await order


async def test_sources_are_listed_in_slices(sources: Sources) -> None:
    for name in ("c", "B", "a"):
        await sources.add(define(name, enabled=name != "B"))
    first = await sources.list(BY_NAME, SourceFilter())
    rest = await sources.list(
        SliceRequest(key="name", is_descending=False, after=first.next, limit=2), SourceFilter()
    )
    assert [each.name for each in (*first.items, *rest.items)] == ["a", "B", "c"]
    assert rest.next is None
    assert await _list(sources, SourceFilter(enabled=False)) == ["B"]
    assert await _list(sources, SourceFilter(text="C")) == ["c"]


async def _list(sources: Sources, only: SourceFilter) -> list[str]:
    return [each.name for each in (await sources.list(BY_NAME, only)).items]


async def test_a_hidden_header_that_comes_back_stays_what_it_was(sources: Sources) -> None:
    added = await sources.add(define(headers={"X-Key": "s3cret"}))
    shown = define(headers={"X-Key": "***", "X-New": "1"})
    changed = await sources.change(added.id, shown, added.version)
    assert sources.open_headers(changed) == {"X-Key": "s3cret", "X-New": "1"}
    with pytest.raises(BadDefinition, match="X-Other"):
        await sources.change(added.id, define(headers={"X-Other": "***"}), changed.version)


@pytest.mark.parametrize(
    "seeds",
    [
        ["https://evil.example/"],
        ["https://example.com/", "https://evil.example/"],
        ["http://example.com/"],
        ["https://example.com:8443/"],
        ["https://www.example.com/"],
    ],
)
async def test_a_hidden_header_does_not_go_to_origins_that_it_was_not_meant_for(
    harness: SourcesHarness, seeds: list[str]
) -> None:
    sources = harness.sources
    added = await sources.add(define(headers={"X-Key": "s3cret"}))
    moved = define(headers={"X-Key": "***"}, seeds=seeds)
    with pytest.raises(BadDefinition, match=r"X-Key is .* was not meant for .*: enter its value again"):
        await sources.change(added.id, moved, added.version)
    for order in (sources.plan, sources.apply):
        with pytest.raises(BadDefinition, match="was not meant for"):
            await order([moved], prune=False)
    assert await sources.get(added.id) == added
    said = await sources.change(added.id, define(headers={"X-Key": "new"}, seeds=seeds), added.version)
    assert sources.open_headers(said) == {"X-Key": "new"}


async def test_a_hidden_header_stays_while_its_origins_are_among_those_that_had_it(sources: Sources) -> None:
    two = ["https://example.com/a", "https://example.org/"]
    added = await sources.add(define(headers={"X-Key": "s3cret"}, seeds=two))
    fewer = define(headers={"X-Key": "***"}, seeds=["https://example.com/elsewhere"])
    changed = await sources.change(added.id, fewer, added.version)
    assert sources.open_headers(changed) == {"X-Key": "s3cret"}
    with pytest.raises(BadDefinition, match=r"was not meant for https://example\.org"):
        await sources.change(added.id, define(headers={"X-Key": "***"}, seeds=two), changed.version)


async def test_what_headers_say_is_not_readable_in_the_store(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(headers={"X-Key": "s3cret"}))
    ((definition, headers),) = harness.query("SELECT definition, headers FROM sources")
    assert "s3cret" not in definition + headers
    assert "***" in definition
    other = replace(added, id=added.id + 1)
    with pytest.raises(SecretError, match="cannot be opened"):
        harness.sources.open_headers(other)


async def test_a_source_without_its_headers_keeps_no_secret(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(headers={"X-Key": "s3cret"}))
    await harness.sources.change(added.id, define(), added.version)
    assert harness.query("SELECT headers FROM sources") == [(None,)]


# --- their jobs --------------------------------------------------------------------------------------


async def test_an_enabled_source_has_a_job_with_its_schedule(harness: SourcesHarness) -> None:
    hours = {"days": ["mon"], "from": "08:00", "until": "18:00"}
    schedule = {**HOURLY, "timezone": "Europe/Vienna", "active_hours": hours, "priority": 2}
    await harness.sources.add(define(schedule=schedule))
    columns = "state, interval_minutes, interval_type, timezone, active_hours, priority"
    assert harness.list_jobs(columns) == [
        (
            "scheduled",
            1,
            "hours",
            "Europe/Vienna",
            '{"days":["mon"],"from":"08:00","until":"18:00"}',
            2,
        )
    ]


async def test_a_source_without_schedule_is_to_be_crawled_once(harness: SourcesHarness) -> None:
    await harness.sources.add(define())
    assert harness.list_jobs() == [("pending", 0, True)]
    assert harness.list_jobs("interval_minutes") == [(None,)]


async def test_a_disabled_source_has_no_job_until_it_is_enabled(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(enabled=False))
    assert harness.list_jobs() == []
    for step in (JobStep.CREATED, JobStep.UNCHANGED):
        assert (await harness.sources.set_enabled(added.id, True)).step is step
    assert len(harness.list_jobs()) == 1


@pytest.mark.parametrize(
    ("schedule", "paused", "resumed"),
    [
        (HOURLY, ("paused", 1, False), ("scheduled", 1, True)),
        (None, ("paused", 0, True), ("scheduled", 0, True)),
    ],
)
async def test_disabling_pauses_the_job_and_enabling_resumes_it(
    harness: SourcesHarness, schedule: Any, paused: tuple[Any, ...], resumed: tuple[Any, ...]
) -> None:
    added = await harness.sources.add(define(schedule=schedule))
    for step in (JobStep.PAUSED, JobStep.UNCHANGED):
        assert (await harness.sources.set_enabled(added.id, False)).step is step
        assert harness.list_jobs() == [paused]
    for step in (JobStep.RESUMED, JobStep.UNCHANGED):
        assert (await harness.sources.set_enabled(added.id, True)).step is step
        assert harness.list_jobs() == [resumed]
    assert (await harness.sources.get(added.id)).version == 3


@pytest.mark.parametrize(("state", "again"), [("completed", "scheduled"), ("failed", "pending")])
async def test_a_running_job_is_left_to_end(harness: SourcesHarness, state: str, again: str) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    await harness.begin()
    assert (await harness.sources.set_enabled(added.id, False)).step is JobStep.PAUSED
    assert harness.list_jobs("state, schedule_enabled") == [("running", 0)]
    await harness.end(state)
    assert (await harness.sources.set_enabled(added.id, True)).step is JobStep.RESUMED
    assert harness.list_jobs() == [(again, 1, True)]


async def test_enabling_while_it_still_runs_lets_it_go_on_afterwards(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    await harness.begin()
    await harness.sources.set_enabled(added.id, False)
    assert (await harness.sources.set_enabled(added.id, True)).step is JobStep.RESUMED
    assert harness.list_jobs("state, schedule_enabled") == [("running", 1)]


async def test_a_cancelled_job_is_followed_by_a_new_one(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    await harness.execute("UPDATE jobs SET state = 'cancelled', next_run_at = NULL")
    assert (await harness.sources.set_enabled(added.id, True)).step is JobStep.CREATED
    assert harness.list_jobs() == [("cancelled", 1, False), ("scheduled", 1, True)]


@pytest.mark.parametrize("state", ["completed", "failed"])
async def test_what_has_run_once_is_not_run_again(harness: SourcesHarness, state: str) -> None:
    await harness.sources.add(define())
    await harness.execute(f"UPDATE jobs SET state = '{state}', next_run_at = NULL")
    assert [each.step for each in await harness.sources.sync()] == [JobStep.UNCHANGED]
    assert harness.list_jobs() == [(state, 0, False)]


async def test_another_schedule_is_another_schedule_of_the_job(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    daily = {"interval_minutes": 2, "interval_type": "days", "adaptive_scheduling": False}
    changed = await harness.sources.change(added.id, define(schedule=daily), added.version)
    columns = "state, interval_minutes, interval_type, adaptive_scheduling, schedule_enabled"
    assert harness.list_jobs(columns) == [("scheduled", 2, "days", 0, 1)]
    await harness.sources.change(added.id, define(), changed.version)
    assert harness.list_jobs("state, interval_minutes, schedule_enabled") == [("scheduled", None, 0)]


async def test_jobs_that_people_ordered_are_left_alone(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    await harness.execute(
        "INSERT INTO jobs (source_id, state, schedule_enabled, next_run_at, created_at, updated_at)"
        f" VALUES ({added.id}, 'scheduled', 1, 5.0, 1.0, 1.0)"
    )
    await harness.sources.set_enabled(added.id, False)
    assert harness.list_jobs() == [("paused", 1, False), ("scheduled", 1, True)]


# --- reconciling -------------------------------------------------------------------------------------


async def test_sync_mends_whatever_does_not_fit_and_says_so(harness: SourcesHarness) -> None:
    names = ["fine", "missing", "resting", "running on"]
    for name in names:
        await harness.sources.add(define(name, schedule=HOURLY))
    await harness.execute("DELETE FROM jobs WHERE source_id = 2")
    await harness.execute("UPDATE jobs SET state = 'paused', next_run_at = NULL WHERE source_id = 3")
    await harness.execute("UPDATE sources SET enabled = 0 WHERE id = 4")
    steps = [JobStep.UNCHANGED, JobStep.CREATED, JobStep.RESUMED, JobStep.PAUSED]
    assert [(each.source.name, each.step) for each in await harness.sources.sync()] == list(
        zip(names, steps, strict=True)
    )
    assert {each.step for each in await harness.sources.sync()} == {JobStep.UNCHANGED}


async def test_two_who_sync_at_once_make_one_job(harness: SourcesHarness) -> None:
    await harness.sources.add(define(schedule=HOURLY))
    await harness.execute("DELETE FROM jobs")
    steps = await asyncio.gather(*(harness.sources.sync() for _ in range(3)))
    assert sorted(each.step for (each,) in steps) == [JobStep.CREATED, JobStep.UNCHANGED, JobStep.UNCHANGED]
    assert len(harness.list_jobs()) == 1


async def test_a_job_that_cannot_be_made_leaves_no_source(
    harness: SourcesHarness, store: StoreUnderTest
) -> None:
    with store.broken("INSERT", "jobs"), pytest.raises(Exception, match="fault"):
        await harness.sources.add(define())
    assert await harness.sources.list_all() == []


async def test_changes_are_announced_when_they_are_durable(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define(schedule=HOURLY))
    await harness.sources.set_enabled(added.id, False)
    await harness.sources.change(added.id, define(), 2)
    with pytest.raises(SourceChanged):
        await harness.sources.change(added.id, define(), 2)
    await harness.sources.sync()
    await harness.sources.remove(added.id)
    assert await harness.list_notices() == [
        "source.added",
        "source.disabled",
        "source.changed",
        "source.removed",
    ]


# --- removing ----------------------------------------------------------------------------------------


async def test_a_source_goes_with_its_jobs_and_leaves_its_domains_to_nobody(
    harness: SourcesHarness, store: StoreUnderTest
) -> None:
    kept = await harness.sources.add(define("kept"))
    gone = await harness.sources.add(define("gone"))
    await harness.begin()
    await harness.end()
    for number, source in enumerate((kept, gone), 1):
        await harness.execute(
            "INSERT INTO domains (name, first_seen_at, source_id, status)"
            f" VALUES ('{number}.example', 1.0, {source.id}, 'pending')"
        )
        await harness.execute(
            "INSERT INTO seeds (url, cause, added_at, source_id)"
            f" VALUES ('https://{number}.example/', 'user', 1.0, {source.id})"
        )
    await harness.sources.remove(gone.id)
    assert [tuple(row) for row in store.query("SELECT source_id FROM domains ORDER BY id")] == [
        (kept.id,),
        (0,),
    ]
    assert [tuple(row) for row in store.query("SELECT source_id FROM seeds")] == [(kept.id,)]
    assert harness.list_jobs("source_id") == [(kept.id,)]
    assert len(store.query("SELECT id FROM executions")) == 1
    again = await harness.sources.add(define("gone"))
    assert again.id > gone.id


async def test_a_source_stays_while_an_execution_of_it_is_open(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define())
    await harness.begin()
    with pytest.raises(SourceBusy, match="A run of news is active"):
        await harness.sources.remove(added.id)
    await harness.end()
    await harness.sources.remove(added.id)


async def test_a_source_stays_while_a_run_of_it_is_under_way(harness: SourcesHarness) -> None:
    added = await harness.sources.add(define())
    run = "INSERT INTO runs (state, settings, started_at, source_id) VALUES ('paused', '{}', 1.0, {})"
    await harness.execute(run.replace("{})", f"{added.id})"))
    with pytest.raises(SourceBusy):
        await harness.sources.remove(added.id)
    await harness.execute("UPDATE runs SET state = 'done'")
    await harness.sources.remove(added.id)


# --- a file of them ----------------------------------------------------------------------------------


async def apply(sources: Sources, *definitions: SourceDefinition, prune: bool = False) -> list[str]:
    planned = await sources.plan(definitions, prune=prune)
    done = await sources.apply(definitions, prune=prune)
    assert [(each.kind, each.name, each.fields) for each in planned] == [
        (each.kind, each.name, each.fields) for each in done
    ]
    return [f"{each.name} {each.kind}" for each in done]


async def test_a_file_adds_changes_and_removes_what_it_says(harness: SourcesHarness) -> None:
    sources = harness.sources
    assert await apply(sources, define("a"), define("b", schedule=HOURLY)) == ["a added", "b added"]
    assert await apply(sources, define("B", schedule=HOURLY), define("c")) == ["B changed", "c added"]
    assert _name(await sources.list_all()) == ["a", "B", "c"]
    assert await apply(sources, define("c", enabled=False), prune=True) == [
        "c changed",
        "a removed",
        "B removed",
    ]
    assert harness.list_jobs() == [("paused", 0, True)]


async def test_a_file_that_is_applied_twice_changes_nothing(harness: SourcesHarness) -> None:
    definitions = [define("a", headers={"X-Key": "1"}), define("b", schedule=HOURLY, enabled=False)]
    await harness.sources.apply(definitions, prune=True)
    before = (await harness.sources.list_all(), harness.list_jobs("*"))
    assert await apply(harness.sources, *definitions, prune=True) == ["a unchanged", "b unchanged"]
    assert (await harness.sources.list_all(), harness.list_jobs("*")) == before


async def test_a_file_is_applied_as_a_whole_or_not_at_all(harness: SourcesHarness) -> None:
    await harness.sources.add(define("busy"))
    await harness.begin()
    with pytest.raises(SourceBusy):
        await harness.sources.apply([define("a")], prune=True)
    assert _name(await harness.sources.list_all()) == ["busy"]
    assert await harness.list_notices() == ["source.added"]


async def test_two_who_apply_one_file_at_once_add_it_once(harness: SourcesHarness) -> None:
    definitions = [define("a"), define("b")]
    await asyncio.gather(*(harness.sources.apply(definitions, prune=True) for _ in range(3)))
    assert _name(await harness.sources.list_all()) == ["a", "b"]
    assert len(harness.list_jobs()) == 2


def _name(found: Sequence[Source]) -> list[str]:
    return [each.name for each in found]


# --- written by a newer version ----------------------------------------------------------------------

NEWER = (
    """UPDATE sources SET definition = '{"name": "old", "seeds": ["https://example.com/"], "colour": 7}'"""
)


async def make_unreadable(harness: SourcesHarness, **fields: Any) -> tuple[Source, Source]:
    """One that is, and one that is not."""
    lost = await harness.sources.add(define("old", schedule=HOURLY, **fields))
    await harness.execute(NEWER)
    return lost, await harness.sources.add(define("news", schedule=HOURLY))


async def test_a_source_that_cannot_be_read_does_not_keep_others_from_being_synced(
    harness: SourcesHarness,
) -> None:
    lost, news = await make_unreadable(harness)
    await harness.execute("UPDATE jobs SET interval_minutes = 7")
    synced = {each.source.id: each for each in await harness.sources.sync()}
    assert (synced[news.id].step, synced[news.id].trouble) == (JobStep.CHANGED, None)
    assert synced[lost.id].step is JobStep.UNREADABLE
    assert "Unknown field colour" in (synced[lost.id].trouble or "")
    assert harness.list_jobs("source_id, interval_minutes") == [(lost.id, 7), (news.id, 1)]


async def test_a_source_that_cannot_be_read_is_named_where_sources_are_written(
    harness: SourcesHarness,
) -> None:
    await make_unreadable(harness)
    first, *others = format_stored(await harness.sources.list_all()).splitlines()
    assert first.startswith("# Left out. The source 'old' cannot be read by this version of Tenax.")
    assert [each.name for each in parse_sources("\n".join(others), name="f")] == ["news"]


async def test_a_source_that_cannot_be_read_can_be_disabled_but_not_enabled(harness: SourcesHarness) -> None:
    lost, _ = await make_unreadable(harness)
    assert (await harness.sources.set_enabled(lost.id, False)).step is JobStep.PAUSED
    assert harness.list_jobs("state")[0] == ("paused",)
    with pytest.raises(UnreadableSource):
        await harness.sources.set_enabled(lost.id, True)
    assert harness.list_jobs("state")[0] == ("paused",)


async def test_a_source_that_cannot_be_read_can_be_replaced(harness: SourcesHarness) -> None:
    lost, _ = await make_unreadable(harness)
    (change, _) = await harness.sources.plan([define("old"), define("news", schedule=HOURLY)], prune=False)
    assert change.kind is SourceChangeKind.CHANGED
    changed = await harness.sources.change(lost.id, define("old"), lost.version)
    assert load_definition(changed).name == "old"


async def test_a_scheduler_goes_on_without_a_source_that_cannot_be_read(
    store: StoreUnderTest, harness: SourcesHarness, access: Access, clock: FakeClock
) -> None:
    lost, news = await make_unreadable(harness)
    await harness.execute("UPDATE jobs SET next_run_at = 1.0, phase_at = 1.0")
    async with find_backend(store.place).open_stores(store.place, clock) as stores:
        launcher = Launcher(
            settings=Settings(), check=check_settings, stores=stores, access=access, dispatch=InlineDispatch()
        )
        await Scheduler(access, launcher.launch, JobSettings(), lambda connection: clock.now()).poll()
    assert store.query("SELECT source_id FROM runs") == [(news.id,)]
    ((error,),) = store.query(
        f"SELECT error FROM executions e JOIN jobs j ON j.id = e.job_id WHERE j.source_id = {lost.id}"
    )
    assert "cannot be read by this version" in error
