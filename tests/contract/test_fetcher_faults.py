"""An exception wherever something is called during a request: it becomes the failure of that request, once,
and the fetcher goes on."""

import asyncio
import errno
import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

import pycurl
import pytest

from tenax.fetch import answer as answers
from tenax.fetch import ares, body_budget, curl, decoding, dns, guard, multi, poller, transfer
from tenax.fetch.curl import CurlFetcher
from tenax.records.requests import Failure, FailureKind, Request, Response
from tests.support.fetching import PATIENT, expect_failure, expect_response, on_every_loop, play
from tests.support.hostile import answer, hostile_origin
from tests.support.nameserver import Reply, name_server

PACKED = answer(
    gzip.compress(b"<p>" + b"x" * 100_000), headers=b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n"
)
BOMB = answer(
    gzip.compress(b"<p>" + bytes(20_000_000)),
    headers=b"Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
)

# Every function that libcurl, c-ares, the loop or another part calls while a request is under way.
CALLED: dict[str, tuple[Any, str]] = {
    "start": (dns.Resolver, "cached"),
    "guard": (guard.Guard, "check"),
    "pin": (curl.CurlFetcher, "_pin"),
    "begin": (transfer.Transfer, "begin"),
    "add": (multi.LoopMulti, "add"),
    "question": (ares.LoopAres, "query"),
    "name server's socket": (ares.LoopAres, "_watch"),
    "name server's answer": (dns, "_read_answer"),
    "socket's option": (multi.LoopMulti, "opened"),
    "watch": (poller.EpollPoller, "watch"),
    "headers": (answers, "parse_head"),
    "body": (answers.Answer, "write"),
    "decoder": (decoding.Decoder, "decode"),
    "body_budget": (body_budget.BodyBudget, "must_wait"),
    "finish": (transfer.Transfer, "finish"),
    "conclusion": (transfer.Transfer, "_respond"),
}  # fmt: skip


class Fault(Exception):
    """Of this test."""


@contextmanager
def raising(
    where: tuple[Any, str], error: Exception, *, times: int = 1, after: int = 0
) -> Iterator[list[str]]:
    """The function raises when it is called for the first time, or after so many calls."""
    owner, name = where
    real: Callable[..., Any] = getattr(owner, name)
    raised: list[str] = []
    calls = count()

    def call(*args: Any, **kwargs: Any) -> Any:
        # libcurl has a socket of its own, which it only reads.
        is_own = name == "watch" and args[-1] == pycurl.POLL_IN
        if not is_own and next(calls) >= after and len(raised) < times:
            raised.append(name)
            raise error
        return real(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, call)
        yield raised


async def ask_twice(fetcher: CurlFetcher, url: str) -> tuple[Any, Any]:
    """What the first request ended as, and the next one; nothing reached the loop, nothing is left."""
    told: list[Any] = []
    errors: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: errors.append(context))
    fetcher.start(Request(url=url), told.append)
    deadline = asyncio.get_running_loop().time() + 60
    while not told and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    (first,) = told
    second = None
    for _ in range(3):  # what is remembered of a failed look-up is remembered for a second
        second = await fetcher.fetch(Request(url=url))
        if isinstance(second, Response):
            break
        await asyncio.sleep(1.1)
    await asyncio.sleep(0.05)
    assert (len(told), errors, fetcher.in_flight, fetcher.held_bytes) == (1, [], 0, 0)
    return first, second


def play_fault(where: tuple[Any, str], error: Exception, loop: str = "uvloop") -> tuple[Failure, Response]:
    with name_server(lambda *_: Reply(ips=["127.0.0.1"])) as server, hostile_origin(PACKED) as origin:
        settings = PATIENT.model_copy(update={"dns_servers": (server.address,)})
        url = f"http://one.example:{origin.port}/"
        with raising(where, error) as raised:
            first, second = play(lambda fetcher: ask_twice(fetcher, url), settings, loop=loop)
        assert raised
    return expect_failure(first), expect_response(second)


@pytest.mark.parametrize("called", CALLED)
def test_an_exception_is_the_failure_of_its_request(called: str) -> None:
    failure, response = play_fault(CALLED[called], Fault())
    if called != "name server's socket":  # c-ares hears of no exception, only of its end
        assert (failure.kind, failure.detail) == (FailureKind.INTERNAL, "internal error: Fault")
    assert failure.is_transient
    assert len(response.body) == 100_003


def test_an_exception_while_a_socket_is_opened_is_the_failure_of_its_request() -> None:
    """The guard is asked about the address of a look-up first, then about that of the socket."""
    with raising((guard.Guard, "check"), Fault(), after=1) as raised, hostile_origin(PACKED) as origin:
        first, second = play(lambda fetcher: ask_twice(fetcher, origin.url), PATIENT)
    assert raised
    assert expect_failure(first).kind is FailureKind.INTERNAL
    assert expect_response(second).body


@pytest.mark.parametrize("called", ["decoder", "body", "watch", "begin", "question"])
@pytest.mark.parametrize("error", [MemoryError(), OSError(errno.ENOMEM, "no memory")])
def test_a_machine_without_memory_is_short_of_it(called: str, error: Exception) -> None:
    failure, _ = play_fault(CALLED[called], error)
    assert (failure.kind, failure.detail) == (FailureKind.LOCAL, "this machine has no memory left")


@on_every_loop
@pytest.mark.parametrize("called", [(poller.EpollPoller, "watch"), (poller.LoopPoller, "watch")])
def test_a_socket_that_cannot_be_watched_ends_its_request_at_once(loop: str, called: tuple[Any, str]) -> None:
    if (called[0] is poller.LoopPoller) != (loop == "without epoll"):
        pytest.skip("the other one is at work")
    failure, _ = play_fault(called, OSError(errno.ENOSPC, "too many watches"), loop)
    assert failure.kind is FailureKind.LOCAL
    assert failure.elapsed_s < PATIENT.timeout_s / 2


@on_every_loop
def test_a_timer_that_is_lost_delays_a_request_and_ends_nothing(loop: str) -> None:
    with hostile_origin(PACKED) as origin, raising((multi.LoopMulti, "_plan"), Fault(), times=3) as raised:
        first, second = play(lambda fetcher: ask_twice(fetcher, origin.url), PATIENT, loop=loop)
    assert len(raised) == 3
    assert expect_response(first).body == expect_response(second).body


def test_an_action_that_libcurl_refuses_ends_the_request_whose_socket_it_was() -> None:
    class Multi:
        """libcurl's, until a connection stands."""

        def __init__(self) -> None:
            self._real = pycurl.CurlMulti()
            self.refused = 0

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name)

        def socket_action(self, fd: int, flags: int) -> Any:
            if flags & pycurl.CSELECT_OUT and not self.refused:
                self.refused += 1
                raise pycurl.error(4, "not now")
            return self._real.socket_action(fd, flags)

    with pytest.MonkeyPatch.context() as patch, hostile_origin(PACKED) as origin:
        patch.setattr(multi, "pycurl", _Pycurl(CurlMulti=Multi))
        first, second = play(lambda fetcher: ask_twice(fetcher, origin.url), PATIENT)
    assert expect_failure(first).kind is FailureKind.INTERNAL
    assert expect_response(second).body


def test_a_header_that_cannot_be_kept_ends_its_request() -> None:
    class Lines(list[bytes]):
        appended = 0

        def append(self, line: bytes) -> None:
            Lines.appended += 1
            if Lines.appended == 1:
                raise Fault
            super().append(line)

    def make(self: Any, *args: Any) -> None:
        real(self, *args)
        self.lines = Lines()

    real = answers.Answer.__init__
    with pytest.MonkeyPatch.context() as patch, hostile_origin(PACKED) as origin:
        patch.setattr(answers.Answer, "__init__", make)
        first, second = play(lambda fetcher: ask_twice(fetcher, origin.url), PATIENT)
    assert expect_failure(first).kind is FailureKind.INTERNAL
    assert expect_response(second).body


@on_every_loop
def test_bombs_that_wait_for_memory_end_as_too_large_and_others_come(loop: str) -> None:
    async def scenario(fetcher: CurlFetcher) -> list[Any]:
        urls = [bombs.url] * 8 + [healthy.url] * 8
        found = await asyncio.gather(*(fetcher.fetch(Request(url=url)) for url in urls))
        again = await asyncio.gather(*(fetcher.fetch(Request(url=healthy.url)) for _ in range(16)))
        assert (fetcher.in_flight, fetcher.held_bytes) == (0, 0)
        return [*found, *again]

    with hostile_origin(BOMB) as bombs, hostile_origin(PACKED) as healthy:
        found = play(scenario, PATIENT, loop=loop, max_held_bytes=1_000_000)
    assert [expect_failure(each).kind for each in found[:8]] == [FailureKind.TOO_LARGE] * 8
    assert [len(expect_response(each).body) for each in found[8:]] == [100_003] * 24


class _Pycurl:
    """The module with something else in one place."""

    def __init__(self, **others: Any) -> None:
        self.__dict__.update(others)

    def __getattr__(self, name: str) -> Any:
        return getattr(pycurl, name)
