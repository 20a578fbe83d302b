"""Transactions of other programs: those that the crawl suffers from are named, all others are left alone."""

import asyncio
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.postgres.connection import foreign_transactions as foreign_transactions
from tests.support.postgres import Console
from tests.support.postgres_store import make_work, open_worker, wait_until_blocked
from tests.support.store import StoreWorker

pytestmark = pytest.mark.usefixtures("runner")

A = "https://a.example/"


async def find(worker: StoreWorker) -> ForeignTransaction | None:
    return (await worker.frontier.overview(1.0, 100)).foreign_transaction


@pytest.mark.parametrize(
    "statements",
    ["BEGIN", "BEGIN; SELECT 1 FROM domains", "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1"],
)
async def test_one_that_is_open_for_long_is_named(
    url: str, console: Console, statements: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_transactions, "LONG_S", 0.2)
    console.execute(f"SET application_name = 'a report'; {statements}")
    ((pid,),) = console.query("SELECT pg_backend_pid()")
    async with open_worker(url) as worker:
        await asyncio.sleep(0.2)
        found = await find(worker)
    assert found is not None
    assert found.session == f"process {pid} (tenax, a report)"
    assert found.age_s is not None
    assert (found.is_blocking, found.age_s > 0.1) == (False, True)


async def test_a_short_one_is_nobody_s_business(url: str, console: Console) -> None:
    console.execute("BEGIN")
    async with open_worker(url) as worker:
        assert await find(worker) is None


async def test_those_of_other_workers_are_not_foreign(
    url: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_transactions, "LONG_S", 0.0)
    console.execute("SET application_name = 'tenax elsewhere 1'; BEGIN")
    async with open_worker(url) as worker:
        assert await find(worker) is None


@pytest.fixture
def unprivileged(url: str, console: Console) -> Iterator[str]:
    """The database as a role has it that may use the tables, and knows little of the sessions of others."""
    role = f"crawler_{uuid.uuid4().hex[:8]}"
    console.execute(
        f"CREATE ROLE {role} LOGIN PASSWORD 'secret'; GRANT ALL ON ALL TABLES IN SCHEMA public TO {role};"
        f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}"
    )
    parts = urlsplit(url)
    yield parts._replace(netloc=f"{role}:secret@{parts.hostname}:{parts.port}").geturl()
    console.execute(f"DROP OWNED BY {role}; DROP ROLE {role}")


async def find_blocking(url: str, console: Console) -> ForeignTransaction:
    async with open_worker(url) as worker:
        await worker.add(A)
        work = await make_work(worker, await worker.claim_one())
        console.execute("BEGIN; SELECT 1 FROM domains FOR UPDATE")
        assert await find(worker) is None, "nobody waits yet"
        settling = asyncio.create_task(worker.settle(work))
        await wait_until_blocked(console)
        # An overview is remembered for a moment.
        async with asyncio.timeout(20):
            while (found := await find(worker)) is None:  # noqa: ASYNC110, the server tells nobody
                await asyncio.sleep(0.01)
        console.execute("ROLLBACK")
        await settling
        return found


async def test_one_that_has_locked_what_is_waited_for_is_named_soon(
    url: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_transactions, "BLOCKING_S", 0.0)
    found = await find_blocking(url, console)
    assert (found.is_blocking, found.age_s is None) == (True, False)


async def test_who_may_not_see_its_age_sees_that_it_blocks(
    unprivileged: str, console: Console, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign_transactions, "BLOCKING_S", 0.0)
    found = await find_blocking(unprivileged, console)
    assert (found.is_blocking, found.age_s) == (True, None)
