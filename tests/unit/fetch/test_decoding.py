import gzip
import zlib

import pytest

from tenax.fetch.decoding import DecodingError, find_decoder

TEXT = b"<p>Some words.</p>" * 500
ROOM = 1_000_000


def bare_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def decode(encoding: str, body: bytes, step: int = 1000, room: int = ROOM) -> tuple[bytes, bool]:
    decoder = find_decoder(encoding)
    assert decoder is not None
    pieces = [decoder.decode(body[i : i + step], room) for i in range(0, len(body), step)]
    return b"".join(pieces), decoder.is_complete


@pytest.mark.parametrize("step", [1, 7, 100_000])
@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", gzip.compress(TEXT)),
        ("GZIP", gzip.compress(TEXT)),
        ("x-gzip", gzip.compress(TEXT)),
        ("identity, gzip", gzip.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)),
        ("gzip", gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:])),
        ("gzip", gzip.compress(TEXT) + b"junk after the end"),
        ("gzip", gzip.compress(TEXT) + b"\x1f"),
        ("deflate", zlib.compress(TEXT) + b"junk"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_whole_stream_is_decoded_in_any_pieces(encoding: str, body: bytes, step: int) -> None:
    assert decode(encoding, body, step) == (TEXT, True)


def test_deflate_may_lack_its_wrapper() -> None:
    assert decode("deflate", bare_deflate(TEXT)) == (TEXT, True)


@pytest.mark.parametrize("encoding", ["", "identity", "none", " Identity , "])
def test_a_plain_body_needs_no_decoder(encoding: str) -> None:
    assert find_decoder(encoding) is None


@pytest.mark.parametrize("encoding", ["br", "zstd", "utf-8", "gzip, gzip", "gzip;q=1", "\0"])
def test_other_encodings_are_errors(encoding: str) -> None:
    with pytest.raises(DecodingError):
        find_decoder(encoding)


def test_a_stream_that_ends_early_is_not_complete() -> None:
    text, is_complete = decode("gzip", gzip.compress(TEXT)[:-1])
    assert (text, is_complete) == (TEXT, False)


@pytest.mark.parametrize(
    "body",
    [TEXT, gzip.compress(TEXT)[:-8] + bytes(8), b"\x1f\x8b\x09" * 9],
    ids=["plain", "checksum", "flags"],
)
def test_a_broken_stream_is_an_error(body: bytes) -> None:
    with pytest.raises(DecodingError):
        decode("gzip", body)


def test_no_more_than_one_byte_too_many_is_decoded() -> None:
    bomb = gzip.compress(bytes(10_000_000))
    assert len(decode("gzip", bomb, step=len(bomb), room=1000)[0]) == 1001


def test_endless_empty_members_are_an_error() -> None:
    with pytest.raises(DecodingError):
        decode("gzip", gzip.compress(b"") * 2000, step=16_384)
