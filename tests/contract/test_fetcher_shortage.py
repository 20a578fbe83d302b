"""What this machine is short of is said to be its own fault, never that of the site that was to be asked."""

import asyncio
import errno
import os
import resource
import socket
import subprocess
import sys
from typing import Any

import pycurl
import pytest

from tenax.fetch import failures, routes, transfer
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.descriptors import count_open, plan_descriptors, raise_limit
from tenax.fetch.failures import explain_code, may_be_network
from tenax.records.requests import FailureKind, Request
from tests.support.descriptors import descriptors
from tests.support.fetching import LOCAL, PATIENT, expect_failure, expect_response, fetch, on_every_loop, play
from tests.support.hostile import hostile_origin, page, reset_at_once
from tests.support.nameserver import NXDOMAIN, SERVFAIL, Reply, name_server

NOWHERE = "192.0.2.1"


@on_every_loop
@pytest.mark.parametrize("more", [0, 1])
def test_without_a_descriptor_a_request_fails_by_our_fault_and_later_it_does_not(
    loop: str, more: int
) -> None:
    """A socket takes two while it is handed over to libcurl."""

    async def scenario(fetcher: CurlFetcher) -> tuple[Any, Any]:
        with descriptors(more):
            short = await fetcher.fetch(Request(url=origin.url))
        return short, await fetcher.fetch(Request(url=origin.url))

    with hostile_origin(page) as origin:
        short, later = play(scenario, PATIENT, loop=loop)
    failure = expect_failure(short)
    assert (failure.kind, failure.is_transient) == (FailureKind.LOCAL, True)
    assert failure.detail == "this machine has no file descriptor left"
    assert expect_response(later).status == 200


def test_without_a_descriptor_no_name_is_blamed_that_could_not_be_looked_up() -> None:
    async def scenario(fetcher: CurlFetcher) -> tuple[Any, Any]:
        with descriptors(0):
            short = await fetcher.fetch(Request(url=url))
        await asyncio.sleep(1.1)  # so long it is remembered
        return short, await fetcher.fetch(Request(url=url))

    with name_server(lambda *_: Reply(ips=["127.0.0.1"])) as server, hostile_origin(page) as origin:
        url = f"http://one.example:{origin.port}/"
        settings = PATIENT.model_copy(update={"dns_servers": (server.address,)})
        short, later = play(scenario, settings)
    assert expect_failure(short).kind is FailureKind.LOCAL
    assert expect_response(later).status == 200


def test_name_servers_that_cannot_be_reached_are_ours() -> None:
    settings = PATIENT.model_copy(update={"dns_servers": ("127.0.0.1:1",)})
    failure = expect_failure(fetch("http://any.example/", settings))
    assert (failure.kind, failure.detail) == (
        FailureKind.LOCAL,
        "this machine cannot reach any of its DNS servers",
    )


def refuse_sockets(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    """The system has none of the kind that is asked for."""

    class Sockets:
        def __getattr__(self, name: str) -> Any:
            return getattr(socket, name)

        def socket(self, *_: Any) -> Any:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(transfer, "socket", Sockets())


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS])
def test_a_socket_that_the_system_has_not_is_ours(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse_sockets(monkeypatch, number)
    assert expect_failure(fetch("http://127.0.0.1:1/", PATIENT)).kind is FailureKind.LOCAL


def test_a_machine_without_ipv6_has_no_route_to_a_host_that_has_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    refuse_sockets(monkeypatch, errno.EAFNOSUPPORT)
    monkeypatch.setattr(failures, "has_route", lambda ip: False)
    assert expect_failure(fetch("http://[::1]:1/", PATIENT)).kind is FailureKind.NO_ROUTE


@pytest.mark.parametrize(
    ("number", "routed", "kind"),
    [
        # Routers send these as well: with a route of our own they are theirs.
        (errno.ENETUNREACH, (True, True), FailureKind.CONNECT),
        (errno.EHOSTUNREACH, (True, True), FailureKind.CONNECT),
        (errno.ENETUNREACH, (False, False), FailureKind.NO_ROUTE),
        (errno.EHOSTUNREACH, (False, False), FailureKind.NO_ROUTE),
        # IPv6 is missing here, and the IPv4 address has failed.
        (errno.ENETUNREACH, (True, False), FailureKind.CONNECT),
        (errno.EADDRNOTAVAIL, (True, False), FailureKind.CONNECT),
        (errno.EADDRNOTAVAIL, (False, False), FailureKind.NO_ROUTE),
        (errno.EADDRNOTAVAIL, (True, True), FailureKind.LOCAL),  # no port is left
        (errno.ENETDOWN, (True, True), FailureKind.LOCAL),
        (errno.ECONNREFUSED, (True, True), FailureKind.CONNECT),
        (errno.ETIMEDOUT, (True, True), FailureKind.CONNECT),
    ],
)
def test_whose_fault_it_is_that_no_connection_came_about(
    number: int, routed: tuple[bool, bool], kind: FailureKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = dict(zip((NOWHERE, "2001:db8::1"), routed, strict=True))
    monkeypatch.setattr(failures, "has_route", known.__getitem__)
    assert explain_code(pycurl.E_COULDNT_CONNECT, "", number, list(known)).kind is kind


@pytest.mark.parametrize("code", [pycurl.E_OUT_OF_MEMORY, pycurl.E_FAILED_INIT, pycurl.E_SSL_CACERT_BADFILE])
def test_codes_of_libcurl_that_are_ours(code: int) -> None:
    assert explain_code(code, "", 0, ()).kind is FailureKind.LOCAL


@pytest.mark.parametrize("code", [pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR])
def test_a_connection_that_breaks_for_want_of_memory_is_ours_and_else_theirs(code: int) -> None:
    assert explain_code(code, "", errno.ENOBUFS, ()).kind is FailureKind.LOCAL
    assert explain_code(code, "", errno.ECONNRESET, ()).kind is FailureKind.RESET


def test_the_kernel_is_asked_for_a_route() -> None:
    assert routes.has_route("127.0.0.1")
    # Without any network there is no way to anywhere.
    probe = [sys.executable, "-c", f"from tenax.fetch.routes import has_route; print(has_route('{NOWHERE}'))"]
    cut_off = subprocess.run(["unshare", "-rn", *probe], capture_output=True, text=True, check=False)
    if cut_off.returncode:
        pytest.skip("this system allows no network of one's own")
    assert cut_off.stdout == "False\n"


def test_the_soft_limit_is_raised_as_far_as_allowed() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 256), hard))
        raise_limit()
        raised = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert raised == min(hard, 1_000_000) or hard == resource.RLIM_INFINITY
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.parametrize("limit", [64, 256, 1024])
def test_connections_are_planned_within_the_limit(limit: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = count_open()
    if opened > limit - 16:
        pytest.skip("this process has too many files open itself")
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        plan = plan_descriptors(kept=1000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert 1 <= 2 * plan.requests <= plan.connections <= limit - opened - 8
    assert plan.kept <= plan.connections


def test_kept_connections_make_way_when_there_may_be_fewer() -> None:
    async def scenario(fetcher: CurlFetcher) -> tuple[int, int]:
        before = count_open()
        urls = [f"http://h{number}.test:{origin.port}/" for number in range(20)]
        await asyncio.gather(*(fetcher.fetch(Request(url=url)) for url in urls))
        kept = count_open() - before
        fetcher.resize(1)
        expect_response(await fetcher.fetch(Request(url=f"http://new.test:{origin.port}/")))
        # The origin closes its ends when it gets round to it.
        async with asyncio.timeout(60):
            while (left := count_open() - before) >= kept / 2:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
        return kept, left

    with hostile_origin(page) as origin:
        # The origin lives in this process: each connection has two ends.
        kept, left = play(scenario, PATIENT.model_copy(update={"resolve": ("*:127.0.0.1",)}))
    assert kept >= 40
    assert left < kept / 2


# --- what the network may have done -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "number", "has_bytes", "is_suspect"),
    [
        (FailureKind.CONNECT, errno.ECONNREFUSED, False, False),  # its machine has answered
        (FailureKind.CONNECT, errno.ETIMEDOUT, False, True),
        (FailureKind.CONNECT, errno.EHOSTUNREACH, False, True),
        (FailureKind.NO_ROUTE, errno.ENETUNREACH, False, True),
        (FailureKind.LOCAL, errno.ENETDOWN, False, True),
        (FailureKind.LOCAL, errno.EMFILE, False, False),
        (FailureKind.TIMEOUT, 0, False, True),
        (FailureKind.TIMEOUT, 0, True, True),  # the rest may have been lost
        (FailureKind.RESET, 0, False, True),
        (FailureKind.RESET, 0, True, False),
        (FailureKind.TLS, 0, False, True),  # a captive portal has another certificate
        (FailureKind.PROTOCOL, 0, True, False),
        (FailureKind.FORBIDDEN_ADDRESS, 0, False, False),
    ],
)
def test_which_failures_the_network_may_have_caused(
    kind: FailureKind, number: int, has_bytes: bool, is_suspect: bool
) -> None:
    assert may_be_network(kind, number, has_bytes=has_bytes) is is_suspect


def test_a_failure_of_this_machine_itself_is_heard() -> None:
    """No network lies between: a server on loopback that resets connections does so by itself."""
    with hostile_origin(reset_at_once) as origin:
        assert not expect_failure(fetch(origin.url, PATIENT)).is_unheard


@pytest.mark.parametrize("reply", [Reply(is_silent=True), Reply(code=NXDOMAIN), Reply(code=SERVFAIL)])
def test_a_host_that_is_not_found_is_unheard(reply: Reply) -> None:
    with name_server(lambda name, kind, asked: reply) as server:
        settings = LOCAL.model_copy(update={"dns_servers": (server.address,)})
        assert expect_failure(fetch("http://a.test/", settings)).is_unheard


def test_name_servers_that_cannot_be_reached_are_unheard_and_ours() -> None:
    settings = LOCAL.model_copy(update={"dns_servers": ("127.0.0.1:1",)})
    failure = expect_failure(fetch("http://a.test/", settings))
    assert (failure.kind, failure.is_unheard) == (FailureKind.LOCAL, True)


def test_hosts_that_were_not_found_can_be_forgotten() -> None:
    async def scenario(fetcher: CurlFetcher) -> tuple[object, object]:
        before = await fetcher.fetch(Request(url="http://a.test/"))
        assert fetcher.names_found_at is None
        fetcher.forget_failed_names()
        return before, await fetcher.fetch(Request(url="http://a.test:1/"))

    def find(name: str, kind: int, asked: int) -> Reply:
        return Reply(ips=["127.0.0.1"]) if asked else Reply(code=NXDOMAIN)

    with name_server(find) as server:
        settings = LOCAL.model_copy(update={"dns_servers": (server.address,)})
        before, after = play(scenario, settings)
    assert expect_failure(before).kind is FailureKind.NO_SUCH_HOST
    assert expect_failure(after).kind is FailureKind.CONNECT
