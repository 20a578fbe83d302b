"""Files that get their name only when they are complete. The next writer of the same file removes the part
files that killed writers left behind. A lock on a part file shows that it is still being written.
"""

import contextlib
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

ALL_USERS: Final = 0o666


@contextlib.contextmanager
def replace_file(path: Path, *, mode: int = ALL_USERS, is_durable: bool = True) -> Iterator[BinaryIO]:
    """Write a file that replaces `path` once the block ends without an exception. `mode`: its permissions,
    before the umask. `is_durable`: it is on disk before it gets its name."""
    _remove_abandoned(path)
    part, file = _open_part(path, mode)
    try:
        with file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
            # The lock is still held, so that no other writer removes it as abandoned.
            part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def try_replacing(path: Path) -> None:
    """Raise OSError if `replace_file` could not write there now. The file itself stays as it is."""
    part, file = _open_part(path, ALL_USERS)
    file.close()
    part.unlink()


def _open_part(path: Path, mode: int) -> tuple[Path, BinaryIO]:
    while True:
        part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        file = os.fdopen(number, "wb")
        # Some network file systems have no locks. There, abandoned files stay.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        # Between creation and lock, another writer may have removed it as abandoned.
        if os.fstat(file.fileno()).st_nlink:
            return part, file
        file.close()


def _remove_abandoned(path: Path) -> None:
    ours = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{1,16}}\.part")
    with contextlib.suppress(OSError):
        for entry in os.scandir(path.parent):
            if ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


def _remove_if_abandoned(part: Path) -> None:
    """Raises OSError for a file that is being written, or belongs to another user."""
    file = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
    finally:
        os.close(file)
