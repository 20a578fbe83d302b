from hypothesis import given
from hypothesis import strategies as st

from tenax.fetch.decoding import DecodingError, find_decoder

ROOM = 1_000_000


def decode(encoding: str, body: bytes, step: int = 1000, room: int = ROOM) -> tuple[bytes, bool]:
    decoder = find_decoder(encoding)
    assert decoder is not None
    pieces = [decoder.decode(body[i : i + step], room) for i in range(0, len(body), step)]
    return b"".join(pieces), decoder.is_complete


@given(st.sampled_from(["gzip", "deflate"]), st.binary(max_size=200), st.integers(1, 50))
def test_random_bytes_are_decoded_or_refused(encoding: str, body: bytes, step: int) -> None:
    try:
        decode(encoding, body, step)
    except DecodingError:
        return
