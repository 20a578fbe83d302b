"""What every fetcher keeps to, whatever the far side does."""

import asyncio
import gzip
import resource
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
import uvloop
from tests.support import hostile
from tests.support.hostile import PAGE, Behaviour, Peer, answer, hostile_origin, page
from tests.support.nameserver import NXDOMAIN, SERVFAIL, Reply, name_server

from tenax.clock import Clock, SystemClock
from tenax.config import FetchSettings
from tenax.fetch import multi, poller
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.dns import Addresses, Resolver
from tenax.records import Failure, FailureKind, Request, Response

USER_AGENT = "tenax-test/1.0 (+https://example.com/bot)"
LOCAL = FetchSettings(allow_private=True, timeout_s=0.7, connect_timeout_s=0.5, dns_timeout_s=1.0)

Scenario = Callable[[CurlFetcher], Coroutine[Any, Any, Any]]


class MovedClock:
    def __init__(self) -> None:
        self.at = 1_000_000.0

    def now(self) -> float:
        return self.at


class Stage:
    """Plays a scenario with a fetcher on one kind of loop."""

    def __init__(self, new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
        self._new_loop = new_loop

    def play(self, scenario: Scenario, settings: FetchSettings = LOCAL, clock: Clock | None = None) -> Any:
        async def run() -> Any:
            async with CurlFetcher(settings, clock or SystemClock(), USER_AGENT) as fetcher:
                return await scenario(fetcher)

        with asyncio.Runner(loop_factory=self._new_loop) as runner:
            return runner.run(run())

    def fetch(self, request: Request | str, settings: FetchSettings = LOCAL) -> Any:
        asked = Request(url=request) if isinstance(request, str) else request
        return self.play(lambda fetcher: fetcher.fetch(asked), settings)


@pytest.fixture
def stage(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Stage:
    kind = getattr(request, "param", "uvloop")
    if kind == "without epoll":
        monkeypatch.setattr(multi, "make_poller", poller.LoopPoller)
    return Stage(asyncio.new_event_loop if kind == "asyncio" else uvloop.new_event_loop)


on_every_loop = pytest.mark.parametrize("stage", ["uvloop", "asyncio", "without epoll"], indirect=True)


def expect_failure(answer: object) -> Failure:
    assert isinstance(answer, Failure), answer
    assert answer.detail
    assert "\n" not in answer.detail
    return answer


def expect_response(answer: object) -> Response:
    assert isinstance(answer, Response), answer
    return answer


# --- ordinary answers --------------------------------------------------------------------------


@on_every_loop
def test_a_page_comes_back_with_all_that_is_known_of_it(stage: Stage) -> None:
    with hostile_origin(page) as origin:
        response = expect_response(stage.fetch(origin.url))
    assert (response.url, response.status, response.body) == (origin.url, 200, PAGE)
    assert response.headers["content-type"] == "text/html"
    assert (response.address, response.http_version) == ("127.0.0.1", "1.1")
    assert response.wire_bytes == len(PAGE)
    assert not response.is_truncated
    assert 0 < response.timings.connect_s <= response.timings.first_byte_s
    assert response.timings.first_byte_s <= response.timings.total_s < 1


def test_a_request_says_who_asks_and_what_for(stage: Stage) -> None:
    with hostile_origin(page) as origin:
        stage.fetch(origin.url + "a?b=c")
    lines = origin.requests[0].decode().split("\r\n")
    assert lines[0] == "GET /a?b=c HTTP/1.1"
    assert f"User-Agent: {USER_AGENT}" in lines
    assert f"Host: 127.0.0.1:{origin.port}" in lines
    assert "Accept-Encoding: gzip, deflate" in lines
    names = {line.partition(":")[0].lower() for line in lines[1:] if line}
    assert names == {"host", "user-agent", "accept", "accept-encoding"}


def test_validators_are_sent_and_do_not_stay(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        await fetcher.fetch(Request(url=origin.url, etag='"v1"', last_modified="yesterday"))
        await fetcher.fetch(Request(url=origin.url))

    with hostile_origin(page) as origin:
        stage.play(scenario)
    first, second = origin.requests
    assert b'If-None-Match: "v1"\r\n' in first
    assert b"If-Modified-Since: yesterday\r\n" in first
    assert b"If-" not in second


@pytest.mark.parametrize("etag", ['"a"\r\nX-Evil: 1', '"\0"', '"snow☃man"', "x" * 5000])
def test_a_validator_that_no_header_can_hold_is_left_out(stage: Stage, etag: str) -> None:
    with hostile_origin(page) as origin:
        expect_response(stage.fetch(Request(url=origin.url, etag=etag)))
    assert b"If-None-Match" not in origin.requests[0]
    assert b"Evil" not in origin.requests[0]


@pytest.mark.parametrize("status", ["301 Moved", "304 Not Modified", "404 Not Found", "503 Busy"])
def test_every_status_is_an_answer(stage: Stage, status: str) -> None:
    behaviour = answer(b"", status=status, headers=b"Location: /next\r\n")
    with hostile_origin(behaviour) as origin:
        response = expect_response(stage.fetch(origin.url))
    assert response.status == int(status[:3])
    assert response.headers["location"] == "/next"
    assert len(origin.requests) == 1


@on_every_loop
def test_connections_are_kept_and_used_again(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(20):
            expect_response(await fetcher.fetch(Request(url=origin.url)))

    with hostile_origin(page) as origin:
        stage.play(scenario)
    assert (len(origin.requests), origin.connections) == (20, 1)


@on_every_loop
def test_a_kept_connection_that_the_server_closed_does_no_harm(stage: Stage) -> None:
    def close_after_one(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n<")

    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(5):
            expect_response(await fetcher.fetch(Request(url=origin.url)))
            await asyncio.sleep(0.02)

    with hostile_origin(close_after_one) as origin:
        stage.play(scenario)
    assert len(origin.requests) == 5


@on_every_loop
def test_many_requests_run_at_the_same_time(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[Any]:
        requests = [Request(url=f"{origin.url}{i}") for i in range(200)]
        return await asyncio.gather(*map(fetcher.fetch, requests))

    with hostile_origin(page) as origin:
        answers = stage.play(scenario, LOCAL.model_copy(update={"timeout_s": 10.0}))
    assert [expect_response(each).url for each in answers] == [f"{origin.url}{i}" for i in range(200)]


@on_every_loop
def test_a_large_page_comes_whole(stage: Stage) -> None:
    body = b"<p>" + bytes(range(1, 256)) * 20_000
    with hostile_origin(answer(body)) as origin:
        assert expect_response(stage.fetch(origin.url)).body == body


def test_done_is_called_once_and_not_from_inside_start(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        requests = [Request(url=origin.url), Request(url="http://127.0.0.1:1/")]
        for request in requests:
            fetcher.start(request, answers.append)
        assert (answers, fetcher.in_flight) == ([], 2)
        while fetcher.in_flight:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return answers

    with hostile_origin(page) as origin:
        assert len(stage.play(scenario)) == 2


def test_a_compressed_page_is_decoded(stage: Stage) -> None:
    packed = gzip.compress(PAGE)
    headers = b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n"
    with hostile_origin(answer(packed, headers=headers)) as origin:
        response = expect_response(stage.fetch(origin.url))
    assert (response.body, response.wire_bytes) == (PAGE, len(packed))


# --- what is not wanted ------------------------------------------------------------------------


def endless_pdf(peer: Peer) -> None:
    peer.read_request()
    peer.send(b"HTTP/1.1 200 OK\r\nContent-Type: application/pdf\r\n\r\n")
    while True:
        peer.send(b"x" * 65_536)


def test_a_body_that_is_not_html_is_not_downloaded(stage: Stage) -> None:
    with hostile_origin(endless_pdf) as origin:
        response = expect_response(stage.fetch(origin.url))
        assert origin.sent_bytes < 20_000_000
    assert (response.status, response.body) == (200, b"")
    assert response.headers["content-type"] == "application/pdf"


def test_a_truncated_request_keeps_what_came(stage: Stage) -> None:
    with hostile_origin(hostile.endless_body) as origin:
        request = Request(url=origin.url, html_only=False, max_bytes=5000, truncate=True)
        response = expect_response(stage.fetch(request))
    assert (len(response.body), response.is_truncated) == (5000, True)


# --- hostile origins ---------------------------------------------------------------------------

FAILURES: list[tuple[Behaviour, FailureKind, bool]] = [
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
    ("behaviour", "kind", "is_transient"), FAILURES, ids=[case[0].__name__ for case in FAILURES]
)
def test_a_hostile_origin_is_a_failure_in_time_and_memory(
    stage: Stage, behaviour: Behaviour, kind: FailureKind, is_transient: bool
) -> None:
    async def scenario(fetcher: CurlFetcher) -> Failure:
        failure = expect_failure(await fetcher.fetch(Request(url=bad.url)))
        expect_response(await fetcher.fetch(Request(url=good.url)))
        return failure

    settings = LOCAL.model_copy(update={"max_bytes": 1_000_000})
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.monotonic()
    with hostile_origin(behaviour) as bad, hostile_origin(page) as good:
        failure = stage.play(scenario, settings)
    assert (failure.kind, failure.is_transient) == (kind, is_transient)
    assert time.monotonic() - began < 3
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 60_000


def test_a_bomb_on_a_redirect_is_cut_and_the_redirect_is_an_answer(stage: Stage) -> None:
    with hostile_origin(hostile.gzip_bomb_on_redirect) as origin:
        response = expect_response(stage.fetch(origin.url))
    assert (response.status, response.headers["location"]) == (302, "/elsewhere")
    assert (len(response.body), response.is_truncated) == (65_536, True)


def test_an_error_that_stalls_in_its_body_is_an_answer(stage: Stage) -> None:
    def stalling_error(peer: Peer) -> None:
        peer.read_request()
        peer.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\n")
        peer.hang()

    with hostile_origin(stalling_error) as origin:
        response = expect_response(stage.fetch(origin.url))
    assert (response.status, response.is_truncated) == (404, True)


def test_bytes_after_a_body_do_not_answer_the_next_request(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[Any]:
        return [await fetcher.fetch(Request(url=origin.url)) for _ in range(3)]

    with hostile_origin(hostile.long_body) as origin:
        answers = stage.play(scenario)
    assert [expect_response(each).body for each in answers] == [PAGE] * 3


def test_a_connection_is_not_used_again_after_an_abort(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for _ in range(3):
            await fetcher.fetch(Request(url=origin.url))

    with hostile_origin(endless_pdf) as origin:
        stage.play(scenario)
    assert origin.connections == 3


def test_the_deadline_of_a_request_wins_over_the_setting(stage: Stage) -> None:
    settings = LOCAL.model_copy(update={"timeout_s": 30.0})
    with hostile_origin(hostile.stall_after_headers) as origin:
        failure = expect_failure(stage.fetch(Request(url=origin.url, timeout_s=0.2), settings))
    assert failure.kind is FailureKind.TIMEOUT
    assert 0.15 < failure.elapsed_s < 1


def test_a_refused_connection_is_transient(stage: Stage) -> None:
    failure = expect_failure(stage.fetch("http://127.0.0.1:1/"))
    assert (failure.kind, failure.is_transient) == (FailureKind.CONNECT, True)


def test_leaving_aborts_what_runs(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        fetcher.start(Request(url=origin.url), answers.append)
        await asyncio.sleep(0.05)
        await fetcher.__aexit__(None, None, None)
        return answers

    with hostile_origin(hostile.stall_before_headers) as origin:
        (aborted,) = stage.play(scenario)
    failure = expect_failure(aborted)
    assert (failure.kind, failure.is_transient) == (FailureKind.RESET, True)
    assert failure.detail == "aborted"


def test_a_done_that_raises_does_not_take_others_with_it(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[object]:
        answers: list[object] = []
        errors: list[object] = []

        def fail(answer: object) -> None:
            raise ValueError("a bug of the caller")

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda loop, context: errors.append(context))
        for done in (fail, answers.append):
            fetcher.start(Request(url=origin.url), done)
        while fetcher.in_flight:
            await asyncio.sleep(0.01)
        assert len(errors) == 1
        return answers

    with hostile_origin(page) as origin:
        assert len(stage.play(scenario)) == 1


# --- names and addresses -----------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "app.localhost", "[::1]", "[::ffff:7f00:1]"])
def test_loopback_is_refused_by_default(stage: Stage, host: str) -> None:
    with hostile_origin(page) as origin:
        failure = expect_failure(stage.fetch(f"http://{host}:{origin.port}/", FetchSettings()))
    assert (failure.kind, failure.is_transient) == (FailureKind.FORBIDDEN_ADDRESS, False)
    assert origin.connections == 0


def test_the_users_own_address_passes_the_guard_too(stage: Stage) -> None:
    settings = FetchSettings(resolve=("shop.example:127.0.0.1",))
    with hostile_origin(page) as origin:
        failure = expect_failure(stage.fetch(f"http://shop.example:{origin.port}/", settings))
    assert failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert "127.0.0.1" not in failure.detail


def test_the_users_own_address_is_dialled_under_the_hosts_name(stage: Stage) -> None:
    settings = LOCAL.model_copy(update={"resolve": ("*:127.0.0.1",)})
    with hostile_origin(page) as origin:
        expect_response(stage.fetch(f"http://shop.example:{origin.port}/", settings))
    assert f"Host: shop.example:{origin.port}".encode() in origin.requests[0]


def test_one_forbidden_address_forbids_the_host(stage: Stage) -> None:
    settings = FetchSettings(resolve=("a.example:198.41.0.4", "a.example:10.0.0.1"))
    failure = expect_failure(stage.fetch("http://a.example/", settings))
    assert failure.kind is FailureKind.FORBIDDEN_ADDRESS


def test_the_socket_itself_is_guarded(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first check is made blind: the one in the socket callback must still hold."""
    monkeypatch.setattr(CurlFetcher, "_check", lambda self, addresses: None)
    with hostile_origin(page) as origin:
        failure = expect_failure(stage.fetch(origin.url, FetchSettings()))
    assert (failure.kind, failure.is_transient) == (FailureKind.FORBIDDEN_ADDRESS, False)
    assert origin.connections == 0


def test_a_name_that_is_rebound_to_a_private_address_is_refused(stage: Stage) -> None:
    """A public address first, the private one as soon as the first is not trusted any more."""

    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(ips=["198.41.0.4" if times == 0 else "127.0.0.1"])

    clock = MovedClock()

    async def scenario(fetcher: CurlFetcher) -> list[Failure]:
        request = Request(url=f"http://rebind.example:{origin.port}/", timeout_s=0.2)
        first = expect_failure(await fetcher.fetch(request))
        clock.at += 31
        return [first, expect_failure(await fetcher.fetch(request))]

    with name_server(zone) as server, hostile_origin(page) as origin:
        settings = FetchSettings(dns_servers=(server.address,), connect_timeout_s=0.1)
        monkey = pytest.MonkeyPatch()
        with monkey.context() as patch:
            patch.setattr("socket.socket.connect", lambda *args: None)
            first, second = stage.play(scenario, settings, clock)
    assert first.kind is not FailureKind.FORBIDDEN_ADDRESS
    assert second.kind is FailureKind.FORBIDDEN_ADDRESS
    assert origin.connections == 0


def test_new_addresses_of_a_host_are_dialled_and_kept_connections_used(stage: Stage) -> None:
    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(ips=["127.0.0.1" if times == 0 else "127.0.0.2"])

    clock = MovedClock()

    async def scenario(fetcher: CurlFetcher) -> list[str]:
        seen = []
        for path in ("", "", "close", ""):
            url = f"http://moving.example:{origin.port}/{path}"
            seen.append(expect_response(await fetcher.fetch(Request(url=url))).address)
            clock.at += 31
        return seen

    def behave(peer: Peer) -> None:
        while True:
            request = peer.read_request()
            peer.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n")
            if request.startswith(b"GET /close"):
                peer.send(b"Connection: close\r\n\r\n<")
                return
            peer.send(b"\r\n<")

    with name_server(zone) as server, hostile_origin(behave, "0.0.0.0") as origin:
        settings = LOCAL.model_copy(update={"dns_servers": (server.address,)})
        seen = stage.play(scenario, settings, clock)
    assert seen == ["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"]


@pytest.mark.parametrize(
    ("code", "kind", "is_transient"),
    [
        (NXDOMAIN, FailureKind.NO_SUCH_HOST, False),
        (SERVFAIL, FailureKind.DNS, True),
    ],
)
def test_a_name_without_an_address_is_a_failure(
    stage: Stage, code: int, kind: FailureKind, is_transient: bool
) -> None:
    with name_server(lambda name, kind, times: Reply(code=code)) as server:
        settings = LOCAL.model_copy(update={"dns_servers": (server.address,)})
        failure = expect_failure(stage.fetch("http://no.example/", settings))
    assert (failure.kind, failure.is_transient) == (kind, is_transient)


def test_requests_of_a_host_that_is_looked_up_wait_for_the_same_answer(stage: Stage) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        url = f"http://one.example:{origin.port}/"
        answers = await asyncio.gather(*(fetcher.fetch(Request(url=url)) for _ in range(20)))
        assert all(expect_response(each).timings.dns_s > 0 for each in answers)

    with name_server(lambda *_: Reply(ips=["127.0.0.1"])) as server, hostile_origin(page) as origin:
        stage.play(scenario, LOCAL.model_copy(update={"dns_servers": (server.address,)}))
    assert sum(server.asked.values()) == 2


def test_libcurl_never_looks_a_name_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pin that libcurl does not have must end in a failure, not in a look-up of its own."""
    monkeypatch.setattr(CurlFetcher, "_pin", lambda self, url, addresses: [])
    failure = expect_failure(stage.fetch("http://localhost:1/"))
    assert failure.kind is FailureKind.DNS


def test_the_environments_proxy_is_not_used(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with hostile_origin(page) as origin:
        expect_response(stage.fetch(origin.url))


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///etc/passwd", "http://127.0.0.1:1/\n"])
def test_what_is_no_web_address_is_a_failure(stage: Stage, url: str) -> None:
    expect_failure(stage.fetch(url))
