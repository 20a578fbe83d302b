"""Segments as files of a directory. See base.py.

A writer holds a lock on its file that dies with its process: a file that can be locked has no writer.
"""

import contextlib
import errno
import fcntl
import os
from collections.abc import Sequence
from pathlib import Path

from tenax import failpoints
from tenax.blobs.base import BlobMissing
from tenax.errors import StoreError, StoreFull, StoreReadOnly
from tenax.private_files import FILE_MODE, make_folder

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


class LocalWriter:
    def __init__(self, path: Path, file: int) -> None:
        """`file`: open and locked."""
        self._path = path
        self._file = file
        self._size = os.fstat(file).st_size

    @property
    def key(self) -> str:
        return self._path.name

    @property
    def size(self) -> int:
        return self._size

    def append(self, frames: Sequence[bytes]) -> list[int]:
        positions, end = [], self._size
        for frame in frames:
            positions.append(end)
            end += len(frame)
        failpoints.reach("bodies.write")
        try:
            _write(self._file, b"".join(frames), self._size)
            failpoints.reach("bodies.written")
            os.fsync(self._file)
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise _translate(error, self._path) from error
        failpoints.reach("bodies.synced")
        self._size = end
        return positions

    def trim(self, size: int) -> None:
        try:
            if self._size > size:
                os.ftruncate(self._file, size)
                os.fsync(self._file)
                self._size = size
        except OSError as error:
            raise _translate(error, self._path) from error

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class LocalBlobs:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def create(self, key: str) -> LocalWriter:
        path = self._folder / key
        try:
            make_folder(self._folder)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _sync_folder(self._folder)
        except OSError as error:
            raise _translate(error, path) from error
        return LocalWriter(path, file)

    def take_over(self, key: str) -> LocalWriter | None:
        path = self._folder / key
        try:
            file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        except (FileNotFoundError, PermissionError):
            return None  # or it belongs to another user, who looks after it
        except OSError as error:
            raise _translate(error, path) from error
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return None
        return LocalWriter(path, file)

    def read(self, key: str, position: int, length: int) -> bytes:
        path = self._folder / key
        try:
            with path.open("rb", buffering=0) as file:
                file.seek(position)
                return file.read(length)
        except FileNotFoundError as error:
            raise BlobMissing(f"The file {path} with the body is missing.") from error
        except OSError as error:
            raise _translate(error, path) from error

    def find_size(self, key: str) -> int | None:
        try:
            return (self._folder / key).stat().st_size
        except FileNotFoundError:
            return None
        except OSError as error:
            raise _translate(error, self._folder / key) from error

    def remove(self, key: str) -> None:
        try:
            (self._folder / key).unlink(missing_ok=True)
        except OSError as error:
            raise _translate(error, self._folder / key) from error


def _write(file: int, data: bytes, position: int) -> None:
    view = memoryview(data)
    while view:
        written = os.pwrite(file, view, position)
        position += written
        view = view[written:]


def _sync_folder(folder: Path) -> None:
    """The name of a new file is as durable as its content."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _translate(error: OSError, path: Path) -> StoreError:
    folder = path.parent
    if error.errno in _FULL:
        return StoreFull(f"The disk of {folder} is full: no body can be stored. Free some space.")
    if error.errno == errno.EROFS:
        return StoreReadOnly(f"The disk of {folder} is read-only. Make it writable again.")
    return StoreError(f"Cannot use {path}: {error.strerror}.")
