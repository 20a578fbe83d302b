"""The charset of a page: by its declaration, in forms that browsers accept, and by its bytes."""

import time

import pytest

from tenax.web.charsets import find_charset

UNCLOSED = [b"<meta ", b"<a b=", b'<a b="', b"<!--", b"<!", b"</", b"<meta charset=", b"= ", b"<a /", b"'\""]


@pytest.mark.parametrize("piece", UNCLOSED)
def test_a_head_that_never_ends_takes_no_time(piece: bytes) -> None:
    body = b"charset" + piece * 300_000
    started = time.process_time()
    for _ in range(10):
        find_charset(body[:1_000_000], "nonsense")
    assert time.process_time() - started < 2
