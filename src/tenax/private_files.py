"""Directories and files that are nobody else's business: what was crawled, and who crawled it."""

import os
import stat
import threading
from pathlib import Path
from typing import Final

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path) -> None:
    """With its parents, as far as they are missing. One that is there stays as it is."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=FOLDER_MODE, exist_ok=True)


def touch_file(path: Path) -> None:
    """Make it where it is missing, before somebody makes it who asks the umask."""
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, FILE_MODE))


def save_file(path: Path, content: bytes) -> None:
    """Whole and on the disk when this returns; whoever reads it meanwhile sees the one before."""
    part = _name_part(path)
    try:
        _write(part, content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def add_file(path: Path, content: bytes) -> None:
    """The same for one that is new: one that is there already, or comes at the same moment, stays."""
    part = _name_part(path)
    try:
        _write(part, content)
        path.hardlink_to(part)
    except FileExistsError:
        return
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def is_open_to_others(path: Path) -> bool:
    """To the group, or to everybody. One that cannot be looked at is not."""
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def _name_part(path: Path) -> Path:
    """Unique to this thread while it lives: threads of one process may write the same file at once."""
    return path.with_name(f".{path.name}.{threading.get_native_id()}.part")


def _write(path: Path, content: bytes) -> None:
    # A killed process may have left one under the same number.
    path.unlink(missing_ok=True)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
