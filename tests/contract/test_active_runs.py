"""Active runs: listed with their sources and workers, and announced as events."""

from functools import partial
from typing import Any

import pytest

from tenax.api.events.collectors import CrawlerEventCollector, RunEvent
from tenax.stores.access import Access
from tenax.stores.commands.runs import cancel_run, pause_run
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.runs import MOST_RUNS, RunsInProgress, find_current_run, load_active_runs
from tests.support.clock import FakeClock
from tests.support.jobs import JobHarness, open_source_run
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker

NO_SIGNS = PresenceSigns(live=frozenset(), dead=frozenset())


@pytest.fixture
def harness(access: Access, clock: FakeClock) -> JobHarness:
    return JobHarness(access, clock)


async def look(harness: JobHarness) -> RunsInProgress:
    return await harness.access.read(partial(load_active_runs, signs=NO_SIGNS, now=harness.clock.now()))


async def execute(harness: JobHarness, statement: str) -> None:
    await harness.write(lambda connection, now: connection.exec_driver_sql(statement) and None)


async def test_concurrent_runs_are_all_listed_with_their_sources_and_workers(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    run_id = await harness.write(open_source_run)
    await worker.runs.add_worker(run_id, "another", "localhost", 2, LEASE_S)
    await worker.runs.add_worker(run_id, "third", "localhost", 3, LEASE_S)
    await execute(harness, f"UPDATE workers SET pages_per_min = 30 WHERE run_id = {run_id}")
    await execute(harness, f"UPDATE runs SET pages = 7 WHERE id = {run_id}")
    found = await look(harness)
    assert [(run.id, run.source_name, run.workers, run.pages_per_min, run.pages) for run in found.runs] == [
        (run_id, "news", 2, 60.0, 7),
        (worker.run_id, None, 1, 0.0, 0),
    ]
    assert found.runs_count == 2


async def test_a_paused_run_is_active_and_a_cancelled_one_is_not(
    harness: JobHarness, worker: StoreWorker, clock: FakeClock
) -> None:
    run_id = await harness.write(open_source_run)
    clock.advance(1)
    await harness.write(lambda connection, now: pause_run(connection, run_id, now))
    await harness.write(lambda connection, now: cancel_run(connection, worker.run_id, now))
    assert [(run.id, run.state) for run in (await look(harness)).runs] == [(run_id, "paused")]


async def test_a_run_that_is_reserved_but_not_opened_is_not_active(
    harness: JobHarness, store: StoreUnderTest, clock: FakeClock
) -> None:
    source_id = await harness.add_source()
    reserved = await store.of_source(source_id).runs.reserve_run()
    assert reserved is not None
    assert await look(harness) == RunsInProgress(at=clock.now(), runs=(), runs_count=0)
    current = partial(find_current_run, signs=NO_SIGNS, now=clock.now())
    assert await harness.access.read(current) is None


async def test_of_very_many_runs_the_newest_are_listed_and_all_are_counted(harness: JobHarness) -> None:
    def open_many(connection: Any, now: float) -> None:
        for number in range(MOST_RUNS + 3):
            open_source_run(connection, now, f"news{number}")

    await harness.write(open_many)
    found = await look(harness)
    assert (len(found.runs), found.runs_count) == (MOST_RUNS, MOST_RUNS + 3)
    assert found.runs[0].source_name == f"news{MOST_RUNS + 2}"


async def test_every_run_that_starts_or_ends_is_an_event(
    harness: JobHarness, store: StoreUnderTest, worker: StoreWorker
) -> None:
    watch = CrawlerEventCollector(store.place, harness.access)
    run_id = await harness.write(open_source_run)

    async def hear() -> list[tuple[int, str]]:
        told = [event.data for event in await watch.collect() if event.kind == "run"]
        return [(run.id, run.state) for run in told if isinstance(run, RunEvent)]

    assert await hear() == [(worker.run_id, "running"), (run_id, "running")]
    assert await hear() == []
    # Neither is the newest when it ends.
    newest = await harness.write(partial(open_source_run, name="late"))
    for number in (worker.run_id, run_id):
        await harness.write(partial(_cancel, number))
    assert await hear() == [(worker.run_id, "stopped"), (run_id, "stopped"), (newest, "running")]
    assert await hear() == []


def _cancel(run_id: int, connection: Any, now: float) -> None:
    cancel_run(connection, run_id, now)
