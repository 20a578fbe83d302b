"""Whether a disk can be written: tried on the disk itself, as a store that cannot be written cannot say
so."""

import errno
import os
from enum import StrEnum
from pathlib import Path

# A batch of pages and its part of the log; with less, a batch fails soon.
LEAST_FREE_BYTES = 1_000_000
_PROBE_BYTES = 4096


class DiskTrouble(StrEnum):
    FULL = "full"  # or the quota of this user is used up
    READ_ONLY = "read_only"  # mounted so, or the system considers it broken
    FAILING = "failing"  # writing fails for another reason


_TROUBLES = {
    errno.ENOSPC: DiskTrouble.FULL,
    errno.EDQUOT: DiskTrouble.FULL,
    errno.EROFS: DiskTrouble.READ_ONLY,
    errno.EIO: DiskTrouble.FAILING,
    errno.EFBIG: DiskTrouble.FAILING,
    errno.ENXIO: DiskTrouble.FAILING,
    errno.ESTALE: DiskTrouble.FAILING,
    errno.ETIMEDOUT: DiskTrouble.FAILING,
}


def find_trouble(error: OSError) -> DiskTrouble | None:
    """None: it is not the disk that is at fault."""
    return _TROUBLES.get(error.errno or 0)


def probe_disk(folder: Path) -> DiskTrouble | None:
    """Write a few bytes there, and check how much space is left. None: it can be written, or this user may
    not write there and cannot find out."""
    try:
        if count_free_bytes(folder) < LEAST_FREE_BYTES:
            return DiskTrouble.FULL
        _write(folder / f".probe-{os.getpid()}-{os.urandom(4).hex()}")
    except OSError as error:
        return find_trouble(error)
    return None


def count_free_bytes(folder: Path) -> int:
    """For this user: root may use what is reserved for it."""
    found = os.statvfs(folder)
    if not found.f_blocks:
        return LEAST_FREE_BYTES  # a file system that does not count
    return (found.f_bfree if os.geteuid() == 0 else found.f_bavail) * found.f_frsize


def read_free_bytes(folder: Path) -> int | None:
    """The same; None: the system does not say."""
    try:
        return count_free_bytes(folder)
    except OSError:
        return None


def _write(path: Path) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        # At once: a process that is killed meanwhile leaves nothing behind.
        path.unlink()
        os.write(file, bytes(_PROBE_BYTES))
        os.fsync(file)
    finally:
        os.close(file)
