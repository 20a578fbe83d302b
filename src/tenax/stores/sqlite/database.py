"""Opens the file, checks what it is, runs work in transactions and translates SQLite's errors."""

import asyncio
import contextlib
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from pysqlite3 import dbapi2 as sqlite

from tenax import failpoints
from tenax.clock import Clock
from tenax.errors import StoreBusy, StoreDamaged, StoreError, StoreFull, StoreTooNew
from tenax.stores.migrations import REVISION, upgrade_sqlite

T = TypeVar("T")
Connection = sqlite.Connection

APPLICATION_ID = 0x54454E58  # "TENX"
# Releases before this can corrupt a WAL that several connections write.
LEAST_SQLITE = (3, 51, 3)
BUSY_TIMEOUT_S = 30.0
LEAST_FREE_BYTES = 1_000_000


class Database:
    """One SQLite file, used from asyncio. Writers queue in one thread, readers in another."""

    def __init__(self, path: Path, clock: Clock, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self.path = path
        self._clock = clock
        self._busy_timeout_s = busy_timeout_s
        self._writer_thread = ThreadPoolExecutor(1, "store-writer")
        self._reader_thread = ThreadPoolExecutor(1, "store-reader")
        self._writer: Connection | None = None
        self._reader: Connection | None = None

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        try:
            self._writer = await loop.run_in_executor(self._writer_thread, self._open)
            self._reader = await loop.run_in_executor(self._reader_thread, self._open_again)
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
        loop = asyncio.get_running_loop()
        for thread, connection in (
            (self._reader_thread, self._reader),
            (self._writer_thread, self._writer),
        ):
            if connection is not None:
                await loop.run_in_executor(thread, connection.close)
            thread.shutdown()
        self._reader = self._writer = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one transaction; it is committed, or nothing of it is."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writer_thread, self._in_transaction, work)

    async def read(self, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader_thread, self._read, work)

    def _in_transaction(self, work: Callable[[Connection], T]) -> T:
        connection = self._writer
        assert connection is not None
        with self._translated():
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = work(connection)
                failpoints.reach("commit.before")
                connection.execute("COMMIT")
                failpoints.reach("commit.after")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return result

    def _read(self, work: Callable[[Connection], T]) -> T:
        assert self._reader is not None
        with self._translated():
            return work(self._reader)

    def _open(self) -> Connection:
        with self._translated(), contextlib.ExitStack() as on_error:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = self._connect()
            on_error.callback(connection.close)
            # First of all: turning on the WAL would already change a file that is not ours.
            refuse_foreign_file(connection, self.path)
            configure(connection)
            prepare_schema(connection, self.path)
            on_error.pop_all()
            return connection

    def _open_again(self) -> Connection:
        with self._translated(), contextlib.ExitStack() as on_error:
            connection = self._connect()
            on_error.callback(connection.close)
            configure(connection)
            on_error.pop_all()
            return connection

    def _connect(self) -> Connection:
        if sqlite.sqlite_version_info < LEAST_SQLITE:
            raise StoreError(
                f"SQLite {sqlite.sqlite_version} can damage a file that several processes write; "
                "install pysqlite3 0.6.1 or newer."
            )
        connection = sqlite.connect(
            self.path, timeout=self._busy_timeout_s, isolation_level=None, check_same_thread=False
        )
        connection.create_function("now_s", 0, self._clock.now)
        return connection

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite.Error as error:
            raise self._translate(error) from error
        except OSError as error:
            raise StoreError(f"Cannot use {self.path}: {error.strerror}.") from error

    def _translate(self, error: sqlite.Error) -> StoreError:
        # The low byte is the primary code; the rest names the detail.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite.SQLITE_NOTADB, sqlite.SQLITE_CORRUPT):
            return StoreDamaged(
                f"{self.path} is not a Tenax store or is damaged ({error}). "
                "Choose another --data directory, or restore the file from a backup."
            )
        if code == sqlite.SQLITE_FULL or (code == sqlite.SQLITE_IOERR and self._is_disk_full()):
            return StoreFull(
                f"The disk of {self.path.parent} is full. Free some space and run the same command "
                "again: nothing that was committed is lost."
            )
        if code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
            return StoreBusy(f"Another process holds {self.path} for longer than {self._busy_timeout_s:g} s.")
        if code in (sqlite.SQLITE_READONLY, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_PERM):
            return StoreError(f"Cannot write {self.path}: check that its directory is writable.")
        return StoreError(f"The store {self.path} failed: {error}.")

    def _is_disk_full(self) -> bool:
        try:
            return shutil.disk_usage(self.path.parent).free < LEAST_FREE_BYTES
        except OSError:
            return False


def configure(connection: Connection) -> None:
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA cache_size=-65536")
    connection.execute("PRAGMA journal_size_limit=67108864")


def prepare_schema(connection: Connection, path: Path) -> None:
    """Create the schema in a new file, upgrade an older one, refuse a newer one."""
    found = read_revision(connection)
    if found == REVISION:
        return
    if found is None:
        create_schema(connection)
    elif found > REVISION:
        raise StoreTooNew(
            f"{path} was written by a newer Tenax (schema {found}, this one knows {REVISION}). "
            "Upgrade Tenax, or choose another --data directory."
        )
    else:
        upgrade_sqlite(path)


def read_revision(connection: Connection) -> str | None:
    """The schema's revision, None in a file without one."""
    has_table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    if not has_table:
        return None
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return row[0] if row else None


def refuse_foreign_file(connection: Connection, path: Path) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    # Asked in this order: a process that creates the store at the same time commits both at once.
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreDamaged(f"{path} is a database of another program. Choose another --data directory.")


def create_schema(connection: Connection) -> None:
    """Run the generated DDL: it spares the start-up the import of SQLAlchemy."""
    script = resources.files("tenax.stores.sqlite").joinpath("schema.sql").read_text()
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have created it while this one waited for the lock.
        if read_revision(connection) is None:
            for statement in script.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
