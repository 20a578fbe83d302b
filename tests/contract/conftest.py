"""The backends that every contract is tested with, and a loop for tests that are coroutines."""

import asyncio
import contextlib
import inspect
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.runtime.backends import find_backend
from tenax.stores.access import Access
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place
from tenax.stores.postgres.backend import bind as bind_postgres
from tenax.stores.postgres.connection.database import PostgresDatabase as PostgresDatabase
from tenax.stores.postgres.domains import PostgresDomains
from tenax.stores.postgres.frontier.frontier import PostgresFrontier
from tenax.stores.postgres.frontier.merging import PostgresMerges
from tenax.stores.postgres.refresh import PostgresRefresh
from tenax.stores.postgres.runs import PostgresRuns
from tenax.stores.postgres.seeds import PostgresSeeds
from tenax.stores.postgres.sitemaps import PostgresSitemaps
from tenax.stores.sqlite.backend import bind as bind_sqlite
from tenax.stores.sqlite.connection.database import SqliteDatabase
from tenax.stores.sqlite.domains import SqliteDomains
from tenax.stores.sqlite.frontier.frontier import SqliteFrontier
from tenax.stores.sqlite.frontier.merging import SqliteMerges
from tenax.stores.sqlite.refresh import SqliteRefresh
from tenax.stores.sqlite.runs import SqliteRuns
from tenax.stores.sqlite.seeds import SqliteSeeds
from tenax.stores.sqlite.sitemaps import SqliteSitemaps
from tests.support.clock import FakeClock
from tests.support.postgres import Console, fresh_database, use_fake_clock
from tests.support.store import Join, Rows, SharedStore, StoreUnderTest, StoreWorker


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


@pytest.fixture(params=["sqlite", "postgres"])
def store(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FakeClock, runner: asyncio.Runner
) -> Iterator[StoreUnderTest]:
    open_store = {"sqlite": open_sqlite, "postgres": open_postgres}[request.param]
    stack = AsyncExitStack()
    with open_store(tmp_path, clock, stack) as join:
        yield runner.run(stack.enter_async_context(join()))
        runner.run(stack.aclose())


@pytest.fixture
def frontier_store(store: StoreUnderTest) -> FrontierStore:
    return store.frontier


@pytest.fixture
def run_store(store: StoreUnderTest) -> RunStore:
    return store.runs


@pytest.fixture
def seed_store(store: StoreUnderTest) -> SeedStore:
    return store.seeds


@pytest.fixture
def access(store: StoreUnderTest, runner: asyncio.Runner) -> Iterator[Access]:
    """The same store as a server has it."""
    opened = open_access(store.place)
    yield runner.run(opened.__aenter__())
    runner.run(opened.__aexit__(None, None, None))


@pytest.fixture
def worker(store: StoreUnderTest, clock: FakeClock, runner: asyncio.Runner) -> StoreWorker:
    return runner.run(StoreWorker(store.frontier, store.runs, clock).start())


@contextlib.contextmanager
def open_sqlite(folder: Path, clock: FakeClock, stack: AsyncExitStack) -> Iterator[Join]:
    path = folder / "tenax.db"

    def query(sql: str) -> Rows:
        with closing(sqlite.connect(path, isolation_level=None)) as connection:
            return connection.execute(sql).fetchall()

    @contextlib.asynccontextmanager
    async def join() -> AsyncIterator[StoreUnderTest]:
        async with SqliteDatabase(path, clock) as database:
            yield StoreUnderTest(
                place=Place(folder=folder),
                frontier=SqliteFrontier(database),
                runs=SqliteRuns(database),
                refresh=SqliteRefresh(database),
                merges=SqliteMerges(database),
                domains=SqliteDomains(database),
                seeds=SqliteSeeds(database),
                sitemaps=SqliteSitemaps(database),
                of_source=partial(bind_sqlite, database),
                query=query,
                join=join,
                connect=lambda: stack.enter_async_context(join()),
                broken=partial(break_sqlite, path),
            )

    yield join


@contextlib.contextmanager
def break_sqlite(path: Path, event: str, table: str) -> Iterator[None]:
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        raising = "BEGIN SELECT raise(ABORT, 'fault'); END"
        connection.execute(f"CREATE TRIGGER fault AFTER {event} ON {table} {raising}")
        yield
        connection.execute("DROP TRIGGER fault")


@contextlib.contextmanager
def break_postgres(console: Console, event: str, table: str) -> Iterator[None]:
    console.execute(
        "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'fault'; END$$;"
        f"CREATE TRIGGER fault AFTER {event} ON {table} EXECUTE FUNCTION fault()"
    )
    yield
    console.execute("DROP FUNCTION fault CASCADE")


@contextlib.contextmanager
def open_postgres(folder: Path, clock: FakeClock, stack: AsyncExitStack) -> Iterator[Join]:
    with fresh_database() as url, closing(Console(url)) as console:
        use_fake_clock(console, clock)

        @contextlib.asynccontextmanager
        async def join() -> AsyncIterator[StoreUnderTest]:
            async with PostgresDatabase(url, clock, "a test's database") as database:
                yield StoreUnderTest(
                    place=Place(folder=folder, url=url),
                    frontier=PostgresFrontier(database),
                    runs=PostgresRuns(database),
                    refresh=PostgresRefresh(database),
                    merges=PostgresMerges(database),
                    domains=PostgresDomains(database),
                    seeds=PostgresSeeds(database),
                    sitemaps=PostgresSitemaps(database),
                    of_source=partial(bind_postgres, database),
                    query=console.query,
                    join=join,
                    connect=lambda: stack.enter_async_context(join()),
                    broken=partial(break_postgres, console),
                )

        yield join


@pytest.fixture
def url() -> Iterator[str]:
    """A PostgreSQL database, for tests of that store alone; `console` looks into it."""
    with fresh_database() as url:
        yield url


@pytest.fixture
def console(url: str) -> Iterator[Console]:
    with closing(Console(url)) as console:
        yield console


@pytest.fixture(params=["sqlite", "postgres"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SharedStore]:
    """A store for processes of their own, which go by real time."""
    if request.param == "sqlite":
        place = Place(folder=tmp_path / "shared")
        find_backend(place).migrate(place)
        with closing(sqlite.connect(tmp_path / "shared" / "tenax.db")) as connection:
            yield SharedStore(place=place, query=lambda sql: connection.execute(sql).fetchall())
    else:
        with fresh_database() as url, closing(Console(url)) as console:
            yield SharedStore(place=Place(folder=tmp_path / "shared", url=url), query=console.query)
