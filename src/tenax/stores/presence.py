"""Signs of life on one machine: a locked file per worker that dies with its process.

The file is mapped into memory, so what the worker records there (that it is alive, whose document it reads)
survives a kill -9 and costs no system call. A worker that can lock the file of another knows that the other
is dead, reads its notes and removes it.
"""

import contextlib
import errno
import fcntl
import mmap
import os
import struct
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from tenax.clock import Instant
from tenax.errors import StoreError, StoreFull, StoreReadOnly
from tenax.private_files import FILE_MODE, make_folder
from tenax.record import record
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.disks import DiskTrouble, find_trouble

_NOTES = struct.Struct("<dqq")  # last alive at, id of the url being read (0: none), exit code (0: none)
_OLD_NOTES = struct.Struct("<dq")  # without the exit code, of earlier versions
_ALIVE = struct.Struct("<d")
_READING = struct.Struct("<q")
_EXIT = struct.Struct("<q")
SUFFIX = ".alive"
UNBORN = ".new"
HEARD_S = 60.0  # a worker writes at least three times in a lease


class Presence:
    """Held by a worker while it lives."""

    def __init__(self, folder: Path, uuid: str) -> None:
        self._path = folder / f"{uuid}{SUFFIX}"
        self._file = -1
        self._notes: mmap.mmap | None = None

    def __enter__(self) -> Self:
        # Locked under another name, then renamed: an unlocked file is never visible.
        hidden = self._path.with_suffix(UNBORN)
        try:
            make_folder(self._path.parent)
            _remove_unborn(self._path.parent)
            self._create(hidden)
        except OSError as error:
            with contextlib.suppress(OSError):
                hidden.unlink()
            raise _translate(error, self._path.parent) from error
        return self

    def _create(self, hidden: Path) -> None:
        self._file = os.open(hidden, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, FILE_MODE)
        fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Written, not only extended: without space on the disk for the page, nothing could be recorded in it.
        os.write(self._file, bytes(_NOTES.size))
        self._notes = mmap.mmap(self._file, _NOTES.size)
        hidden.rename(self._path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """After a clean end the worker has given everything back itself; otherwise its file stays, unlocked,
        and the next worker removes it."""
        if self._notes is None:
            return
        if kind is None:
            self._path.unlink(missing_ok=True)
        self._notes.close()
        self._notes = None
        os.close(self._file)

    def note_alive(self, now: Instant) -> None:
        if self._notes is not None:
            _ALIVE.pack_into(self._notes, 0, now)

    def note_reading(self, url_id: int) -> None:
        """0 when nothing is being read."""
        if self._notes is not None:
            _READING.pack_into(self._notes, 8, url_id)

    def note_exit(self, code: int) -> None:
        if self._notes is not None:
            _EXIT.pack_into(self._notes, 16, code)

    def find_dead(self) -> list[DeadWorker]:
        """Their files stay until `forget` is called: they are first removed from the store."""
        try:
            paths = sorted(self._path.parent.glob(f"*{SUFFIX}"))
            return [dead for path in paths if path != self._path and (dead := _examine(path))]
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                return []  # without a descriptor nothing is visible; they are searched for again in a moment
            raise

    def forget(self, dead: DeadWorker) -> None:
        try:
            (self._path.parent / f"{dead.uuid}{SUFFIX}").unlink(missing_ok=True)
        except OSError as error:
            raise _translate(error, self._path.parent) from error


@record
class PresenceSigns:
    """uuids of workers that this machine knows to be alive or dead."""

    live: frozenset[str]
    dead: frozenset[str]

    def is_alive(self, uuid: str, heartbeat_at: Instant, now: Instant, heard_s: float = HEARD_S) -> bool:
        """Only the heartbeat of a worker on another machine is visible."""
        return uuid in self.live or (uuid not in self.dead and heartbeat_at > now - heard_s)


def find_signs(folder: Path) -> PresenceSigns:
    """No worker is visible in a folder where this user may not lock files."""
    live, dead = set(), set()
    with contextlib.suppress(OSError):
        for path in folder.glob(f"*{SUFFIX}"):
            if _examine(path) is not None:
                dead.add(path.name.removesuffix(SUFFIX))
            elif path.exists():
                live.add(path.name.removesuffix(SUFFIX))
    return PresenceSigns(live=frozenset(live), dead=frozenset(dead))


def _remove_unborn(folder: Path) -> None:
    """Remove files of workers that were killed before they renamed them. A recent one may still be
    renamed."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"*{UNBORN}"):
            if path.stat().st_mtime < time.time() - HEARD_S and _examine(path) is not None:
                path.unlink()


def _translate(error: OSError, folder: Path) -> StoreError:
    if find_trouble(error) is DiskTrouble.FULL:
        return StoreFull(f"The disk of {folder} is full. Free some space and run the same command again.")
    if find_trouble(error) is DiskTrouble.READ_ONLY:
        return StoreReadOnly(f"The disk of {folder} is read-only. Make it writable again.")
    return StoreError(f"Cannot use {folder}: {error.strerror}.")


def _open_to_lock(path: Path) -> int:
    try:
        # NFS locks only what may be written.
        return os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.EROFS:
            raise
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)


def _examine(path: Path) -> DeadWorker | None:
    try:
        file = _open_to_lock(path)
    except FileNotFoundError:
        return None
    with contextlib.closing(os.fdopen(file, "rb")):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return None
        notes = os.read(file, _NOTES.size)
    alive_at, url_id, code = _parse_notes(notes)
    return DeadWorker(
        uuid=path.name.removesuffix(SUFFIX),
        last_alive_at=alive_at,
        reading_url_id=url_id or None,
        exit_code=code or None,
    )


def _parse_notes(notes: bytes) -> tuple[float, int, int]:
    if len(notes) == _NOTES.size:
        return _NOTES.unpack(notes)
    return (*_OLD_NOTES.unpack(notes), 0) if len(notes) == _OLD_NOTES.size else (0.0, 0, 0)
