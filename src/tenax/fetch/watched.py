"""A fetcher that holds another one to its contract: every request ends, and the oldest one is known."""

import itertools
from collections.abc import Callable
from functools import partial
from time import monotonic
from types import TracebackType
from typing import NamedTuple, Self

from tenax.clock import Clock
from tenax.fetch.base import Done, Fetcher
from tenax.records.requests import Failure, FailureKind, Request, Response
from tenax.telemetry import log


class ActiveRequest(NamedTuple):
    url: str
    since_s: float  # monotonic
    done: Done
    inner_done: Done  # what the other fetcher was given


class WatchedFetcher:
    """A Fetcher (base.py)."""

    def __init__(self, inner: Fetcher, clock: Clock, time: Callable[[], float] = monotonic) -> None:
        self._inner = inner
        self._clock = clock
        self._time = time
        self._tickets = itertools.count()
        self._active: dict[int, ActiveRequest] = {}  # in the order of their start

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._inner.__aexit__(kind, error, trace)

    @property
    def capacity(self) -> int:
        return self._inner.capacity

    def resize(self, requests: int) -> None:
        self._inner.resize(requests)

    @property
    def in_flight(self) -> int:
        return self._inner.in_flight

    @property
    def held_bytes(self) -> int:
        return self._inner.held_bytes

    def pause(self) -> None:
        self._inner.pause()

    def resume(self) -> None:
        self._inner.resume()

    def start(self, request: Request, done: Done) -> None:
        ticket = next(self._tickets)
        inner_done = partial(self._finish, ticket)
        self._active[ticket] = ActiveRequest(request.url, self._time(), done, inner_done)
        try:
            self._inner.start(request, inner_done)
        except BaseException:
            del self._active[ticket]
            raise

    async def fetch(self, request: Request) -> Response | Failure:
        return await self._inner.fetch(request)

    def abort(self, done: Done) -> None:
        self._inner.abort(done)

    async def check_names(self, host: str) -> str | None:
        return await self._inner.check_names(host)

    # --- watching ----------------------------------------------------------------------------

    def find_longest(self) -> ActiveRequest | None:
        """The active request that started first."""
        return next(iter(self._active.values()), None)

    def end_overdue(self, started_before_s: float, limit_s: float) -> int:
        """End requests that started before this instant of the monotonic clock and should have ended
        `limit_s` after their start; returns how many. Each `done` receives a failure of this program."""
        ended = 0
        for ticket, active in list(self._active.items()):
            if active.since_s >= started_before_s:
                break
            log.error("transfer_hung", url=active.url, seconds=self._time() - active.since_s)
            self._inner.abort(active.inner_done)
            self._finish(ticket, self._fail(active, limit_s))
            ended += 1
        return ended

    def _finish(self, ticket: int, answer: Response | Failure) -> None:
        active = self._active.pop(ticket, None)
        if active is not None:  # else it was ended, and this answer is too late
            active.done(answer)

    def _fail(self, active: ActiveRequest, limit_s: float) -> Failure:
        elapsed_s = self._time() - active.since_s
        return Failure(
            kind=FailureKind.INTERNAL,
            detail=f"internal error: the request did not end within {limit_s:.0f} s",
            is_transient=True,
            started_at=self._clock.now() - elapsed_s,
            elapsed_s=elapsed_s,
        )
