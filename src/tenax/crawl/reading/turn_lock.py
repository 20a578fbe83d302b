"""Whose turn it is on this machine to read a large document: a locked file that all readers of a user share,
of whichever crawl. The lock is gone when its process is, however that ends.
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
COURTESY_S = 3 * POLL_S  # whoever had the last turn lets the others try first
TELL_EVERY_S = 5.0
_HOLDER = struct.Struct("<qd")  # its process, and since when it has the turn


def find_file() -> Path:
    return Path(tempfile.gettempdir()) / f"tenax-{os.getuid()}" / "reader.lock"


class ReaderLock:
    """Of one reader."""

    def __init__(self, patience_s: float, path: Path | None = None) -> None:
        """`patience_s`: no document takes longer, or its reader would have been ended."""
        self._path = path or find_file()
        self._patience_s = patience_s
        self._file: int | None = None
        self._ended_at = 0.0

    def take(self, tell: Callable[[], None]) -> None:
        """Wait for the turn; `tell` is called now and then meanwhile.

        One who has it for too long sleeps with its worker, or that would have ended it: it is not waited for.
        Where there can be no such file nobody waits: a machine that is short of memory ends readers first.
        """
        with contextlib.suppress(OSError):
            self._file = _open(self._path)
            time.sleep(max(self._ended_at + COURTESY_S - time.monotonic(), 0.0))
            self._wait(self._file, tell)

    def end(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            os.close(file)
            self._ended_at = time.monotonic()

    def _wait(self, file: int, tell: Callable[[], None]) -> None:
        holder, told_at = b"", time.monotonic()
        since = told_at
        while not _lock(file):
            now = time.monotonic()
            if (seen := os.pread(file, _HOLDER.size, 0)) != holder:
                holder, since = seen, now
            elif now > since + self._patience_s:
                return
            if now >= told_at + TELL_EVERY_S:
                told_at = now
                tell()
            time.sleep(POLL_S)
        os.pwrite(file, _HOLDER.pack(os.getpid(), time.monotonic()), 0)


def _open(path: Path) -> int:
    """Raises OSError, also where somebody else has made the folder: it would not be ours alone."""
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
