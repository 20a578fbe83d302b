"""Schedulers as processes: killed right after every commit, and racing."""

import asyncio
import contextlib
import multiprocessing
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import update

from tenax.clock import SystemClock
from tenax.failpoints import EXIT_CODE
from tenax.runtime.backends import find_backend
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tenax.stores.schema.jobs import jobs
from tests.support.jobs import JobHarness
from tests.support.scheduler_process import run_jobs
from tests.support.store import SharedStore

SPAWN = multiprocessing.get_context("spawn")
PATIENCE_S = 180.0
JOBS = 5


@contextlib.asynccontextmanager
async def open_test_accounts(place: Place) -> AsyncIterator[JobHarness]:
    async with (
        find_backend(place).open_stores(place, SystemClock()),
        open_access(place) as access,
    ):
        yield JobHarness(access, SystemClock())


async def add_jobs(place: Place, count: int) -> None:
    async with open_test_accounts(place) as harness:
        source = await harness.add_source()
        for _ in range(count):
            await harness.add_job(source)


async def let_locks_grow_stale(place: Place) -> None:
    statement = update(jobs).where(jobs.c.lock_token.isnot(None))
    earlier = statement.values(lock_heartbeat_at=jobs.c.lock_heartbeat_at - 1000)
    async with open_test_accounts(place) as harness:
        await harness.write(lambda connection, now: connection.execute(earlier))


def run_together(place: Place, processes: int) -> list[int | None]:
    """Their exit codes."""
    started = [SPAWN.Process(target=run_jobs, args=(place,)) for _ in range(processes)]
    for process in started:
        process.start()
    for process in started:
        process.join(PATIENCE_S)
        process.kill()
    return [process.exitcode for process in started]


@pytest.mark.parametrize("place", ["jobs.taken", "jobs.launched", "jobs.ended", "jobs.concluded"])
def test_a_scheduler_that_is_killed_leaves_its_tick_to_another_who_executes_it_once(
    shared: SharedStore, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    asyncio.run(add_jobs(shared.place, 1))
    monkeypatch.setenv("TENAX_FAILPOINT", place)
    assert run_together(shared.place, 1) == [EXIT_CODE]
    monkeypatch.delenv("TENAX_FAILPOINT")
    asyncio.run(let_locks_grow_stale(shared.place))
    assert run_together(shared.place, 1) == [0]
    assert shared.query("SELECT state FROM jobs") == [("completed",)]
    assert shared.query("SELECT state, number, items_crawled FROM executions") == [("completed", 1, 1)]
    assert shared.query("SELECT count(*) FROM runs") == [(1,)]
    shared.check_file()


def test_schedulers_that_race_execute_each_job_once(shared: SharedStore) -> None:
    asyncio.run(add_jobs(shared.place, JOBS))
    assert run_together(shared.place, 2) == [0, 0]
    assert shared.query("SELECT count(*), count(DISTINCT job_id) FROM executions") == [(JOBS, JOBS)]
    assert shared.query("SELECT count(*), count(DISTINCT execution_id) FROM runs") == [(JOBS, JOBS)]
