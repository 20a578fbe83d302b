"""Whose turn it is on this machine to read a large document: a locked file that all readers of a system user
share, whatever crawl they belong to. The lock is released when its process ends, in any way.
"""

import contextlib
import fcntl
import os
import stat
import struct
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tenax.private_files import FILE_MODE, FOLDER_MODE

POLL_S = 0.02
COURTESY_S = 3 * POLL_S  # the reader that had the last turn lets the others try first
REPORT_EVERY_S = 5.0
_HOLDER = struct.Struct("<qd")  # its process, and since when it has had the turn


def find_file() -> Path:
    return Path(tempfile.gettempdir()) / f"tenax-{os.getuid()}" / "reader.lock"


class ReaderLock:
    """The lock, as one reader sees it."""

    def __init__(self, limit_s: float, path: Path | None = None) -> None:
        """`limit_s`: no turn takes longer, or its reader would have been killed."""
        self._path = path or find_file()
        self._limit_s = limit_s
        self._file: int | None = None
        self._ended_at = 0.0

    def take(self, report: Callable[[], None]) -> None:
        """Wait for the turn; `report` is called every few seconds until then.

        A holder that exceeds the limit is suspended together with its worker, which would have killed it
        otherwise: it is not waited for. Where the file cannot be created, no reader waits: a machine that is
        short of memory kills readers first.
        """
        with contextlib.suppress(OSError):
            self._file = _open(self._path)
            time.sleep(max(self._ended_at + COURTESY_S - time.monotonic(), 0.0))
            self._wait(self._file, report)

    def end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
            self._ended_at = time.monotonic()

    def _wait(self, file: int, report: Callable[[], None]) -> None:
        holder, reported_at = b"", time.monotonic()
        since = reported_at
        while not _lock(file):
            now = time.monotonic()
            if (seen := os.pread(file, _HOLDER.size, 0)) != holder:
                holder, since = seen, now
            elif now > since + self._limit_s:
                return
            if now >= reported_at + REPORT_EVERY_S:
                reported_at = now
                report()
            time.sleep(POLL_S)
        os.pwrite(file, _HOLDER.pack(os.getpid(), time.monotonic()), 0)


def _open(path: Path) -> int:
    """Raises OSError, also if the folder belongs to another user: it would not be ours alone."""
    with contextlib.suppress(FileExistsError):
        path.parent.mkdir(mode=FOLDER_MODE)
    found = path.parent.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(path.parent)
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, FILE_MODE)


def _lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
