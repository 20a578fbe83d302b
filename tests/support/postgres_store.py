"""The store in PostgreSQL as a worker opens it, for tests that are specific to this store."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tenax.clock import Clock, Instant, SystemClock
from tenax.records.domains import Lease
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.frontier.frontier import PostgresFrontier
from tenax.stores.postgres.runs import PostgresRuns
from tests.support.postgres import Console
from tests.support.store import ACTIVE, StoreWorker, make_fetched, make_visit, new_url


class Lagging:
    """A clock that lags a little: two clocks differ by about a millisecond, and what is due now must not be
    in the future of the store's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> Instant:
        return self._clock.now() - 0.01

    def wall(self) -> Instant:
        return self._clock.wall()


def open_database(url: str) -> PostgresDatabase:
    return PostgresDatabase(url, SystemClock(), "the database")


@asynccontextmanager
async def open_worker(url: str) -> AsyncIterator[StoreWorker]:
    async with open_database(url) as database:
        clock = Lagging(database.clock)
        yield await StoreWorker(PostgresFrontier(database), PostgresRuns(database), clock).start()


async def make_work(worker: StoreWorker, lease: Lease, *discovered: str) -> DomainWork:
    target = (await worker.head(lease)).targets[0]
    found = [new_url(each) for each in discovered]
    visit = make_visit(target, make_fetched(target.url), at=worker.clock.now(), discovered=found)
    return DomainWork(lease=lease, state=ACTIVE, visits=[visit])


async def wait_until_blocked(console: Console) -> None:
    """Wait until a session waits for a lock that the console holds."""
    waiting = "SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
    async with asyncio.timeout(10):
        while not console.query(waiting):  # noqa: ASYNC110, the server does not notify
            await asyncio.sleep(0.01)
