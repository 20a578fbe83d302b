"""Translates SQLite's errors to those of Tenax, each a sentence that says what to do."""

from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.errors import StoreBusy, StoreDamaged, StoreError, StoreFailing, StoreFull, StoreReadOnly
from tenax.stores.disks import DiskTrouble, probe_disk
from tenax.wording import as_sentence

_DENIED = (sqlite.SQLITE_READONLY, sqlite.SQLITE_CANTOPEN, sqlite.SQLITE_PERM)
WRITING_DENIED = "Cannot write {path}: check that its directory is writable."
READING_DENIED = (
    "Cannot read {path}: check its permissions. If its directory is read-only, copy the directory to a place"
    " where you may write."
)


def translate(error: sqlite.Error, path: Path, denied: str) -> StoreError:
    """`denied`: what to say when the file may not be used; one of the sentences above."""
    # The low byte is the primary code; the rest is the detail.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in (sqlite.SQLITE_NOTADB, sqlite.SQLITE_CORRUPT):
        return StoreDamaged(
            f"{path} is not a Tenax store or is damaged ({error}). "
            "Choose another --data directory, or restore the file from a backup."
        )
    if code == sqlite.SQLITE_FULL:
        return describe_disk(DiskTrouble.FULL, path.parent)
    if code == sqlite.SQLITE_IOERR:
        return describe_disk(probe_disk(path.parent) or DiskTrouble.FAILING, path.parent, error)
    if is_busy(error):
        return StoreBusy(f"Another process holds {path} for too long; try again.")
    if code in _DENIED:
        if denied == WRITING_DENIED and probe_disk(path.parent) is DiskTrouble.READ_ONLY:
            return describe_disk(DiskTrouble.READ_ONLY, path.parent)
        return StoreError(denied.format(path=path))
    return StoreError(as_sentence(f"The store {path} failed: {error}"))


def is_busy(error: sqlite.Error) -> bool:
    """Another connection is in the way; later it may not be."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite.SQLITE_BUSY, sqlite.SQLITE_LOCKED)


def describe_disk(trouble: DiskTrouble, folder: Path, cause: Exception | None = None) -> StoreError:
    goes_on = "and the crawl continues where it stopped: nothing that was committed is lost."
    match trouble:
        case DiskTrouble.FULL:
            return StoreFull(f"The disk of {folder} is full. Free some space, {goes_on}")
        case DiskTrouble.READ_ONLY:
            return StoreReadOnly(f"The disk of {folder} is read-only. Make it writable again, {goes_on}")
        case DiskTrouble.FAILING:
            why = f" ({cause})" if cause is not None else ""
            return StoreFailing(f"The disk of {folder} fails{why}. Repair it, {goes_on}")
