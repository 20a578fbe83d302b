"""One PostgreSQL database behind asyncio: connects, and runs work in transactions."""

import asyncio
import contextlib
import random
import time
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self, TypeVar

from tenax import failpoints
from tenax.clock import MachineClock
from tenax.errors import StoreError, StoreUnreachable
from tenax.stores.postgres.connection.clock import DatabaseClock
from tenax.stores.postgres.connection.connection import (
    DEADLINE_S,
    READER_SETTINGS,
    WRITER_SETTINGS,
    PostgresConnection,
    ReconnectGate,
)
from tenax.stores.postgres.connection.errors import conflict_errors, foreign_errors
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.schema.revision import check_schema

T = TypeVar("T")

READERS = 2
ATTEMPTS = 5
CONFLICT_PAUSE_S = 0.05
SLOW_S = 900.0
PERSIST_S = 1.0
PERSIST_PAUSE_S = 0.1


class PostgresDatabase:
    """Writes take turns on one connection; reads share a few others."""

    def __init__(self, url: str, clock: MachineClock, place: str) -> None:
        self.clock = DatabaseClock(clock)
        gate = ReconnectGate()
        self._writer = PostgresConnection(url, WRITER_SETTINGS, gate, place)
        self._all_readers = [PostgresConnection(url, READER_SETTINGS, gate, place) for _ in range(READERS)]
        # The last one used first: a single reader needs a single connection.
        self._readers: asyncio.LifoQueue[PostgresConnection] = asyncio.LifoQueue()
        for line in self._all_readers:
            self._readers.put_nowait(line)
        self._place = place
        self._looking: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._looking.set_result(None)

    async def __aenter__(self) -> Self:
        try:
            await self._writer.use(lambda connection: check_schema(connection, self._place))
            await self._set_clock()
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.wait([self._looking], timeout=PERSIST_S)
        for line in (self._writer, *self._all_readers):
            await line.close()

    async def write(self, work: Callable[[Connection], Awaitable[T]], *, is_slow: bool = False) -> T:
        """Run `work` in one transaction: it is committed completely or not at all. If the connection breaks
        during the commit, it is unknown which: `work` must be safe to repeat, and is repeated for a moment
        before a StoreUnreachable is raised. `is_slow`: it may take minutes."""

        async def transact(connection: Connection) -> T:
            for attempt in range(1, ATTEMPTS):
                try:
                    return await _transact(connection, work, is_slow)
                except conflict_errors():
                    await asyncio.sleep(random.uniform(0, CONFLICT_PAUSE_S) * attempt)
            return await _transact(connection, work, is_slow)

        await self._keep_time()
        # A cancelled caller returns at once; the transaction still ends.
        deadline_s = SLOW_S if is_slow else DEADLINE_S
        return await asyncio.shield(persist(lambda: self._writer.use(transact, deadline_s)))

    async def read(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Every statement sees what is committed when it begins."""
        if self.clock.is_due and self._looking.done():
            # Not awaited: it may have to wait for a transaction that takes minutes.
            self._looking = asyncio.ensure_future(self._keep_time())
        return await asyncio.shield(self._read(work, DEADLINE_S))

    async def read_snapshot(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """All statements see the same moment. They may take minutes."""

        async def look(connection: Connection) -> T:
            async with connection.transaction(isolation="repeatable_read", readonly=True):
                await _allow_minutes(connection)
                return await work(connection)

        return await asyncio.shield(self._read(look, SLOW_S))

    async def _set_clock(self) -> None:
        self.clock.put_off()
        try:
            await self.write(self.clock.check)
        except StoreError:
            # It may be a server, or a user, that cannot write.
            await self.read(self.clock.peek)

    async def _keep_time(self) -> None:
        """Check the store's clock from time to time. Errors are left to the operation that follows."""
        if self.clock.is_due:
            self.clock.put_off()
            with contextlib.suppress(StoreError):
                await self.write(self.clock.check)

    async def _read(self, work: Callable[[Connection], Awaitable[T]], deadline_s: float) -> T:
        line = await self._readers.get()
        try:
            return await persist(lambda: line.use(work, deadline_s))
        finally:
            self._readers.put_nowait(line)


async def persist(attempt: Callable[[], Awaitable[T]]) -> T:
    """Repeat an attempt for a moment, so that an ended session or a quick restart of the server goes
    unnoticed."""
    give_up_at = time.monotonic() + PERSIST_S
    while True:
        try:
            return await attempt()
        except StoreUnreachable:
            if time.monotonic() > give_up_at:
                raise
            await asyncio.sleep(PERSIST_PAUSE_S)


async def _transact(connection: Connection, work: Callable[[Connection], Awaitable[T]], is_slow: bool) -> T:
    transaction = connection.transaction()
    await transaction.start()
    try:
        if is_slow:
            await _allow_minutes(connection)
        result = await work(connection)
        failpoints.reach("commit.before")
        await transaction.commit()
        failpoints.reach("commit.after")
        return result
    except Exception:
        with contextlib.suppress(*foreign_errors()):
            await transaction.rollback()
        raise


async def _allow_minutes(connection: Connection) -> None:
    """For statements that read whole tables."""
    await connection.execute(f"SET LOCAL statement_timeout = '{SLOW_S:g}s'; SET LOCAL enable_seqscan = on")
