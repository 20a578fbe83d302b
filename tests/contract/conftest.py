"""The backends that every contract is tested with, and a loop for tests that are coroutines."""

import asyncio
import inspect
from collections.abc import Iterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.clock import Clock
from tenax.stores.base import FrontierStore, RunStore
from tenax.stores.sqlite.database import Database
from tenax.stores.sqlite.frontier import SqliteFrontier
from tenax.stores.sqlite.runs import SqliteRuns
from tests.support.clock import FakeClock
from tests.support.store import Rows, StoreUnderTest, StoreWorker


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    names = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in names}
    runner = pyfuncitem.funcargs["runner"]
    assert isinstance(runner, asyncio.Runner)
    runner.run(pyfuncitem.obj(**arguments))
    return True


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["sqlite"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock, runner: asyncio.Runner
) -> Iterator[StoreUnderTest]:
    open_store = {"sqlite": open_sqlite}[request.param]
    stack = AsyncExitStack()
    yield runner.run(open_store(tmp_path, clock, stack))
    runner.run(stack.aclose())


@pytest.fixture
def frontier_store(store: StoreUnderTest) -> FrontierStore:
    return store.frontier


@pytest.fixture
def run_store(store: StoreUnderTest) -> RunStore:
    return store.runs


@pytest.fixture
def worker(store: StoreUnderTest, clock: FakeClock, runner: asyncio.Runner) -> StoreWorker:
    return runner.run(StoreWorker(store.frontier, store.runs, clock).start())


async def open_sqlite(folder: Path, clock: Clock, stack: AsyncExitStack) -> StoreUnderTest:
    path = folder / "tenax.db"
    database = await stack.enter_async_context(Database(path, clock))

    def query(sql: str) -> Rows:
        with closing(sqlite.connect(path)) as connection:
            return connection.execute(sql).fetchall()

    async def connect() -> StoreUnderTest:
        return await open_sqlite(folder, clock, stack)

    return StoreUnderTest(
        frontier=SqliteFrontier(database), runs=SqliteRuns(database), query=query, connect=connect
    )
