"""A database for a server. See stores/access.py."""

import asyncio
import builtins
import contextlib
import random
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, TypeVar

from sqlalchemy import Connection, event
from sqlalchemy.exc import DBAPIError, TimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from tenax.errors import StoreBusy, StoreSlow
from tenax.record import record
from tenax.stores.access import DOOR_READ_S, DOOR_READERS, GRACE_S, Lane
from tenax.stores.deadlines import check_deadline, set_deadline
from tenax.stores.place import Place
from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.connection.database import ATTEMPTS, CONFLICT_PAUSE_S, persist
from tenax.stores.postgres.connection.errors import conflict_errors, foreign_errors, is_timeout, translate
from tenax.stores.postgres.connection.protocol import Connection as RawConnection
from tenax.stores.postgres.reader import check_schema
from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault

T = TypeVar("T")

WRITERS = 2
WAIT_S = 10.0
READING = {"default_transaction_read_only": "on", "default_transaction_isolation": "repeatable read"}


@contextlib.asynccontextmanager
async def open_access(place: Place, readers: int, read_s: float) -> AsyncIterator["PostgresAccess"]:
    access = PostgresAccess(place, readers, read_s)
    try:
        await access.read(lambda connection: check_schema(connection, str(place)))
        yield access
    finally:
        await access.close()


class PostgresAccess:
    def __init__(self, place: Place, readers: int, read_s: float) -> None:
        self.vault = Vault.of(place)
        self._place = place
        self._lanes = {
            Lane.QUESTIONS: self._open_lane(readers, read_s),
            Lane.DOOR: self._open_lane(DOOR_READERS, DOOR_READ_S),
        }
        self._writers = self._make_engine(WRITERS, {})
        self._writes: set[asyncio.Task[Any]] = set()

    async def read(self, work: Work[T], lane: Lane = Lane.QUESTIONS) -> T:
        return await persist(lambda: self._read(self._lanes[lane], work))

    async def write(self, work: Work[T]) -> T:
        # A cancelled caller returns at once; the transaction still ends.
        writing = asyncio.create_task(self._write(work))
        self._writes.add(writing)
        writing.add_done_callback(self._writes.discard)
        return await asyncio.shield(writing)

    async def close(self) -> None:
        await asyncio.gather(*self._writes, return_exceptions=True)
        for engine in (*(lane.engine for lane in self._lanes.values()), self._writers):
            await engine.dispose()

    def _open_lane(self, readers: int, read_s: float) -> "_PostgresReaders":
        engine = self._make_engine(readers, {**READING, "statement_timeout": f"{read_s * 1000:.0f}"})
        event.listen(engine.sync_engine, "before_cursor_execute", check_deadline)
        return _PostgresReaders(engine=engine, read_s=read_s)

    async def _read(self, readers: "_PostgresReaders", work: Work[T]) -> T:
        ends_at = time.monotonic() + readers.read_s

        def work_in_time(connection: Connection) -> T:
            set_deadline(connection, ends_at)
            return work(connection)

        with self._translated():
            try:
                async with asyncio.timeout(readers.read_s + GRACE_S), readers.engine.connect() as connection:
                    return await connection.run_sync(work_in_time)
            except builtins.TimeoutError as error:
                raise StoreSlow from error

    async def _write(self, work: Work[T]) -> T:
        with self._translated():
            for attempt in range(1, ATTEMPTS):
                try:
                    return await self._transact(work)
                except DBAPIError as error:
                    if not isinstance(_find_cause(error), conflict_errors()):
                        raise
                await asyncio.sleep(random.uniform(0, CONFLICT_PAUSE_S) * attempt)
            return await self._transact(work)

    async def _transact(self, work: Work[T]) -> T:
        async with self._writers.begin() as connection:
            return await connection.run_sync(work)

    def _make_engine(self, size: int, settings: dict[str, str]) -> AsyncEngine:
        url = self._place.url
        assert url is not None

        async def open_raw() -> RawConnection:
            return await connect(url, settings)

        return create_async_engine(
            "postgresql+asyncpg://",
            async_creator=open_raw,
            pool_size=size,
            max_overflow=0,
            pool_timeout=WAIT_S,
            # It is unknown whether a transaction was committed if its connection broke meanwhile: better find
            # out before it begins that the server has closed the connection.
            pool_pre_ping=True,
        )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise StoreBusy(f"{self._place} has too much to do at the moment; try again.") from error
        except DBAPIError as error:
            cause = _find_cause(error)
            if is_timeout(cause):
                raise StoreSlow from error
            raise translate(cause, str(self._place)) from error
        except foreign_errors() as error:
            raise translate(error, str(self._place)) from error


@record
class _PostgresReaders:
    engine: AsyncEngine
    read_s: float


def _find_cause(error: DBAPIError) -> BaseException:
    return (error.orig.__cause__ if error.orig is not None else None) or error
