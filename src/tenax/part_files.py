"""Files that take their name only when they are complete. What a killed writer leaves is removed by the next
one of the same file; a lock on the part tells whether anybody still writes it.
"""

import contextlib
import fcntl
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

ANYBODY: Final = 0o666


@contextlib.contextmanager
def replace_file(path: Path, *, mode: int = ANYBODY, is_durable: bool = True) -> Iterator[BinaryIO]:
    """`mode`: who may read it, less what the umask takes away. `is_durable`: it is on the disk when it takes
    its name."""
    _remove_abandoned(path)
    part, file = _open_part(path, mode)
    try:
        with file:
            yield file
            file.flush()
            if is_durable:
                os.fsync(file.fileno())
            # While the lock is held: nobody takes it for abandoned.
            part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _open_part(path: Path, mode: int) -> tuple[Path, BinaryIO]:
    while True:
        part = path.with_name(f".{path.name}.{os.urandom(4).hex()}.part")
        number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        file = os.fdopen(number, "wb")
        # Some network file systems know no locks: there, what is abandoned stays.
        with contextlib.suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        # Between its birth and the lock another writer may have taken it for abandoned.
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
    """Raises OSError for one that is being written, or is not ours."""
    file = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            part.unlink()
    finally:
        os.close(file)
