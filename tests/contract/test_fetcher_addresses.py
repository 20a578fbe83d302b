"""A fetcher dials only addresses that it looked up itself and that the guard has passed."""

import asyncio
from typing import Any

import pytest

from tenax.config.fetch import FetchSettings
from tenax.fetch import curl, guard
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.guard import is_forbidden
from tenax.records.requests import FailureKind, Request
from tests.support.clock import FakeClock
from tests.support.fetching import LOCAL, PATIENT, expect_failure, expect_response, fetch, play
from tests.support.hostile import Peer, hostile_origin, page
from tests.support.nameserver import NXDOMAIN, SERVFAIL, Reply, name_server


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "app.localhost", "[::1]", "[::ffff:7f00:1]"])
def test_loopback_is_refused_by_default(host: str) -> None:
    with hostile_origin(page) as origin:
        failure = expect_failure(fetch(f"http://{host}:{origin.port}/", FetchSettings()))
    assert (failure.kind, failure.is_transient) == (FailureKind.FORBIDDEN_ADDRESS, False)
    assert origin.connections == 0


def test_the_users_own_address_passes_the_guard_too() -> None:
    settings = FetchSettings(resolve=("shop.example:127.0.0.1",))
    with hostile_origin(page) as origin:
        failure = expect_failure(fetch(f"http://shop.example:{origin.port}/", settings))
    assert failure.kind is FailureKind.FORBIDDEN_ADDRESS
    assert "127.0.0.1" not in failure.detail


def test_the_users_own_address_is_dialled_under_the_hosts_name() -> None:
    settings = LOCAL.model_copy(update={"resolve": ("*:127.0.0.1",)})
    with hostile_origin(page) as origin:
        expect_response(fetch(f"http://shop.example:{origin.port}/", settings))
    assert f"Host: shop.example:{origin.port}".encode() in origin.requests[0]


def test_one_forbidden_address_forbids_the_host() -> None:
    settings = FetchSettings(resolve=("a.example:198.41.0.4", "a.example:10.0.0.1"))
    failure = expect_failure(fetch("http://a.example/", settings))
    assert failure.kind is FailureKind.FORBIDDEN_ADDRESS


def test_the_socket_itself_is_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first check is made blind: the one in the socket callback must still hold."""
    monkeypatch.setattr(CurlFetcher, "_check", lambda self, addresses: None)
    with hostile_origin(page) as origin:
        failure = expect_failure(fetch(origin.url, FetchSettings()))
    assert (failure.kind, failure.is_transient) == (FailureKind.FORBIDDEN_ADDRESS, False)
    assert origin.connections == 0


def test_a_name_that_is_rebound_to_a_private_address_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A good address first (loopback, for once), a private one at the next look-up."""

    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(ips=["127.0.0.1" if times == 0 else "10.0.0.1"])

    async def scenario(fetcher: CurlFetcher) -> tuple[Any, Any]:
        request = Request(url=f"http://rebind.example:{origin.port}/")
        first = await fetcher.fetch(request)
        clock.advance(31)
        return first, await fetcher.fetch(request)

    def spare_loopback(address: str) -> str | None:
        return None if address == "127.0.0.1" else is_forbidden(address)

    monkeypatch.setattr(guard, "is_forbidden", spare_loopback)
    clock = FakeClock()
    with name_server(zone) as server, hostile_origin(page) as origin:
        first, second = play(scenario, FetchSettings(dns_servers=(server.address,)), clock=clock)
    expect_response(first)
    assert expect_failure(second).kind is FailureKind.FORBIDDEN_ADDRESS
    assert len(origin.requests) == 1


def test_new_addresses_of_a_host_are_dialled_and_kept_connections_used() -> None:
    def zone(name: str, kind: int, times: int) -> Reply:
        return Reply(ips=["127.0.0.1" if times == 0 else "127.0.0.2"])

    clock = FakeClock()

    async def scenario(fetcher: CurlFetcher) -> list[str]:
        seen = []
        for path in ("", "", "close", ""):
            url = f"http://moving.example:{origin.port}/{path}"
            seen.append(expect_response(await fetcher.fetch(Request(url=url))).address)
            clock.advance(31)
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
        seen = play(scenario, settings, clock=clock)
    assert seen == ["127.0.0.1", "127.0.0.1", "127.0.0.1", "127.0.0.2"]


@pytest.mark.parametrize(
    ("code", "kind", "is_transient"),
    [
        (NXDOMAIN, FailureKind.NO_SUCH_HOST, False),
        (SERVFAIL, FailureKind.DNS, True),
    ],
)
def test_a_name_without_an_address_is_a_failure(code: int, kind: FailureKind, is_transient: bool) -> None:
    with name_server(lambda name, kind, times: Reply(code=code)) as server:
        settings = LOCAL.model_copy(update={"dns_servers": (server.address,)})
        failure = expect_failure(fetch("http://no.example/", settings))
    assert (failure.kind, failure.is_transient) == (kind, is_transient)


def test_requests_of_a_host_that_is_looked_up_wait_for_the_same_answer() -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        url = f"http://one.example:{origin.port}/"
        answers = await asyncio.gather(*(fetcher.fetch(Request(url=url)) for _ in range(20)))
        assert all(expect_response(each).timings.dns_s > 0 for each in answers)

    with name_server(lambda *_: Reply(ips=["127.0.0.1"])) as server, hostile_origin(page) as origin:
        play(scenario, LOCAL.model_copy(update={"dns_servers": (server.address,)}))
    assert sum(server.asked.values()) == 2


def test_libcurl_never_looks_a_name_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pin that libcurl does not have must end in a failure, not in a look-up of its own."""
    monkeypatch.setattr(CurlFetcher, "_pin", lambda self, url, addresses: [])
    failure = expect_failure(fetch("http://localhost:1/"))
    assert failure.kind is FailureKind.DNS


def test_hosts_beyond_the_number_of_pins_are_still_fetched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(fetcher: CurlFetcher) -> None:
        for host in (*"abcde", *"abcde"):
            url = f"http://{host}.example:{origin.port}/"
            expect_response(await fetcher.fetch(Request(url=url)))

    monkeypatch.setattr(curl, "_MAX_PINS", 2)
    with hostile_origin(page) as origin:
        play(scenario, LOCAL.model_copy(update={"resolve": ("*:127.0.0.1",)}))
    assert origin.connections == 5


def test_the_environments_proxy_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with hostile_origin(page) as origin:
        expect_response(fetch(origin.url))


def test_requests_that_start_together_on_new_hosts_all_find_their_addresses() -> None:
    """libcurl does not start transfers in the order in which they are added: the one that carries the address
    of a host may be the last of them."""

    async def scenario(fetcher: CurlFetcher) -> None:
        for turn in range(20):
            urls = [f"http://h{turn}-{host}.example:{origin.port}/" for host in range(8) for _ in range(6)]
            for answer in await asyncio.gather(*(fetcher.fetch(Request(url=url)) for url in urls)):
                expect_response(answer)

    with hostile_origin(page) as origin:
        play(scenario, PATIENT.model_copy(update={"resolve": ("*:127.0.0.1",)}))
