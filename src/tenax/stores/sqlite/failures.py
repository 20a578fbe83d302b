"""SQLite's errors as those of Tenax, each a sentence with the way out."""

import shutil
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.errors import StoreBusy, StoreDamaged, StoreError, StoreFull

LEAST_FREE_BYTES = 1_000_000

_DENIED = (sqlite.SQLITE_READONLY, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_PERM)
WRITING_DENIED = "Cannot write {path}: check that its directory is writable."
READING_DENIED = (
    "Cannot read {path}: check its permissions. If its directory is read-only, copy the directory to a place"
    " where you may write."
)


def translate(error: sqlite.Error, path: Path, denied: str) -> StoreError:
    """`denied`: what to say when the file may not be used; one of the sentences above."""
    # The low byte is the primary code; the rest names the detail.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite.SQLITE_NOTADB, sqlite.SQLITE_CORRUPT):
        return StoreDamaged(
            f"{path} is not a Tenax store or is damaged ({error}). "
            "Choose another --data directory, or restore the file from a backup."
        )
    if code == sqlite.SQLITE_FULL or (code == sqlite.SQLITE_IOERR and _is_disk_full(path)):
        return StoreFull(
            f"The disk of {path.parent} is full. Free some space, and the crawl goes on where it was: "
            "nothing that was committed is lost."
        )
    if code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED):
        return StoreBusy(f"Another process holds {path} for too long; try again.")
    if code in _DENIED:
        return StoreError(denied.format(path=path))
    return StoreError(f"The store {path} failed: {error}.")


def _is_disk_full(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < LEAST_FREE_BYTES
    except OSError:
        return False
