"""Frames: bodies as segments hold them. A frame is a zstd frame and nothing else, so that `zstd -d` reads a
whole segment.
"""

import hashlib
import threading

import zstandard

from tenax.errors import StoreError
from tenax.records.bodies import PackedBody

LARGEST_BODY = 1 << 30  # more is damage
_LARGEST_HEADS = 1 << 20
_LEVEL = 1
_SEPARATOR = b"\r\n\r\n"

_thread = threading.local()


class BodyDamaged(StoreError):
    """The stored body is damaged."""


def pack_body(body: bytes, heads: tuple[bytes, bytes]) -> PackedBody:
    """`heads`: of the request and of the response."""
    return PackedBody(
        digest=hashlib.sha256(body).digest(),
        frame=_compress(body),
        size=len(body),
        heads=_compress(_SEPARATOR.join(heads)),
    )


def unpack_body(frame: bytes, digest: bytes) -> bytes:
    """Raises BodyDamaged unless the frame holds exactly the body with this digest."""
    body = _decompress(frame, LARGEST_BODY)
    if hashlib.sha256(body).digest() != digest:
        raise BodyDamaged
    return body


def unpack_heads(packed: bytes) -> tuple[bytes, bytes]:
    """The heads of the request and of the response."""
    request, _, response = _decompress(packed, _LARGEST_HEADS).partition(_SEPARATOR)
    return request, response


def _compress(data: bytes) -> bytes:
    compressor = getattr(_thread, "compressor", None)
    if compressor is None:
        compressor = _thread.compressor = zstandard.ZstdCompressor(level=_LEVEL)
    packed: bytes = compressor.compress(data)
    return packed


def _decompress(data: bytes, most_bytes: int) -> bytes:
    try:
        # The library allocates what the frame claims, whatever limit it is given.
        if not 0 <= zstandard.frame_content_size(data) <= most_bytes:
            raise BodyDamaged
        unpacked: bytes = zstandard.ZstdDecompressor().decompress(data)
    except (zstandard.ZstdError, ValueError) as error:
        raise BodyDamaged from error
    return unpacked
