"""Asking whether the network works, on loopback."""

import asyncio
import socket
from collections.abc import Iterator

import pytest
import uvloop

from tenax.errors import ConfigError
from tenax.fetch.references import Endpoint, NetworkVerdict, References, check, parse_endpoints
from tenax.policy.outages import NetworkState
from tests.support.nameserver import NXDOMAIN, SERVFAIL, Reply, name_server

TIMEOUT_S = 0.5


def ask(references: References) -> NetworkVerdict:
    return uvloop.run(check(references, TIMEOUT_S))


def ask_names(reply: Reply, *, needs_names: bool = True) -> NetworkVerdict:
    with name_server(lambda name, kind, asked: reply) as server:
        servers = parse_endpoints([server.address], 53)
        return ask(References(name_servers=servers, needs_names=needs_names))


@pytest.fixture
def refusing_port() -> Iterator[int]:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@pytest.fixture
def silent_port() -> Iterator[int]:
    """A port that answers nothing: its queue of connections is full."""
    with socket.socket() as server, socket.socket() as first, socket.socket() as second:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for client in (first, second):
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield server.getsockname()[1]


@pytest.mark.parametrize("reply", [Reply(code=NXDOMAIN), Reply(ips=["192.0.2.1"]), Reply()])
def test_a_name_server_that_finds_out_shows_that_the_network_works(reply: Reply) -> None:
    assert ask_names(reply).state is NetworkState.UP


def test_a_name_server_that_is_silent_shows_that_it_does_not() -> None:
    verdict = ask_names(Reply(is_silent=True))
    assert (verdict.state, verdict.detail) == (NetworkState.DOWN, "no name server answers")


def test_a_name_server_that_cannot_find_out_says_nothing() -> None:
    assert ask_names(Reply(code=SERVFAIL)).state is NetworkState.UNKNOWN


@pytest.mark.parametrize(("known", "state"), [(True, NetworkState.UP), (False, NetworkState.DOWN)])
def test_a_name_server_that_cannot_find_out_is_asked_about_a_name_that_it_knew(
    known: bool, state: NetworkState
) -> None:
    """Name servers of closed networks know their own names only."""

    def find(name: str, kind: int, asked: int) -> Reply:
        return Reply(ips=["10.0.0.7"]) if known and name == "intranet.test" else Reply(code=SERVFAIL)

    with name_server(find) as server:
        servers = parse_endpoints([server.address], 53)
        references = References(name_servers=servers, needs_names=True, known_name="intranet.test")
        assert ask(references).state is state


def test_a_question_that_got_lost_is_asked_again() -> None:
    with name_server(lambda name, kind, asked: Reply(is_silent=not asked, code=NXDOMAIN)) as server:
        assert ask(References(name_servers=parse_endpoints([server.address], 53))).state is NetworkState.UP


def test_every_question_is_about_another_name() -> None:
    with name_server(lambda name, kind, asked: Reply(code=NXDOMAIN)) as server:
        references = References(name_servers=parse_endpoints([server.address], 53))
        for _ in range(3):
            ask(references)
        assert len({name for name, _ in server.asked}) == 3


def test_a_host_that_refuses_a_connection_has_answered(refusing_port: int) -> None:
    hosts = (Endpoint(ip="127.0.0.1", port=refusing_port),)
    assert ask(References(hosts=hosts)).state is NetworkState.UP


def test_a_host_that_says_nothing_has_not(silent_port: int) -> None:
    verdict = ask(References(hosts=(Endpoint(ip="127.0.0.1", port=silent_port),)))
    assert (verdict.state, verdict.detail) == (NetworkState.DOWN, "no reference answers")


def test_one_answer_is_enough(silent_port: int, refusing_port: int) -> None:
    hosts = tuple(Endpoint(ip="127.0.0.1", port=port) for port in (silent_port, refusing_port))
    assert ask(References(hosts=hosts)).state is NetworkState.UP


def test_the_gateway_is_asked_if_there_is_nobody_else() -> None:
    assert ask(References(gateways=("127.0.0.1",))).state is NetworkState.UP


def test_the_gateway_is_not_asked_if_there_are_hosts(silent_port: int) -> None:
    hosts = (Endpoint(ip="127.0.0.1", port=silent_port),)
    assert ask(References(hosts=hosts, gateways=("127.0.0.1",))).state is NetworkState.DOWN


def test_with_nobody_to_ask_nothing_is_known() -> None:
    assert ask(References()).state is NetworkState.UNKNOWN


def test_where_names_are_needed_a_machine_without_name_servers_has_no_network() -> None:
    assert ask(References(needs_names=True, gateways=("127.0.0.1",))).state is NetworkState.DOWN


def test_nothing_is_left_behind() -> None:
    async def scenario() -> set[asyncio.Task[object]]:
        await check(References(name_servers=(Endpoint(ip="127.0.0.1", port=1),)), TIMEOUT_S)
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert uvloop.run(scenario()) == set()


@pytest.mark.parametrize(
    ("text", "ip", "port"),
    [
        ("10.0.0.1", "10.0.0.1", 443),
        ("10.0.0.1:80", "10.0.0.1", 80),
        ("2001:db8::1", "2001:db8::1", 443),
        ("[2001:db8::1]:80", "2001:db8::1", 80),
        ("[::1]", "::1", 443),
    ],
)
def test_addresses_may_name_a_port(text: str, ip: str, port: int) -> None:
    assert parse_endpoints([text], 443) == (Endpoint(ip=ip, port=port),)


@pytest.mark.parametrize("text", ["", "example.com", "10.0.0.1:0", "10.0.0.1:99999", "10.0.0.1:x", "1.2.3"])
def test_anything_else_is_no_reference(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_endpoints([text], 443)
