"""Decoding of content encodings, piece by piece and up to a limit.

libcurl could decode, but it accepts a stream that ends early, and it fails on bytes after the end and on
several gzip members. Real servers send all of these.
"""

import zlib

ACCEPTED = "gzip, deflate"

_MAX_MEMBERS = 1000  # of a gzip stream; empty ones only cost time
_GZIP_MAGIC = b"\x1f\x8b"
_PLAIN = frozenset({"", "identity", "none"})  # "none" is not an encoding, but servers send it
_GZIP = frozenset({"gzip", "x-gzip"})


class DecodingError(Exception):
    """The body does not match its Content-Encoding."""


class Decoder:
    """Decodes one gzip or deflate stream."""

    __slots__ = ("_is_gzip", "_members", "_rest", "_stream")

    def __init__(self, *, is_gzip: bool) -> None:
        self._is_gzip = is_gzip
        self._members = 1
        self._rest = b""  # bytes after a member, too few to tell whether another one starts
        self._stream = zlib.decompressobj(31) if is_gzip else None

    @property
    def is_complete(self) -> bool:
        return self._stream is not None and self._stream.eof

    def decode(self, data: bytes, limit: int) -> bytes:
        """Decode at most `limit` + 1 bytes: the one byte beyond the limit tells the caller to stop."""
        pieces = []
        limit += 1
        while data and limit > 0:
            piece, data = self._decode_member(data, limit)
            pieces.append(piece)
            limit -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _decode_member(self, data: bytes, limit: int) -> tuple[bytes, bytes]:
        stream = self._stream
        if stream is None:
            stream = self._stream = zlib.decompressobj(_deflate_window(data))
        if stream.eof:
            return b"", self._next_member(data)
        try:
            piece = stream.decompress(data, limit)
        except zlib.error as error:
            raise DecodingError from error
        return piece, stream.unused_data

    def _next_member(self, data: bytes) -> bytes:
        """Return the bytes to decode after the end of a member; junk there is dropped."""
        data = self._rest + data
        if not self._is_gzip or not data.startswith(_GZIP_MAGIC[: len(data)]):
            return b""
        if len(data) < len(_GZIP_MAGIC):
            self._rest = data
            return b""
        self._rest = b""
        self._members += 1
        if self._members > _MAX_MEMBERS:
            raise DecodingError
        self._stream = zlib.decompressobj(31)
        return data


def find_decoder(content_encoding: str) -> Decoder | None:
    """Find the decoder for a Content-Encoding header; None for a plain body.

    Raises DecodingError for an unknown encoding and for several: servers that really encode twice are broken
    or hostile.
    """
    names = [name.strip().lower() for name in content_encoding.split(",")]
    names = [name for name in names if name not in _PLAIN]
    if not names:
        return None
    if len(names) == 1 and names[0] in _GZIP:
        return Decoder(is_gzip=True)
    if names == ["deflate"]:
        return Decoder(is_gzip=False)
    raise DecodingError


def looks_compressed(body: bytes) -> bool:
    return body.startswith(_GZIP_MAGIC)


def _deflate_window(data: bytes) -> int:
    """`deflate` means a zlib stream (RFC 9110), but some servers send a raw one."""
    return 15 if data[0] & 0x0F == 8 else -15
