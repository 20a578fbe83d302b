"""What a fetcher keeps to, whatever the far side does."""

import asyncio
import gzip
import resource
from typing import Any

import pytest

from tenax.fetch.curl import CurlFetcher
from tenax.records.requests import Failure, FailureKind, Request
from tests.support import hostile
from tests.support.fetching import (
    LOCAL,
    PATIENT,
    USER_AGENT,
    expect_failure,
    expect_response,
    fetch,
    on_every_loop,
    play,
)
from tests.support.hostile import PAGE, Behavior, Peer, answer, hostile_origin, page

WAITING = 100


async def settle(fetcher: CurlFetcher) -> None:
    """Wait until nothing is owed, and long enough for a call too many."""
    for _ in range(500):
        await asyncio.sleep(0.01)
        if not fetcher.in_flight:
            break
    await asyncio.sleep(0.02)


# --- ordinary answers --------------------------------------------------------------------------


@on_every_loop
def test_a_page_comes_back_with_all_that_is_known_of_it(loop: str) -> None:
    with hostile_origin(page) as origin:
        response = expect_response(fetch(origin.url, loop=loop))
    assert (response.url, response.status, response.body) == (origin.url, 200, PAGE)
    assert response.headers["content-type"] == "text/html"
    assert (response.address, response.http_version) == ("127.0.0.1", "1.1")
    assert response.wire_bytes == len(PAGE)
    assert not response.is_truncated
    assert 0 < response.timings.connect_s <= response.timings.first_byte_s
    assert response.timings.first_byte_s <= response.timings.total_s < 10


def test_a_request_has_a_user_agent_and_accept_headers() -> None:
    with hostile_origin(page) as origin:
        fetch(origin.url + "a?b=c")
    lines = origin.requests[0].decode().split("\r\n")
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert f"User-Agent: {USER_AGENT}" in lines
    assert f"Host: 127.0.0.1:{origin.port}" in lines
    assert "Accept-Encoding: gzip, deflate" in lines
    names = {line.partition(":")[0].lower() for line in lines[1:] if line}
    assert names == {"host", "user-agent", "accept", "accept-encoding"}


def test_validators_are_sent_and_do_not_stay() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        await fetcher.fetch(Request(url=origin.url, etag='"v1"', last_modified="yesterday"))
        await fetcher.fetch(Request(url=origin.url))

    with hostile_origin(page) as origin:
        play(scenario)
    first, second = origin.requests
    assert b'If-None-Match: "v1"\r\n' in first
    assert b"If-Modified-Since: yesterday\r\n" in first
    assert b"If-" not in second


@pytest.mark.parametrize("etag", ['"a"\r\nX-Evil: 1', '"\0"', '"snow☃man"', "x" * 5000])
def test_a_validator_that_no_header_can_hold_is_left_out(etag: str) -> None:
    with hostile_origin(page) as origin:
        expect_response(fetch(Request(url=origin.url, etag=etag)))
    assert b"If-None-Match" not in origin.requests[0]
    assert b"Evil" not in origin.requests[0]


@pytest.mark.parametrize("status", ["301 Moved", "304 Not Modified", "404 Not Found", "503 Busy"])
def test_every_status_is_an_answer(status: str) -> None:
    behavior = answer(b"", status=status, headers=b"Location: /next\r\n")
    with hostile_origin(behavior) as origin:
        response = expect_response(fetch(origin.url))
    assert response.status == int(status[:3])
    assert response.headers["location"] == "/next"
    assert len(origin.requests) == 1


@on_every_loop
def test_connections_are_kept_and_used_again(loop: str) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(20):
            expect_response(await fetcher.fetch(Request(url=origin.url)))

    with hostile_origin(page) as origin:
        play(scenario, loop=loop)
    assert (len(origin.requests), origin.connections) == (20, 1)


def test_requests_without_a_response_do_not_use_up_idle_connections() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for number in range(WAITING):
            fetcher.start(Request(url=f"{silent.url}{number}"), lambda answer: None)
        for _ in range(20):
            expect_response(await fetcher.fetch(Request(url=origin.url)))

    with hostile_origin(hostile.stall_before_headers) as silent, hostile_origin(page) as origin:
        play(scenario, PATIENT, max_connections=10, concurrency=5)
    assert (len(origin.requests), origin.connections) == (20, 1)


@on_every_loop
def test_a_kept_connection_that_the_server_closed_does_no_harm(loop: str) -> None:
    def close_after_one(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n<")

    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(5):
            expect_response(await fetcher.fetch(Request(url=origin.url)))
            await asyncio.sleep(0.02)

    with hostile_origin(close_after_one) as origin:
        play(scenario, loop=loop)
    assert len(origin.requests) == 5


@on_every_loop
def test_many_requests_run_at_the_same_time(loop: str) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[Any]:
        requests = [Request(url=f"{origin.url}{i}") for i in range(200)]
        return await asyncio.gather(*map(fetcher.fetch, requests))

    with hostile_origin(page) as origin:
        answers = play(scenario, PATIENT, loop=loop)
    assert [expect_response(each).url for each in answers] == [f"{origin.url}{i}" for i in range(200)]


@on_every_loop
def test_a_large_page_comes_whole(loop: str) -> None:
    body = b"<p>" + bytes(range(1, 256)) * 20_000
    with hostile_origin(answer(body)) as origin:
        assert expect_response(fetch(origin.url, loop=loop)).body == body


def test_done_is_called_once_and_not_from_inside_start() -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        requests = [Request(url=origin.url), Request(url="http://127.0.0.1:1/")]
        for request in requests:
            fetcher.start(request, answers.append)
        assert (answers, fetcher.in_flight) == ([], 2)
        await settle(fetcher)
        return answers

    with hostile_origin(page) as origin:
        assert len(play(scenario)) == 2


def test_a_compressed_page_is_decoded() -> None:
    packed = gzip.compress(PAGE)
    headers = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n"
    with hostile_origin(answer(packed, headers=headers)) as origin:
        response = expect_response(fetch(origin.url))
    assert (response.body, response.wire_bytes) == (PAGE, len(packed))


# --- what is not wanted ------------------------------------------------------------------------


def test_a_body_that_is_not_html_is_not_downloaded() -> None:
    with hostile_origin(hostile.endless_pdf) as origin:
        response = expect_response(fetch(origin.url))
        assert origin.sent_bytes < 20_000_000
    assert (response.status, response.body) == (200, b"")
    assert response.headers["content-type"] == "application/pdf"


def test_a_truncated_request_keeps_what_came() -> None:
    with hostile_origin(hostile.endless_body) as origin:
        request = Request(url=origin.url, html_only=False, max_bytes=5000, truncate=True)
        response = expect_response(fetch(request))
    assert (len(response.body), response.is_truncated) == (5000, True)


# --- hostile origins ---------------------------------------------------------------------------

FAILURES: list[tuple[Behavior, FailureKind, bool]] = [
    (hostile.slow_headers, FailureKind.TIMEOUT, True),
    (hostile.stall_before_headers, FailureKind.TIMEOUT, True),
    (hostile.stall_after_headers, FailureKind.TIMEOUT, True),
    (hostile.slow_body, FailureKind.TIMEOUT, True),
    (hostile.endless_body, FailureKind.TOO_LARGE, False),
    (hostile.endless_chunks, FailureKind.TOO_LARGE, False),
    (hostile.short_body, FailureKind.RESET, True),
    (hostile.huge_headers, FailureKind.TOO_LARGE, False),
    (hostile.endless_header, FailureKind.TOO_LARGE, False),
    (hostile.endless_interim, FailureKind.TOO_LARGE, False),
    (hostile.stall_in_gzip, FailureKind.TIMEOUT, True),
    (hostile.truncated_gzip, FailureKind.ENCODING, True),
    (hostile.broken_gzip, FailureKind.ENCODING, False),
    (hostile.plain_as_gzip, FailureKind.ENCODING, False),
    (hostile.double_gzip, FailureKind.ENCODING, False),
    (hostile.gzip_bomb, FailureKind.TOO_LARGE, False),
    (hostile.garbage, FailureKind.PROTOCOL, True),
    (hostile.close_at_once, FailureKind.RESET, True),
    (hostile.reset_at_once, FailureKind.RESET, True),
    (hostile.reset_in_body, FailureKind.RESET, True),
]


@pytest.mark.parametrize(
    ("behavior", "kind", "is_transient"), FAILURES, ids=[case[0].__name__ for case in FAILURES]
)
def test_a_hostile_origin_is_a_failure_in_time_and_memory(
    behavior: Behavior, kind: FailureKind, is_transient: bool
) -> None:
    async def scenario(fetcher: CurlFetcher) -> Failure:
        failure = expect_failure(await fetcher.fetch(Request(url=bad.url)))
        expect_response(await fetcher.fetch(Request(url=good.url)))
        return failure

    settings = LOCAL.model_copy(update={"max_bytes": 1_000_000})
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with hostile_origin(behavior) as bad, hostile_origin(page) as good:
        failure = play(scenario, settings)
    assert (failure.kind, failure.is_transient) == (kind, is_transient)
    assert failure.elapsed_s < 10
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 60_000


def test_a_bomb_on_a_redirect_is_cut_and_the_redirect_is_an_answer() -> None:
    with hostile_origin(hostile.gzip_bomb_on_redirect) as origin:
        response = expect_response(fetch(origin.url))
    assert (response.status, response.headers["location"]) == (302, "/elsewhere")
    assert (len(response.body), response.is_truncated) == (65_536, True)


def test_an_error_that_stalls_in_its_body_is_an_answer() -> None:
    def stalling_error(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\n")
        peer.hang()

    with hostile_origin(stalling_error) as origin:
        response = expect_response(fetch(origin.url))
    assert (response.status, response.is_truncated) == (404, True)


def test_bytes_after_a_body_do_not_answer_the_next_request() -> None:
    async def scenario(fetcher: CurlFetcher) -> list[Any]:
        return [await fetcher.fetch(Request(url=origin.url)) for _ in range(3)]

    with hostile_origin(hostile.long_body) as origin:
        answers = play(scenario)
    assert [expect_response(each).body for each in answers] == [PAGE] * 3


def test_a_connection_is_not_used_again_after_an_abort() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(3):
            await fetcher.fetch(Request(url=origin.url))

    with hostile_origin(hostile.endless_pdf) as origin:
        play(scenario)
    assert origin.connections == 3


def test_the_deadline_of_a_request_wins_over_the_setting() -> None:
    settings = LOCAL.model_copy(update={"timeout_s": 30.0})
    with hostile_origin(hostile.stall_after_headers) as origin:
        failure = expect_failure(fetch(Request(url=origin.url, timeout_s=0.2), settings))
    assert failure.kind is FailureKind.TIMEOUT
    assert 0.15 < failure.elapsed_s < 10


def test_a_refused_connection_is_transient() -> None:
    failure = expect_failure(fetch("http://127.0.0.1:1/"))
    assert (failure.kind, failure.is_transient) == (FailureKind.CONNECT, True)


def test_leaving_aborts_what_runs() -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        fetcher.start(Request(url=origin.url), answers.append)
        await asyncio.sleep(0.05)
        await fetcher.__aexit__(None, None, None)
        return answers

    with hostile_origin(hostile.stall_before_headers) as origin:
        (aborted,) = play(scenario)
    failure = expect_failure(aborted)
    assert (failure.kind, failure.is_transient) == (FailureKind.RESET, True)
    assert failure.detail == "aborted"


def test_a_done_that_raises_does_not_take_others_with_it() -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        errors: list[object] = []

        def fail(answer: object) -> None:
            raise ValueError("a bug of the caller")

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: errors.append(context))
        for done in (fail, answers.append):
            fetcher.start(Request(url=origin.url), done)
        await settle(fetcher)
        assert len(errors) == 1
        return answers

    with hostile_origin(page) as origin:
        assert len(play(scenario)) == 1
