"""One SQLite file behind asyncio: opens it and runs work in transactions."""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from pysqlite3 import dbapi2 as sqlite

from tenax import failpoints, profiling
from tenax.clock import MachineClock
from tenax.errors import StoreError
from tenax.private_files import make_folder, touch_file
from tenax.stores.clock import NOTE_EVERY_S, StoreClock
from tenax.stores.sqlite.connection.clock import find_anchor, note_time
from tenax.stores.sqlite.connection.errors import WRITING_DENIED, is_busy, translate
from tenax.stores.sqlite.schema.revision import prepare_schema, refuse_foreign_file

T = TypeVar("T")
Connection = sqlite.Connection

# Releases before this can corrupt a WAL that several connections write.
LEAST_SQLITE = (3, 51, 3)
BUSY_TIMEOUT_S = 30.0
BUSY_PAUSE_S = 0.01
# Between two attempts to begin a transaction while another process is in one. SQLite would sleep for up to
# 100 ms, and eight busy workers would wait for half of their time.
LOCK_PAUSE_S = 0.002
CACHE_BYTES = 40_000_000
_READER_SHARE = 5  # a fifth of it
# Pages of the log before they are moved into the file. A page that many batches change is moved once: at ten
# million urls this halves what is written, at the cost of a log of 64 MB.
CHECKPOINT_PAGES = 16_000


def _keep(value: T) -> T:
    return value


# For anything but a number, str or bytearray the driver searches for an adapter: 1 µs for each None and each
# bytes, about twelve per page. With adapters that keep the value, it needs a tenth of that: 3 % of a small
# page.
sqlite.register_adapter(type(None), _keep)
sqlite.register_adapter(bytes, _keep)


class SqliteDatabase:
    """One SQLite file, used from asyncio. Writes take turns; reads queue in a thread of their own."""

    def __init__(
        self,
        path: Path,
        clock: MachineClock,
        *,
        busy_timeout_s: float = BUSY_TIMEOUT_S,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self.path = path
        self._reader_cache_kb = cache_bytes // _READER_SHARE // 1024
        self._writer_cache_kb = cache_bytes // 1024 - self._reader_cache_kb
        self.clock = StoreClock(clock)
        self._note_at = 0.0
        self._locked_at = 0.0
        self._busy_timeout_s = busy_timeout_s
        self._writer_thread = ThreadPoolExecutor(1, "store-writer")
        self._reader_thread = ThreadPoolExecutor(1, "store-reader")
        self._turn = asyncio.Lock()
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
        async with self._turn:
            for thread, connection in (
                (self._reader_thread, self._reader),
                (self._writer_thread, self._writer),
            ):
                if connection is not None:
                    await loop.run_in_executor(thread, connection.close)
                thread.shutdown()
            self._reader = self._writer = None

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run `work` in one transaction: it is committed completely or not at all.

        Waiting for the disk happens in a thread, the work itself on the loop: SQLite releases the interpreter
        for every row, and two busy threads that hand it back and forth cost 15 % of CPU per page.
        """
        # A cancelled caller returns at once; the transaction still ends.
        return await asyncio.shield(self._write(work))

    async def read(self, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reader_thread, self._read, work)

    async def _write(self, work: Callable[[Connection], T]) -> T:
        loop = asyncio.get_running_loop()
        async with self._turn:
            await self._begin()
            try:
                with self._translated():
                    result = work(self._get_writer())
                    self._note_time()
                await loop.run_in_executor(self._writer_thread, self._commit)
            except BaseException:
                await loop.run_in_executor(self._writer_thread, self._roll_back)
                raise
            return result

    async def _begin(self) -> None:
        """Take the write lock of the file, on the loop. A thread would wait for it with less effort, but then
        hold it until the busy loop gets round to the rows: longer than the rows need."""
        started = time.perf_counter()
        until = started + self._busy_timeout_s
        with self._translated():
            while not self._try_begin(may_wait=time.perf_counter() < until):  # noqa: ASYNC110
                await asyncio.sleep(LOCK_PAUSE_S)
        self._locked_at = time.perf_counter()
        profiling.add_operation("store.wait", self._locked_at - started)

    def _try_begin(self, *, may_wait: bool) -> bool:
        try:
            self._get_writer().execute("BEGIN IMMEDIATE")
        except sqlite.OperationalError as error:
            if may_wait and is_busy(error):
                return False
            raise
        return True

    def _note_time(self) -> None:
        if (now := self.clock.now()) >= self._note_at:
            note_time(self._get_writer(), now)
            self._note_at = now + NOTE_EVERY_S

    def _commit(self) -> None:
        failpoints.reach("commit.before")
        started = time.perf_counter()
        self._execute("COMMIT")
        ended = time.perf_counter()
        profiling.add_operation("store.commit", ended - started)
        profiling.add_operation("store.locked", ended - self._locked_at)
        failpoints.reach("commit.after")

    def _roll_back(self) -> None:
        if self._get_writer().in_transaction:
            self._execute("ROLLBACK")

    def _execute(self, statement: str) -> None:
        with self._translated():
            self._get_writer().execute(statement)

    def _get_writer(self) -> Connection:
        assert self._writer is not None
        return self._writer

    def _read(self, work: Callable[[Connection], T]) -> T:
        assert self._reader is not None
        with self._translated():
            return work(self._reader)

    def _open(self) -> Connection:
        with self._translated(), contextlib.ExitStack() as on_error:
            make_folder(self.path.parent)
            # The log and its index get the mode of the file.
            with contextlib.suppress(OSError):
                touch_file(self.path)
            connection = self._connect()
            on_error.callback(connection.close)
            # First: turning on the WAL would change a file that is not ours.
            refuse_foreign_file(connection, self.path)
            configure(connection, self._writer_cache_kb, self._busy_timeout_s)
            prepare_schema(connection, self.path)
            self.clock.anchor(find_anchor(connection, self.clock.machine))
            connection.execute("PRAGMA busy_timeout=0")  # see _begin
            on_error.pop_all()
            return connection

    def _open_again(self) -> Connection:
        with self._translated(), contextlib.ExitStack() as on_error:
            connection = self._connect()
            on_error.callback(connection.close)
            configure(connection, self._reader_cache_kb, self._busy_timeout_s)
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
        connection.create_function("now_s", 0, self.clock.now)
        connection.create_function("wall_s", 0, self.clock.wall)
        connection.create_function("drift_s", 0, lambda: self.clock.drift_s)
        connection.create_function("since_s", 0, lambda: self.clock.since)
        return connection

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite.Error as error:
            raise translate(error, self.path, WRITING_DENIED) from error
        except OSError as error:
            raise StoreError(f"Cannot use {self.path}: {error.strerror}.") from error


def configure(connection: Connection, cache_kb: int, busy_timeout_s: float) -> None:
    turn_on_wal(connection, busy_timeout_s)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute(f"PRAGMA cache_size=-{cache_kb}")
    connection.execute(f"PRAGMA wal_autocheckpoint={CHECKPOINT_PAGES}")
    connection.execute("PRAGMA journal_size_limit=67108864")


def turn_on_wal(connection: Connection, busy_timeout_s: float) -> None:
    """Wait for another process that creates the same file, which SQLite does not do here."""
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite.OperationalError as error:
            if not is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(BUSY_PAUSE_S)
