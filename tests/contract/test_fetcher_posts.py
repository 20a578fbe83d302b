"""What is posted, and that the next request of the same handle is a GET again."""

from tenax.fetch.curl import CurlFetcher
from tenax.records.requests import Failure, Request, Response
from tests.support.fetching import PATIENT, expect_failure, fetch, play
from tests.support.hostile import Peer, hostile_origin

LONG = b"x" * 3_000_000


def echo(peer: Peer) -> None:
    """Answer with the length of what was posted."""
    while True:
        head, _, body = peer.read_request().partition(b"\r\n\r\n")
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        while len(body) < int(fields.get(b"Content-Length", 0)):
            body += peer.read_more()
        text = b"%d" % len(body)
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(text), text))


def post(url: str, body: bytes) -> Request:
    return Request(
        url=url, html_only=False, body=body, headers=(b"Content-Type: application/json", b"X-A: b")
    )


def test_a_body_is_posted_with_its_headers() -> None:
    with hostile_origin(echo) as origin:
        found = fetch(post(origin.url, b"{}"), PATIENT)
    assert isinstance(found, Response)
    assert found.body == b"2"
    lines = origin.requests[0].decode().split("\r\n")
    assert lines[0] == "POST / HTTP/1.1"
    assert {"Content-Type: application/json", "X-A: b", "Content-Length: 2"} <= set(lines)


def test_a_long_body_is_posted_without_asking_for_leave() -> None:
    with hostile_origin(echo) as origin:
        found = fetch(post(origin.url, LONG), PATIENT)
    assert isinstance(found, Response)
    assert found.body == str(len(LONG)).encode()
    assert b"Expect" not in origin.requests[0]


def test_an_empty_body_is_posted_too() -> None:
    with hostile_origin(echo) as origin:
        fetch(post(origin.url, b""), PATIENT)
    assert origin.requests[0].startswith(b"POST ")


def test_a_get_after_a_post_is_as_if_there_had_been_none() -> None:
    async def ask(fetcher: CurlFetcher) -> list[Response | Failure]:
        requests = (Request(url=url, html_only=False), post(url, b"{}"), Request(url=url, html_only=False))
        return [await fetcher.fetch(request) for request in requests]

    with hostile_origin(echo) as origin:
        url = origin.url
        play(ask, PATIENT)
    first, posted, last = origin.requests
    assert posted.startswith(b"POST ")
    assert last == first


def test_a_post_to_a_private_address_is_refused() -> None:
    with hostile_origin(echo) as origin:
        guarded = PATIENT.model_copy(update={"allow_private": False})
        failure = expect_failure(fetch(post(origin.url, b"{}"), guarded))
    assert failure.kind == "forbidden_address"
    assert origin.requests == []
