"""Connection limits before there is a request: real sockets that are slow, large and many."""

import contextlib
import logging
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.api.middleware import connections
from tenax.stores.place import Place
from tests.support.api import TIMEOUT_S, ApiServer, run_api

HEAD = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n"
ORDER = b"POST /api/v1/frontier/add HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer admin\r\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with run_api(Place(folder=tmp_path_factory.mktemp("connections") / "crawl")) as server:
        yield server


@contextlib.contextmanager
def connect(server: ApiServer, source: str = "127.0.0.1") -> Iterator[socket.socket]:
    address = urlsplit(server.url)
    assert address.hostname is not None
    place = (address.hostname, address.port or 0)
    with socket.create_connection(place, timeout=TIMEOUT_S, source_address=(source, 0)) as client:
        yield client


def hear(client: socket.socket) -> bytes:
    """Everything until the server closes."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := client.recv(65_536):
            parts.append(part)
    return b"".join(parts)


def status_of(heard: bytes) -> int:
    return int(heard.split(b" ", 2)[1])


def is_well(server: ApiServer) -> bool:
    with server.client(Role.ANONYMOUS) as client:
        return client.get("/health").status_code == 200


@pytest.mark.parametrize("head", [b"", b"GET / HT", HEAD, HEAD + b"X: ", b"\r\n\r\n"])
def test_a_head_that_never_ends_is_not_waited_for(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch, head: bytes
) -> None:
    monkeypatch.setattr(connections, "RECEIVE_S", 0.2)
    with connect(server) as client:
        client.sendall(head)
        heard = hear(client)
    assert status_of(heard) == 408
    assert b"application/problem+json" in heard


def test_trickling_puts_nothing_off(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "RECEIVE_S", 0.5)
    started_at = time.monotonic()
    with connect(server) as client, contextlib.suppress(ConnectionError):
        client.settimeout(0.05)
        client.sendall(HEAD)
        while time.monotonic() < started_at + TIMEOUT_S:
            client.sendall(b"X: y\r\n")
            with contextlib.suppress(TimeoutError):
                if not client.recv(1000):
                    break
    assert time.monotonic() - started_at < TIMEOUT_S


@pytest.mark.parametrize(
    "framing", [b"Content-Length: 100000\r\n\r\n{", b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"]
)
def test_a_body_that_never_ends_is_not_waited_for(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, framing: bytes
) -> None:
    monkeypatch.setattr(connections, "RECEIVE_S", 0.2)
    with connect(server) as client:
        client.sendall(ORDER + b"Content-Type: application/json\r\n" + framing)
        assert status_of(hear(client)) == 408
    assert is_well(server)
    assert "request_crashed" not in caplog.text


def test_a_client_that_leaves_during_a_body_causes_no_error(
    server: ApiServer, caplog: pytest.LogCaptureFixture
) -> None:
    with connect(server) as client:
        client.sendall(ORDER + b"Content-Length: 100000\r\n\r\n{")
    assert is_well(server)
    assert "request_crashed" not in caplog.text


def test_a_body_that_was_refused_is_not_taken_forever(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "RECEIVE_S", 0.5)
    started_at = time.monotonic()
    with connect(server) as client, contextlib.suppress(ConnectionError):
        client.sendall(ORDER + b"Content-Length: 1000000000000\r\n\r\n")
        assert status_of(client.recv(1000)) == 413
        while time.monotonic() < started_at + TIMEOUT_S:
            client.sendall(b"x" * 1000)
            time.sleep(0.01)
    assert time.monotonic() - started_at < TIMEOUT_S


@pytest.mark.parametrize(
    "line", [b"X: " + b"y" * 200_000, b"X: y\r\n" * 40_000, b"Cookie: " + b"a=b;" * 50_000]
)
def test_huge_headers_are_refused(server: ApiServer, line: bytes) -> None:
    with connect(server) as client, contextlib.suppress(ConnectionError):
        client.sendall(HEAD + line)
        assert status_of(hear(client)) == 431


def test_a_huge_address_is_refused(server: ApiServer) -> None:
    with connect(server) as client, contextlib.suppress(ConnectionError):
        client.sendall(b"GET /" + b"x" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        assert status_of(hear(client)) == 431


def test_many_requests_at_once_are_no_huge_head(server: ApiServer) -> None:
    count = 2000
    with connect(server) as client:
        client.sendall((HEAD + b"\r\n") * (count - 1) + HEAD + b"Connection: close\r\n\r\n")
        assert hear(client).count(b"HTTP/1.1 200") == count


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"GET\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        HEAD + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        HEAD + b"Content-Length: -1\r\n\r\n",
        HEAD + b"X : y\r\n\r\n",
        HEAD + b"X: a\0b\r\n\r\n",
    ],
)
def test_what_two_servers_might_read_differently_is_refused(server: ApiServer, sent: bytes) -> None:
    with connect(server) as client:
        client.sendall(sent)
        heard = hear(client)
    assert status_of(heard) == 400
    assert b"application/problem+json" in heard


def test_no_connection_is_upgraded(server: ApiServer) -> None:
    upgrade = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n"
    with connect(server) as client:
        client.sendall(HEAD + upgrade)
        assert status_of(client.recv(65_536)) == 200
    assert is_well(server)


def test_one_address_has_so_many_connections_and_no_more(tmp_path: Path) -> None:
    settings = {"connections_per_address": 20}
    with (
        run_api(Place(folder=tmp_path / "crawl"), server=settings) as server,
        contextlib.ExitStack() as stack,
    ):
        # Half-open, as slow as can be.
        clients = [stack.enter_context(connect(server)) for _ in range(25)]
        heard = hear(clients[-1])
        assert status_of(heard) == 503
        assert b"Too many connections from your address: the limit is 20." in heard
        with connect(server, source="127.0.0.2") as other:
            other.sendall(HEAD + b"Connection: close\r\n\r\n")
            assert status_of(hear(other)) == 200
        for client in clients:
            client.close()
        wait_until(lambda: is_well(server))


def test_connections_of_a_proxy_are_those_of_many(tmp_path: Path) -> None:
    settings = {"connections_per_address": 2, "trusted_proxies": ["127.0.0.1"]}
    with (
        run_api(Place(folder=tmp_path / "crawl"), server=settings) as server,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(connect(server)) for _ in range(5)]
        clients[-1].sendall(HEAD + b"Connection: close\r\n\r\n")
        assert status_of(hear(clients[-1])) == 200


def test_the_last_connections_are_reserved_for_health_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 20)  # five of which are kept
    settings = {"trusted_proxies": ["127.0.0.1"]}
    with (
        run_api(Place(folder=tmp_path / "crawl"), server=settings) as server,
        contextlib.ExitStack() as stack,
    ):
        for _ in range(15):
            stack.enter_context(connect(server))
        wait_until(lambda: count_connections(server) == 15)
        with connect(server) as client:
            client.sendall(b"GET /api/v1/stats HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            heard = hear(client)
        assert status_of(heard) == 503
        assert b"retry-after: 5" in heard.lower()
        assert is_well(server)
        for _ in range(5):
            stack.enter_context(connect(server))
        wait_until(lambda: count_connections(server) >= 20)
        with connect(server) as client:
            assert status_of(hear(client)) == 503


def test_a_client_that_reads_nothing_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(connections, "SEND_S", 0.2)
    with run_api(Place(folder=tmp_path / "crawl")) as server, connect(server) as client:
        client.sendall(b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" * 200)
        wait_until(lambda: count_connections(server) == 1)
        wait_until(lambda: count_connections(server) == 0)
    # Other tests in this process may have lowered the log levels.
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


def count_connections(server: ApiServer) -> int:
    assert server._server is not None
    return len(server._server.server_state.connections)


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + TIMEOUT_S
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_the_heads_of_answers_are_the_servers_own(server: ApiServer) -> None:
    """Line breaks in what is echoed do not make headers."""
    with httpx.Client(base_url=server.url, timeout=TIMEOUT_S) as client:
        answer = client.get(
            "/api/v1/export/urls%0d%0aSet-Cookie:%20a=b", headers={"Authorization": "Bearer admin"}
        )
    assert "set-cookie" not in answer.headers
    assert answer.status_code == 422
