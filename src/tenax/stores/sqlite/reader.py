"""Opens a store file for reading only, through SQLAlchemy; for reports and exports.

Every block of statements between `commit`s is one snapshot. A long reader commits now and then, so that
the crawl's log (the WAL) can be written back and stays small.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from tenax.errors import StoreBusy, StoreDamaged, StoreError, StoreTooNew
from tenax.stores.migrations import REVISION
from tenax.stores.sqlite.database import BUSY_TIMEOUT_S, read_revision, refuse_foreign_file


@contextlib.contextmanager
def open_file(path: Path) -> Iterator[Connection]:
    """Raises StoreError with one sentence, also for what goes wrong while the context lasts."""
    refuse_missing(path)
    try:
        raw = connect(path)
        engine = create_engine("sqlite://", creator=lambda: raw, module=sqlite, poolclass=NullPool)
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        with contextlib.closing(raw), engine.connect() as connection:
            check_schema(raw, path)
            yield connection
    except sqlite.Error as error:
        raise translate(error, path) from error
    except DBAPIError as error:
        cause = error.orig
        raise translate(
            cause if isinstance(cause, sqlite.Error) else sqlite.Error(str(error)), path
        ) from error


def refuse_missing(path: Path) -> None:
    try:
        if path.stat().st_size > 0:
            return
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StoreError(f"Cannot read {path}: {error.strerror}.") from error
    raise StoreError(
        f"There is no crawl in {path.parent}. Start one with `tenax crawl URL --data {path.parent}`, "
        "or name its directory with --data."
    )


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
    found = read_revision(connection)
    if found == REVISION:
        return
    if found is None:
        refuse_foreign_file(connection, path)
        raise StoreDamaged(f"{path} holds no crawl yet. Start one with `tenax crawl`.")
    if found > REVISION:
        raise StoreTooNew(
            f"{path} was written by a newer Tenax (schema {found}, this one knows {REVISION}). "
            "Upgrade Tenax, or choose another --data directory."
        )
    raise StoreError(
        f"{path} was written by an older Tenax (schema {found}). Run `tenax crawl` with it once: "
        "that brings it up to date."
    )


def translate(error: sqlite.Error, path: Path) -> StoreError:
    # The low byte is the primary code; the rest names the detail.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite.SQLITE_NOTADB, sqlite.SQLITE_CORRUPT):
        return StoreDamaged(
            f"{path} is not a Tenax store or is damaged ({error}). "
            "Choose another --data directory, or restore the file from a backup."
        )
    if code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
        return StoreBusy(f"Another process holds {path} for longer than {BUSY_TIMEOUT_S:.0f} s.")
    if code in (sqlite.SQLITE_READONLY, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_PERM):
        return StoreError(
            f"Cannot read {path}: check its permissions. If its directory is read-only, copy the "
            "directory to a place where you may write."
        )
    return StoreError(f"The store {path} failed: {error}.")
