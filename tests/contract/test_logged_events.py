"""What webhooks are told of is logged, in the transaction in which it happened."""

import asyncio
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, select, update

from tenax.records.domains import Cause, DomainState, DomainStatus, Transition
from tenax.records.jobs import ExecutionState, Trigger
from tenax.records.runs import RunState
from tenax.runtime.backends import find_backend
from tenax.stores.access import Access
from tenax.stores.change_log import START, LogTopic, read_log
from tenax.stores.commands.runs import cancel_run, pause_run
from tenax.stores.databases.access import open_access
from tenax.stores.jobs.executions import add_execution, end_execution, stop_orphans, stop_runs
from tenax.stores.jobs.tasks import add_task, fail_task
from tenax.stores.place import Place
from tenax.stores.schema.runs import runs
from tenax.stores.webhooks.events import collect_events
from tests.support.clock import FakeClock
from tests.support.older import older_store, query
from tests.support.postgres import Console
from tests.support.store import StoreUnderTest, StoreWorker

pytestmark = pytest.mark.usefixtures("runner")

A = "https://a.example/"
RUN, BLOCK = LogTopic.RUN, LogTopic.DOMAIN_EVENT


async def list_logged(access: Access) -> list[tuple[LogTopic, int, int]]:
    entries = await access.read(partial(read_log, after=START, limit=100))
    return [(entry.topic, entry.source_id, entry.subject_id) for entry in entries]


# --- who writes them ---------------------------------------------------------------------------------


async def test_a_run_that_its_last_worker_closes(
    store: StoreUnderTest, access: Access, worker: StoreWorker
) -> None:
    runs_of_source = store.of_source(3).runs
    run_id = (await runs_of_source.open_run("{}")).id
    first, last = [await runs_of_source.add_worker(run_id, name, "here", 1, 60.0) for name in "ab"]
    assert first is not None
    assert last is not None
    await runs_of_source.end_run(run_id, RunState.DONE, first)
    assert await list_logged(access) == []
    await runs_of_source.end_run(run_id, RunState.DONE, last)
    await runs_of_source.end_run(run_id, RunState.DONE, last)
    assert await list_logged(access) == [(RUN, 3, run_id)]


async def test_a_run_that_a_user_cancels(access: Access, clock: FakeClock, worker: StoreWorker) -> None:
    await access.write(partial(pause_run, run_id=worker.run_id, now=clock.now()))
    assert await list_logged(access) == []
    for _ in range(2):
        await access.write(partial(cancel_run, run_id=worker.run_id, now=clock.now()))
    assert await list_logged(access) == [(RUN, 0, worker.run_id)]


@pytest.mark.parametrize("ending", ["stop_runs", "stop_orphans", "fail_task"])
async def test_a_run_whose_execution_or_task_ends(
    access: Access, clock: FakeClock, worker: StoreWorker, ending: str
) -> None:
    def work(connection: Connection) -> None:
        connection.execute(update(runs).values(execution_id=9))
        if ending == "stop_runs":
            stop_runs(connection, 9, clock.now())
        elif ending == "stop_orphans":
            assert stop_orphans(connection, clock.now()) == 1
        else:
            add_task(connection, worker.run_id, "crawl", 5, clock.now())
            assert fail_task(connection, 1, "Nobody can.", clock.now())
        assert connection.scalar(select(runs.c.ended_at)) == clock.now()

    await access.write(work)
    assert await list_logged(access) == [(RUN, 0, worker.run_id)]


@pytest.mark.parametrize("changed", [0, 5])
async def test_an_execution_that_found_changes(access: Access, clock: FakeClock, changed: int) -> None:
    def work(connection: Connection) -> None:
        execution = add_execution(
            connection,
            7,
            scheduled_at=clock.now(),
            trigger=Trigger.SCHEDULE,
            retry_number=0,
            now=clock.now(),
        )
        for _ in range(2):
            end_execution(
                connection, execution.id, ExecutionState.COMPLETED, clock.now(), items_changed=changed
            )

    await access.write(work)
    assert await list_logged(access) == ([(LogTopic.EXECUTION, 0, 1)] if changed else [])


async def test_a_domain_that_is_blocked(store: StoreUnderTest, access: Access, worker: StoreWorker) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    steps = [
        (DomainStatus.ACTIVE, DomainStatus.UNREACHABLE),
        (DomainStatus.UNREACHABLE, DomainStatus.BLOCKED),
        (DomainStatus.BLOCKED, DomainStatus.ACTIVE),
    ]
    transitions = tuple(
        Transition(
            from_status=before, to_status=after, cause=Cause.FORBIDDEN, detail="-", at=worker.clock.now()
        )
        for before, after in steps
    )
    await worker.settle_visits(
        lease, [], state=DomainState(status=DomainStatus.ACTIVE, transitions=transitions)
    )
    await store.domains.block("a.example", "a test")
    await store.domains.unblock("a.example", "a test")
    events = store.query("SELECT id FROM domain_events WHERE to_status = 'blocked' ORDER BY id")
    assert len(events) == 2
    assert await list_logged(access) == [(BLOCK, 0, id) for (id,) in events]


# --- PostgreSQL commits in another order -------------------------------------------------------------

OPEN_RUN = "INSERT INTO runs (state, settings, started_at) VALUES ('running', '{}', 1)"
END_RUN = (
    "UPDATE runs SET state = 'done', ended_at = {at} WHERE id = {id};"
    "INSERT INTO change_log (xid, at, topic, source_id, subject_id)"
    " VALUES (pg_current_xact_id()::text::bigint, {at}, 'run', 0, {id})"
)
ADD_HOOK = (
    "INSERT INTO webhooks (name, url, secret, events, enabled, enabled_at, created_at)"
    " VALUES ('hook', 'https://receiver.example/', 's', 'domain.blocked run.finished', 1, 0, 0)"
)


async def test_a_run_whose_transaction_commits_long_after_later_ones_is_sent(
    url: str, console: Console, tmp_path: Path
) -> None:
    console.execute(";".join([ADD_HOOK, *[OPEN_RUN] * 3]))
    async with open_access(Place(folder=tmp_path, url=url)) as access:

        async def collect(now: float) -> int:
            return len(await access.write(partial(collect_events, now=now)))

        with closing(Console(url)) as early, closing(Console(url)) as late:
            early.execute("BEGIN; " + END_RUN.format(id=1, at=1000.0))
            late.execute(END_RUN.format(id=2, at=1001.0))
            assert await collect(1002.0) == 0
            # Three hours later, by the instants of what happens.
            late.execute(END_RUN.format(id=3, at=11_800.0))
            assert await collect(11_801.0) == 0
            early.execute("COMMIT")
            assert await collect(11_802.0) == 3
            assert await collect(11_803.0) == 0
            early.execute("BEGIN; " + END_RUN.format(id=1, at=1000.0))
            early.execute("ROLLBACK")
            assert await collect(11_804.0) == 0
    rows = console.query("SELECT subject FROM webhook_deliveries ORDER BY id")
    assert rows == [("run 1",), ("run 2",), ("run 3",)]


# --- stores of before --------------------------------------------------------------------------------

COLLECTED_S = 100_000.0
OLD_ROWS = (
    ADD_HOOK,
    "INSERT INTO marks (name, position) VALUES ('webhooks', 100000000), ('webhooks.domain_events', 11000)",
    # Collected long ago; collected lately; committed late, and not collected; after the cursor; not ended.
    "INSERT INTO runs (id, state, settings, started_at, ended_at) VALUES (1, 'done', '{}', 1, 98000),"
    " (2, 'done', '{}', 1, 99900), (3, 'done', '{}', 1, 99901), (4, 'done', '{}', 1, 100001),"
    " (5, 'running', '{}', 1, NULL)",
    "INSERT INTO webhook_deliveries (webhook_id, event, subject, payload, state, created_at)"
    " VALUES (1, 'run.finished', 'run 1', '{}', 'delivered', 1),"
    " (1, 'run.finished', 'run 2', '{}', 'delivered', 1)",
    "INSERT INTO domains (id, name, status, first_seen_at) VALUES (1, 'a.example', 'blocked', 1)",
    "INSERT INTO domain_events (id, domain_id, at, from_status, to_status, cause, detail)"
    " VALUES (900, 1, 1, 'active', 'blocked', 'forbidden', '-'),"
    " (10999, 1, 2, 'active', 'blocked', 'forbidden', '-'),"
    " (11001, 1, 3, 'active', 'blocked', 'forbidden', '-'),"
    " (11002, 1, 4, 'blocked', 'active', 'forbidden', '-')",
)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_event_is_lost_or_repeated_when_a_store_is_upgraded(
    kind: str, tmp_path: Path, runner: asyncio.Runner
) -> None:
    async def collect(place: Place) -> list[int]:
        async with open_access(place) as access:
            return [len(await access.write(partial(collect_events, now=COLLECTED_S + 10))) for _ in range(2)]

    with older_store(kind, tmp_path / "old", "0044", OLD_ROWS) as place:
        find_backend(place).migrate(place)
        assert runner.run(collect(place)) == [4, 0]
        subjects = query(place, "SELECT subject FROM webhook_deliveries ORDER BY id")
        assert query(place, "SELECT name FROM marks WHERE name LIKE 'webhooks%'") == []
    assert [subject for (subject,) in subjects] == [
        *("run 1", "run 2", "run 3", "run 4"),
        *("domain event 10999", "domain event 11001"),
    ]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_store_without_webhooks_gets_no_events_when_it_is_upgraded(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", "0044", OLD_ROWS[1:]) as place:
        find_backend(place).migrate(place)
        assert query(place, "SELECT count(*) FROM change_log") == [(0,)]
