"""Opens a store file for reading only, through SQLAlchemy; for reports and exports.

Every block of statements between `commit`s is one snapshot. A long reader commits from time to time, so that
the crawl's log (the WAL) can be written back and stays small.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tenax.clock import Instant, SystemClock
from tenax.errors import StoreDamaged, StoreError
from tenax.stores.contracts.overview import ForeignTransaction
from tenax.stores.layout import STORE_NAME, refuse_missing
from tenax.stores.place import Place
from tenax.stores.reading import Work
from tenax.stores.schema.migrations import REVISION
from tenax.stores.sqlite.connection.database import BUSY_TIMEOUT_S
from tenax.stores.sqlite.connection.errors import READING_DENIED, translate
from tenax.stores.sqlite.schema.identity import format_identity
from tenax.stores.sqlite.schema.revision import read_revision, refuse_foreign_file, refuse_newer

T = TypeVar("T")


def read(place: Place, work: Work[T]) -> T:
    refuse_missing(place.folder)
    with open_file(place.folder / STORE_NAME) as connection:
        return work(connection)


def measure(place: Place, connection: Connection) -> int:
    """Including the file's log."""
    total = 0
    for path in place.folder.glob(f"{STORE_NAME}*"):
        with contextlib.suppress(FileNotFoundError):
            total += path.stat().st_size
    return total


def tell_time(connection: Connection) -> Instant:
    return SystemClock().wall()


def tell_store_time(connection: Connection) -> Instant:
    machine = SystemClock()
    found = text("SELECT offset_s FROM store_clock WHERE name = :boot")
    offset_s = connection.execute(found, {"boot": machine.boot}).scalar()
    # The store was not used since the machine was started.
    return machine.wall() if offset_s is None else machine.uptime() + float(offset_s)


def find_foreign(place: Place, connection: Connection) -> ForeignTransaction | None:
    return None


def identify(place: Place, connection: Connection) -> str | None:
    number = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    return format_identity(place.folder / STORE_NAME, number) if number else None


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[Connection]:
    """Raises StoreError with one sentence, also for errors while the context lasts."""
    try:
        raw = connect(path)
        engine = create_engine("sqlite://", creator=lambda: raw, module=sqlite, poolclass=NullPool)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        with contextlib.closing(raw), engine.connect() as connection:
            check_schema(raw, path)
            yield connection
    except sqlite.Error as error:
        raise translate(error, path, READING_DENIED) from error
    except DBAPIError as error:
        cause = error.orig
        known = cause if isinstance(cause, sqlite.Error) else sqlite.Error(str(error))
        raise translate(known, path, READING_DENIED) from error


def connect(path: Path) -> sqlite.Connection:
    try:
        return _connect(path, "mode=ro")
    except sqlite.OperationalError:
        # Reading a WAL needs its -shm file, which a read-only directory does not let us create. With
        # nothing in the WAL the file alone is the whole store.
        if _has_log(path):
            raise
        return _connect(path, "mode=ro&immutable=1")


def _connect(path: Path, options: str) -> sqlite.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{options}"
    connection = sqlite.connect(
        uri, uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except sqlite.Error:
        connection.close()
        raise
    return connection


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def check_schema(connection: sqlite.Connection, path: Path) -> None:
    refuse_foreign_file(connection, path)
    found = read_revision(connection)
    if found == REVISION:
        return
    if found is None:
        raise StoreDamaged(f"{path} holds no crawl yet. Start one with 'tenax crawl'.")
    refuse_newer(found, path)
    raise StoreError(
        f"{path} was written by an older Tenax (schema {found}). Run 'tenax crawl' with it once: "
        "that brings it up to date."
    )
