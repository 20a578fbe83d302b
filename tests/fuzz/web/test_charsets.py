"""The charset of a page: by its declaration, in forms that browsers accept, and by its bytes."""

from hypothesis import given
from hypothesis import strategies as st

from tenax.web.charsets import find_charset, to_utf8

UNCLOSED = [b"<meta ", b"<a b=", b'<a b="', b"<!--", b"<!", b"</", b"<meta charset=", b"= ", b"<a /", b"'\""]


@given(
    st.lists(st.sampled_from([*UNCLOSED, b">", b"charset", b"utf-16", b"x", b"\xff", b"\x1b$B"]), max_size=40)
)
def test_any_bytes_have_a_charset_that_can_read_them(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    assert isinstance(to_utf8(body, find_charset(body, None, "http://a.cz/")).decode("utf-8", "replace"), str)
