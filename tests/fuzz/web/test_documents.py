from hypothesis import given
from hypothesis import strategies as st

from tenax.web.documents import Document, parse_document

URL = "http://a.example/dir/page"


def parse(body: str | bytes, content_type: str | None = None, url: str = URL) -> Document:
    data = body.encode() if isinstance(body, str) else body
    return parse_document(data, url=url, content_type=content_type)


@given(st.binary(max_size=4096), st.sampled_from([None, "utf-8", "shift_jis", "utf-16", "x"]))
def test_random_bytes_never_raise(body: bytes, charset: str | None) -> None:
    assert parse(body, charset and f"text/html; charset={charset}").url == URL
