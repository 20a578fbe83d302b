"""The database: its clock, its months of visits, its schema; and what is said when it cannot be used."""

import asyncio
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.errors import StoreError, StoreTooNew, StoreUnreachable
from tenax.runtime.crawls import list_crawls
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.postgres.backend import discard, migrate
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.frontier.frontier import PostgresFrontier
from tenax.stores.postgres.runs import PostgresRuns
from tenax.stores.postgres.schema.partitions import Partitions, list_months, name_partition
from tenax.stores.schema.migrations import REVISION
from tests.support.clock import START
from tests.support.postgres import Console, create_empty, name_database
from tests.support.postgres_store import open_database, wait_until_blocked
from tests.support.servers import PostgresServer
from tests.support.store import StoreWorker, make_fetched

pytestmark = pytest.mark.usefixtures("runner")

A = "https://a.example/"


# --- the clock -----------------------------------------------------------------------------------


def set_server(console: Console, ahead_s: float) -> None:
    console.execute(
        "CREATE OR REPLACE FUNCTION tenax_now() RETURNS double precision LANGUAGE sql VOLATILE"
        f" AS 'SELECT extract(epoch FROM clock_timestamp())::double precision + {ahead_s}'"
    )


async def test_workers_go_by_the_clock_of_the_database(url: str, console: Console) -> None:
    set_server(console, 3600)
    console.execute("DELETE FROM store_clock")
    async with open_database(url) as database:
        assert database.clock.now() - time.time() == pytest.approx(3600, abs=0.5)


async def test_a_server_whose_calendar_is_set_moves_the_calendar_of_workers_and_no_clock(
    url: str, console: Console
) -> None:
    machine = SystemClock()
    late_s = 0.0
    later = SystemClock(lambda: machine.wall() + late_s, lambda: machine.uptime() + late_s)
    async with PostgresDatabase(url, later, "the database") as database:
        set_server(console, -3600)
        # Its server's time passes with its own.
        late_s = 20.0
        set_server(console, -3600 + late_s)
        await database.write(lambda connection: connection.fetchval("SELECT 1"))
        assert database.clock.now() - time.time() == pytest.approx(late_s, abs=0.5)
        assert database.clock.wall() - time.time() == pytest.approx(late_s - 3600, abs=0.5)
        async with open_database(url) as other:
            assert other.clock.now() - time.time() == pytest.approx(late_s, abs=0.5)


async def test_whoever_may_only_read_is_told_the_time_too(url: str, console: Console) -> None:
    set_server(console, 3600)
    console.execute("DELETE FROM store_clock")
    console.execute(f"ALTER DATABASE {url.rpartition('/')[2]} SET default_transaction_read_only = on")
    async with open_database(url) as database:
        assert database.clock.now() - time.time() == pytest.approx(3600, abs=0.5)


# --- the months of visits ------------------------------------------------------------------------


def find_partitions(console: Console) -> dict[str, int]:
    """Names with the number of visits."""
    return dict(console.query("SELECT tableoid::regclass::text, count(*) FROM visits GROUP BY 1"))


async def visit_one(database: PostgresDatabase) -> None:
    worker = await StoreWorker(PostgresFrontier(database), PostgresRuns(database), SystemClock()).start()
    await worker.add(f"https://d{worker.id}.example/")
    await asyncio.sleep(0.02)
    await worker.visit_next(await worker.claim_one(), make_fetched())


async def test_a_visit_stands_in_the_month_it_was_made_in(url: str, console: Console) -> None:
    async with open_database(url) as database:
        await visit_one(database)
    assert find_partitions(console) == {f"visits_{time.strftime('%Y_%m', time.gmtime())}": 1}


async def test_without_a_partition_a_visit_is_kept_elsewhere(url: str, console: Console) -> None:
    """The owner makes none, and whoever works may not: the month's last heartbeats were in vain."""
    async with open_database(url) as database:
        await visit_one(database)
        month = time.strftime("%Y_%m", time.gmtime())
        console.execute(f"DROP TABLE visits_{month}")
        worker = await StoreWorker(PostgresFrontier(database), PostgresRuns(database), SystemClock()).start()
        console.execute(f"DROP TABLE visits_{month}")
        await worker.add(A)
        await asyncio.sleep(0.02)
        await worker.visit_next(await worker.claim_one(), make_fetched())
        assert find_partitions(console) == {"visits_other": 1}
        # The month can not be cut out of what is kept elsewhere any more; nothing else suffers.
        await Partitions(database).make_ahead()
        await visit_one(database)
        assert find_partitions(console) == {"visits_other": 2}


async def test_workers_that_make_a_partition_at_once_all_succeed(url: str, console: Console) -> None:
    console.execute("DROP TABLE IF EXISTS " + time.strftime("visits_%Y_%m", time.gmtime()))
    async with open_database(url) as one, open_database(url) as two:
        await asyncio.gather(Partitions(one).make_ahead(), Partitions(two).make_ahead())
        await visit_one(one)
    assert "visits_other" not in find_partitions(console)


async def test_a_visit_waits_for_the_month_that_is_being_made_and_goes_there(
    url: str, console: Console
) -> None:
    """PostgreSQL has chosen the place of a row before it waits, and refuses the row afterwards."""
    async with open_database(url) as database:
        await visit_one(database)
        ((start, end),) = list_months(time.time(), time.time())
        name = name_partition(start)
        worker = await StoreWorker(PostgresFrontier(database), PostgresRuns(database), SystemClock()).start()
        await worker.add(A)
        await asyncio.sleep(0.02)
        claimed = await worker.claim_one()
        console.execute(f"DROP TABLE {name}")
        console.execute(
            f"BEGIN; CREATE TABLE {name} (LIKE visits INCLUDING DEFAULTS INCLUDING CONSTRAINTS);"
            f"ALTER TABLE visits ATTACH PARTITION {name} FOR VALUES FROM ({start}) TO ({end})"
        )
        visit_runner = asyncio.create_task(worker.visit_next(claimed, make_fetched()))
        await wait_until_blocked(console)
        console.execute("COMMIT")
        await visit_runner
    assert find_partitions(console) == {name: 1}


# --- the schema ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("revision", "words"),
    [
        ("9999", f"newer Tenax .schema 9999, this one knows {REVISION}"),
        ("0001", "older Tenax .*tenax migrate"),
    ],
)
async def test_a_schema_of_another_version_is_refused(
    url: str, console: Console, revision: str, words: str
) -> None:
    console.execute(f"UPDATE alembic_version SET version_num = '{revision}'")
    with pytest.raises(StoreError, match=words):
        async with open_database(url):
            pass
    with pytest.raises(StoreError, match=words):
        await asyncio.to_thread(read_store, Place(folder=Path("/nowhere"), url=url), lambda connection: None)


async def test_migrating_refuses_a_newer_schema(url: str, console: Console) -> None:
    console.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreTooNew):
        await asyncio.to_thread(migrate, Place(folder=Path("/nowhere"), url=url))


async def test_a_database_without_a_schema_says_what_to_do() -> None:
    with pytest.raises(StoreError, match="tenax migrate"):
        async with open_database(name_database("postgres")):
            pass


async def test_migrations_that_run_at_once_all_succeed() -> None:
    place = Place(folder=Path("/nowhere"), url=create_empty("tenax_migrated_at_once"))
    await asyncio.gather(*(asyncio.to_thread(migrate, place) for _ in range(3)))
    assert await list_crawls(place) == []


# --- starting afresh -----------------------------------------------------------------------------


async def test_starting_afresh_waits_for_whoever_is_at_work(url: str, tmp_path: Path) -> None:
    place = Place(folder=tmp_path, url=url)
    async with open_database(url) as database:
        await visit_one(database)
        with pytest.raises(StoreError, match="Another process is crawling"):
            await asyncio.to_thread(discard, place)


async def test_after_starting_afresh_an_old_lease_is_lost(url: str, tmp_path: Path, console: Console) -> None:
    place = Place(folder=tmp_path, url=url)
    async with open_database(url) as database:
        worker = await StoreWorker(PostgresFrontier(database), PostgresRuns(database), SystemClock()).start()
        await worker.add(A)
        await asyncio.sleep(0.02)
        lease = await worker.claim_one()
        console.execute(f"UPDATE workers SET heartbeat_at = {START}")
        await asyncio.to_thread(discard, place)
        heir = await StoreWorker(PostgresFrontier(database), PostgresRuns(database), SystemClock()).start()
        await heir.add(A)
        assert (await heir.settle_visits(lease, [])).lost == {lease.domain_id}


# --- a server of its own -------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer()
    server.start()
    yield server
    server.close()


async def test_after_a_crash_of_the_server_the_store_goes_on(server: PostgresServer) -> None:
    await asyncio.to_thread(migrate, Place(folder=Path("/nowhere"), url=server.url))
    async with open_database(server.url) as database:
        frontier = PostgresFrontier(database)
        assert (await frontier.horizon(0)).next_avail_at is None
        server.stop_at_once()
        for _ in range(3):
            with pytest.raises(StoreUnreachable):
                await frontier.horizon(0)
        server.start()
        deadline = time.monotonic() + 5
        while True:
            try:
                await frontier.horizon(0)
                break
            except StoreUnreachable:
                assert time.monotonic() < deadline
                await asyncio.sleep(0.05)


async def test_a_server_that_hangs_is_given_up(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tenax.stores.postgres.connection.database.DEADLINE_S", 0.5)
    await asyncio.to_thread(migrate, Place(folder=Path("/nowhere"), url=server.url))
    async with open_database(server.url) as database:
        frontier = PostgresFrontier(database)
        await frontier.add_urls([], 0.0)
        server.send_all(signal.SIGSTOP)
        with pytest.raises(StoreUnreachable):
            await frontier.claim(1, 1, 1, 60)
        server.send_all(signal.SIGCONT)
