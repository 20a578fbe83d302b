"""What was sent and received before a body."""

from tenax.fetch.heads import format_heads

RECEIVED = [
    b"HTTP/1.1 103 Early Hints\r\n",
    b"Link: </a.css>\r\n",
    b"\r\n",
    b"HTTP/1.1 200 OK\r\n",
    b"Set-Cookie: a=1\r\n",
    b"Set-Cookie: b=2\r\n",
    b"\r\n",
    b"Trailer: no\r\n",
]


def test_heads_are_as_on_the_wire_and_without_secrets() -> None:
    sent, received = format_heads(
        "https://a.example:8443/b?c=d",
        "1.1",
        "tenax/1",
        [b"Accept: */*", b"Authorization: Bearer secret"],
        RECEIVED,
        [b"authorization"],
    )
    assert sent.split(b"\r\n") == [
        b"GET /b?c=d HTTP/1.1",
        b"Host: a.example:8443",
        b"User-Agent: tenax/1",
        b"Accept: */*",
        b"Authorization: ***",
    ]
    assert received.split(b"\r\n") == [b"HTTP/1.1 200 OK", b"Set-Cookie: a=1", b"Set-Cookie: b=2"]


def test_the_root_has_a_path() -> None:
    sent, _ = format_heads("http://a.example", "1.0", "x", [], [], [])
    assert sent.startswith(b"GET / HTTP/1.1\r\nHost: a.example\r\n")
