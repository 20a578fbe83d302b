"""Runs scenarios with a fetcher, on each kind of event loop."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import uvloop

from tenax.clock import Clock, SystemClock
from tenax.config.fetch import FetchSettings
from tenax.fetch import multi, poller
from tenax.fetch.curl import CurlFetcher
from tenax.records.requests import Failure, Request, Response

USER_AGENT = "tenax-test/1.0 (+https://example.com/bot)"
LOCAL = FetchSettings(allow_private=True, timeout_s=0.7, connect_timeout_s=0.5, dns_timeout_s=1.0)
# For many concurrent requests: on a busy machine the last of them waits seconds for its connection.
PATIENT = LOCAL.model_copy(update={"timeout_s": 10.0, "connect_timeout_s": 10.0})

Scenario = Callable[[CurlFetcher], Coroutine[Any, Any, Any]]

on_every_loop = pytest.mark.parametrize("loop", ["uvloop", "asyncio", "without epoll"])


def play(
    scenario: Scenario,
    settings: FetchSettings = LOCAL,
    *,
    clock: Clock | None = None,
    loop: str = "uvloop",
    max_held_bytes: int = 100_000_000,
    max_connections: int = 1000,
    concurrency: int = 100,
) -> Any:
    async def run() -> Any:
        fetcher = CurlFetcher(
            settings,
            clock or SystemClock(),
            USER_AGENT,
            max_held_bytes=max_held_bytes,
            max_connections=max_connections,
            concurrency=concurrency,
        )
        async with fetcher:
            return await scenario(fetcher)

    new_loop = asyncio.new_event_loop if loop == "asyncio" else uvloop.new_event_loop
    with pytest.MonkeyPatch.context() as patch, asyncio.Runner(loop_factory=new_loop) as runner:
        if loop == "without epoll":
            patch.setattr(multi, "make_poller", poller.LoopPoller)
        return runner.run(run())


def fetch(request: Request | str, settings: FetchSettings = LOCAL, *, loop: str = "uvloop") -> Any:
    asked = Request(url=request) if isinstance(request, str) else request
    return play(lambda fetcher: fetcher.fetch(asked), settings, loop=loop)


def expect_failure(answer: object) -> Failure:
    assert isinstance(answer, Failure), answer
    assert answer.detail.isprintable()
    return answer


def expect_response(answer: object) -> Response:
    assert isinstance(answer, Response), answer
    return answer
