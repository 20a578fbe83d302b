"""A store file for a server. See stores/access.py."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import Connection, Engine, QueuePool, create_engine, event
from sqlalchemy.exc import DBAPIError

from tenax.errors import StoreSlow
from tenax.record import record
from tenax.stores.access import DOOR_READ_S, DOOR_READERS, GRACE_S, Lane
from tenax.stores.deadlines import check_deadline, set_deadline
from tenax.stores.layout import STORE_NAME, refuse_missing
from tenax.stores.place import Place
from tenax.stores.reading import Work
from tenax.stores.secrets.sealing import Vault
from tenax.stores.sqlite.connection.database import BUSY_TIMEOUT_S, configure
from tenax.stores.sqlite.connection.errors import WRITING_DENIED, translate
from tenax.stores.sqlite.reader import check_schema, connect

T = TypeVar("T")

# Instructions of SQLite's virtual machine between two checks of the clock: about a millisecond.
LOOK_EVERY = 50_000
CACHE_KB = 8_000


@contextlib.asynccontextmanager
async def open_access(place: Place, readers: int, read_s: float) -> AsyncIterator["SqliteAccess"]:
    refuse_missing(place.folder)
    access = SqliteAccess(place.folder / STORE_NAME, readers, read_s)
    try:
        await access.read(lambda connection: None)
        yield access
    finally:
        await asyncio.to_thread(access.close)


@record
class _SqliteReaders:
    engine: Engine
    threads: ThreadPoolExecutor
    read_s: float


class SqliteAccess:
    """Access to a store file; everything that waits for the file does so in a thread."""

    def __init__(self, path: Path, readers: int, read_s: float) -> None:
        self.vault = Vault(path.parent)
        self._path = path
        self._lanes = {
            Lane.QUESTIONS: self._open_lane(Lane.QUESTIONS, readers, read_s),
            Lane.DOOR: self._open_lane(Lane.DOOR, DOOR_READERS, DOOR_READ_S),
        }
        self._writer = _make_engine(self._open_writer, 1, "BEGIN IMMEDIATE")
        self._writing = ThreadPoolExecutor(1, "access-writer")

    async def read(self, work: Work[T], lane: Lane = Lane.QUESTIONS) -> T:
        readers = self._lanes[lane]
        ends_at = time.monotonic() + readers.read_s
        loop = asyncio.get_running_loop()
        try:
            # A query that waits for a thread is withdrawn; one that runs ends by itself.
            async with asyncio.timeout(readers.read_s + GRACE_S):
                return await loop.run_in_executor(readers.threads, self._read, readers, work, ends_at)
        except TimeoutError as error:
            raise StoreSlow from error

    async def write(self, work: Work[T]) -> T:
        # A cancelled caller returns at once; the transaction still ends.
        return await asyncio.shield(
            asyncio.get_running_loop().run_in_executor(self._writing, self._write, work)
        )

    def close(self) -> None:
        lanes = [(lane.threads, lane.engine) for lane in self._lanes.values()]
        for threads, engine in (*lanes, (self._writing, self._writer)):
            threads.shutdown()
            engine.dispose()

    def _open_lane(self, lane: Lane, readers: int, read_s: float) -> _SqliteReaders:
        engine = _make_engine(self._open_reader, readers, "BEGIN")
        event.listen(engine, "before_cursor_execute", check_deadline)
        return _SqliteReaders(
            engine=engine, threads=ThreadPoolExecutor(readers, f"access-{lane}"), read_s=read_s
        )

    def _read(self, readers: _SqliteReaders, work: Work[T], ends_at: float) -> T:
        with self._translated(), readers.engine.connect() as connection, _deadline(connection, ends_at):
            return work(connection)

    def _write(self, work: Work[T]) -> T:
        with self._translated(), self._writer.begin() as connection:
            return work(connection)

    def _open_reader(self) -> sqlite.Connection:
        connection = connect(self._path)
        with _closed_on_error(connection):
            check_schema(connection, self._path)
            connection.execute(f"PRAGMA cache_size=-{CACHE_KB}")
        return connection

    def _open_writer(self) -> sqlite.Connection:
        connection = sqlite.connect(
            self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
        )
        with _closed_on_error(connection):
            check_schema(connection, self._path)
            configure(connection, CACHE_KB, BUSY_TIMEOUT_S)
        return connection

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite.Error as error:
            raise translate(error, self._path, WRITING_DENIED) from error
        except DBAPIError as error:
            cause = error.orig
            if getattr(cause, "sqlite_errorcode", None) == sqlite.SQLITE_INTERRUPT:
                raise StoreSlow from error
            known = cause if isinstance(cause, sqlite.Error) else sqlite.Error(str(error))
            raise translate(known, self._path, WRITING_DENIED) from error


def _make_engine(open_raw: Callable[[], sqlite.Connection], size: int, begin: str) -> Engine:
    engine = create_engine(
        "sqlite://", creator=open_raw, module=sqlite, poolclass=QueuePool, pool_size=size, max_overflow=0
    )
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


@contextlib.contextmanager
def _deadline(connection: Connection, ends_at: float) -> Iterator[None]:
    """End a query that takes too long: others wait for its thread."""
    raw = connection.connection.dbapi_connection
    assert raw is not None
    set_deadline(connection, ends_at)
    check_deadline(connection)
    raw.set_progress_handler(lambda: time.monotonic() > ends_at, LOOK_EVERY)
    try:
        yield
    finally:
        raw.set_progress_handler(None, 0)


@contextlib.contextmanager
def _closed_on_error(connection: sqlite.Connection) -> Iterator[None]:
    try:
        yield
    except BaseException:
        connection.close()
        raise
