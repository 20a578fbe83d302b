"""The fetcher of the frontier benchmark: generates pages instead of requesting them."""

import asyncio
import re
from collections.abc import Callable
from types import TracebackType
from typing import Self

from bench.frontier.web import SimulatedWeb
from tenax.clock import Clock, Instant
from tenax.fetch.base import Done
from tenax.records.requests import Failure, Request, Response, Timings

_NUMBERS = re.compile(r"site-(\d+)\.example/.*-(\d+)\.html$")
_HEADERS = {"content-type": "text/html; charset=utf-8"}


class SimulatedFetcher:
    """Responds immediately, in the loop's next iteration."""

    def __init__(self, web: SimulatedWeb, pages: int, clock: Clock) -> None:
        self._web = web
        self._pages_left = pages
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self.in_flight = 0
        self.capacity = 1_000_000
        self.held_bytes = 0
        self.name_servers: tuple[str, ...] = ()
        self.names_found_at: Instant | None = None
        self.on_last: Callable[[], None] = lambda: None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass

    def start(self, request: Request, done: Done) -> None:
        self.in_flight += 1
        self._loop.call_soon(self._answer, request, done)

    def resize(self, requests: int) -> None:
        """Do nothing: there are no connections."""

    def forget_failed_names(self) -> None:
        """Do nothing: there are no names."""

    def abort(self, done: Done) -> None:
        """Do nothing: every request is answered."""

    async def check_names(self, host: str) -> str | None:
        return None

    def pause(self) -> None:
        pass

    def resume(self) -> None:
        pass

    async def fetch(self, request: Request) -> Response | Failure:
        return self._respond(request)

    def _answer(self, request: Request, done: Done) -> None:
        self.in_flight -= 1
        done(self._respond(request))
        self._pages_left -= 1
        if self._pages_left == 0:
            self.on_last()

    def _respond(self, request: Request) -> Response:
        found = _NUMBERS.search(request.url)
        assert found, f"not part of the simulated web: {request.url}"
        body = self._web.page(int(found[1]), int(found[2]))
        return Response(
            url=request.url,
            status=200,
            headers=_HEADERS,
            body=body,
            started_at=self._clock.now(),
            timings=Timings(total_s=0.001),
            address="192.0.2.1",
            http_version="1.1",
            wire_bytes=len(body),
        )
