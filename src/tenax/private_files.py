"""Directories and files that only their owner may read, such as stores and logs."""

import os
import stat
import threading
from pathlib import Path
from typing import Final

FOLDER_MODE: Final = 0o700
FILE_MODE: Final = 0o600
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def make_folder(folder: Path) -> None:
    """Create a private directory and its missing parents. Existing directories stay as they are."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=FOLDER_MODE, exist_ok=True)


def touch_file(path: Path) -> None:
    """Create a private file if it is missing, before other code creates it with default permissions."""
    os.close(os.open(path, os.O_CREAT | os.O_RDONLY | os.O_CLOEXEC, FILE_MODE))


def save_file(path: Path, content: bytes) -> None:
    """Write a file atomically. It is on disk when this returns; until then readers see the old content."""
    part = _name_part(path)
    try:
        _write(part, content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    _sync_folder(path.parent)


def add_file(path: Path, content: bytes) -> None:
    """Like `save_file`, but never replace a file, even one that another process creates concurrently."""
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
    """Whether the group or all users have access. False if the file cannot be checked."""
    try:
        return bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return False


def _name_part(path: Path) -> Path:
    """A name that no other live thread uses: threads of one process may write the same file concurrently."""
    return path.with_name(f".{path.name}.{threading.get_native_id()}.part")


def _write(path: Path, content: bytes) -> None:
    # A killed process may have left a file of the same name.
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
