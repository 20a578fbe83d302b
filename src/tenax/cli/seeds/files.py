"""Reads the lines of a seed list from a plain or compressed file or from standard input, in little memory."""

import contextlib
import gzip
import io
import os
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, cast

from tenax.errors import UsageError
from tenax.record import record

MAX_LINE_CHARS = 10_000
_BLOCK_BYTES = 1 << 16
# Lists of names shrink to a third. A file that unpacks to a hundred times its size is not a list.
BOMB_RATIO = 100
_BOMB_BYTES = 64_000_000  # below this size it does no harm
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others may need gigabytes to unpack


@record
class SeedFile:
    lines: Iterator[str | None]  # None: a line that is too long
    share_read: Callable[[], float | None]  # between 0 and 1; None: unknown


@contextlib.contextmanager
def open_list(file: Path) -> Iterator[SeedFile]:
    """Open a list; `-` is standard input. Compression is recognized by the first bytes. Raises UsageError,
    also while the lines are read."""
    with contextlib.ExitStack() as stack:
        try:
            packed = sys.stdin.buffer if str(file) == "-" else stack.enter_context(file.open("rb"))
            size = os.fstat(packed.fileno()).st_size if packed.seekable() else 0
            stream = _unpack(packed, file, stack)
        except io.UnsupportedOperation:
            size, stream = 0, packed  # without a file descriptor
        except OSError as error:
            raise _cannot_read(file, error) from error
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape")
        stack.callback(text.detach)
        yield SeedFile(
            lines=_iter_lines(text, file),
            share_read=lambda: min(packed.tell() / size, 1.0) if size else None,
        )


def _iter_lines(text: io.TextIOWrapper, file: Path) -> Iterator[str | None]:
    try:
        while line := text.readline(MAX_LINE_CHARS):
            if len(line) < MAX_LINE_CHARS or line[-1] == "\n":
                yield line
                continue
            while (more := text.readline(MAX_LINE_CHARS)) and more[-1] != "\n":
                pass
            yield None
    except OSError as error:
        raise _cannot_read(file, error) from error


def _cannot_read(file: Path, error: OSError) -> UsageError:
    return UsageError(f"Cannot read the file {file}: {error.strerror or error}.")


def _unpack(packed: IO[bytes], file: Path, stack: contextlib.ExitStack) -> IO[bytes]:
    start = packed.peek(4)[:4] if isinstance(packed, io.BufferedReader) else b""
    if start[:2] == b"\x1f\x8b":
        metered = cast(IO[bytes], _Metered(packed))
        return _guard(stack.enter_context(gzip.GzipFile(fileobj=metered, mode="rb")), metered, file)
    if start == b"PK\x03\x04":
        return _guard(_open_member(packed, file, stack), packed, file)
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise UsageError(f"The file {file} is not UTF-8 text.")
    return packed


def _open_member(packed: IO[bytes], file: Path, stack: contextlib.ExitStack) -> io.BufferedIOBase:
    if not packed.seekable():
        raise UsageError("A zip archive cannot be read from standard input or a pipe; unpack it first.")
    try:
        archive = stack.enter_context(zipfile.ZipFile(packed))
        members = [info for info in archive.infolist() if not info.is_dir()]
        if len(members) != 1:
            raise UsageError(f"The archive {file} holds {len(members)} files; it must hold only the list.")
        if members[0].compress_type not in _ZIP_METHODS or members[0].flag_bits & 1:
            raise UsageError(
                f"The archive {file} is encrypted or uses an unsupported compression; unpack it first."
            )
        return cast(io.BufferedIOBase, stack.enter_context(archive.open(members[0])))
    except zipfile.BadZipFile as error:
        raise UsageError(f"The archive {file} is damaged.") from error


def _guard(unpacked: io.BufferedIOBase, packed: IO[bytes], file: Path) -> IO[bytes]:
    return io.BufferedReader(cast(io.RawIOBase, _Unpacked(unpacked, packed, file)), _BLOCK_BYTES)


class _Metered:
    """Counts the bytes read: a pipe cannot tell its position."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._size = 0

    def read(self, size: int = -1) -> bytes:
        data = self._stream.read(size)
        self._size += len(data)
        return data

    def tell(self) -> int:
        return self._size


class _Unpacked(io.RawIOBase):
    """Stops reading an archive that is damaged or a decompression bomb."""

    def __init__(self, unpacked: io.BufferedIOBase, packed: IO[bytes], file: Path) -> None:
        self._unpacked = unpacked
        self._packed = packed
        self._file = file
        self._size = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        try:
            data = self._unpacked.read(len(buffer))
        except (EOFError, zlib.error, zipfile.BadZipFile, gzip.BadGzipFile) as error:
            raise UsageError(f"The archive {self._file} is damaged.") from error
        self._size += len(data)
        if self._size > _BOMB_BYTES and self._size > BOMB_RATIO * self._packed.tell():
            raise UsageError(
                f"The archive {self._file} unpacks to over {BOMB_RATIO} times its size: it is not a list."
            )
        buffer[: len(data)] = data
        return len(data)
