"""Frames: what comes out is what went in, or nothing."""

import contextlib
import hashlib

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from tenax.blobs.frames import BodyDamaged, pack_body, unpack_body, unpack_heads

HEADS = (b"GET / HTTP/1.1\r\nHost: a.example", b"HTTP/1.1 200 OK\r\nServer: x")


@given(st.binary(max_size=2000))
def test_a_body_comes_back(body: bytes) -> None:
    packed = pack_body(body, HEADS)
    assert unpack_body(packed.frame, packed.digest) == body
    assert (packed.digest, packed.size) == (hashlib.sha256(body).digest(), len(body))
    assert unpack_heads(packed.heads) == HEADS


def test_frames_in_a_row_are_one_file_that_zstd_reads() -> None:
    bodies = [b"first " * 50, b"", b"last"]
    joined = b"".join(pack_body(body, HEADS).frame for body in bodies)
    reader = zstandard.ZstdDecompressor().stream_reader(joined, read_across_frames=True)
    assert reader.read() == b"".join(bodies)


@given(st.data())
def test_a_damaged_frame_is_never_returned(data: st.DataObject) -> None:
    packed = pack_body(b"some body " * 30, HEADS)
    position = data.draw(st.integers(0, len(packed.frame) - 1))
    changed = bytearray(packed.frame)
    changed[position] ^= data.draw(st.integers(1, 255))
    for damaged in (bytes(changed), packed.frame[:position]):
        with contextlib.suppress(BodyDamaged):
            assert unpack_body(damaged, packed.digest) == b"some body " * 30


def test_another_body_is_not_returned() -> None:
    packed, other = pack_body(b"one", HEADS), pack_body(b"two", HEADS)
    with pytest.raises(BodyDamaged):
        unpack_body(other.frame, packed.digest)


def test_a_frame_that_claims_to_be_huge_is_refused() -> None:
    huge = bytes.fromhex("28b52ffda0ffffffff") + b"\x00" * 8
    with pytest.raises(BodyDamaged):
        unpack_body(huge, b"")
