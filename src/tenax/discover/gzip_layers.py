"""Unpacks gzip piece by piece, however much comes out of it. Servers compress compressed files again."""

import zlib
from collections.abc import Iterator
from typing import Final

GZIP: Final = b"\x1f\x8b"
MAX_LAYERS: Final = 2
PIECE_BYTES: Final = 65_536


class BadGzip(Exception):
    """The data cannot be unpacked; says why."""


def iter_plain(body: bytes) -> Iterator[bytes]:
    """The body in pieces, unpacked if it is compressed. Raises BadGzip, after what could be unpacked."""
    pieces = (body[start : start + PIECE_BYTES] for start in range(0, len(body), PIECE_BYTES))
    return _iter_unpacked(pieces, 0)


def _iter_unpacked(pieces: Iterator[bytes], layer: int) -> Iterator[bytes]:
    first = next(pieces, b"")
    while first and len(first) < len(GZIP) and (more := next(pieces, b"")):
        first += more
    if first[:2] != GZIP:
        yield first
        yield from pieces
    elif layer == MAX_LAYERS:
        raise BadGzip(f"it is compressed more than {MAX_LAYERS} times")
    else:
        yield from _iter_unpacked(_inflate(first, pieces), layer + 1)


def _inflate(first: bytes, others: Iterator[bytes]) -> Iterator[bytes]:
    """One layer. Members that follow each other count as one, as everywhere; padding is ignored."""
    stream = zlib.decompressobj(wbits=31)
    data = first
    while data:
        try:
            plain = stream.decompress(data, PIECE_BYTES)
        except zlib.error as error:
            raise BadGzip("its compressed data is broken") from error
        if plain:
            yield plain
        if stream.eof:
            data = stream.unused_data or next(others, b"")
            if data[:2] != GZIP:
                return
            stream = zlib.decompressobj(wbits=31)
        else:
            data = stream.unconsumed_tail or next(others, b"")
    raise BadGzip("its compressed data ends too early")
