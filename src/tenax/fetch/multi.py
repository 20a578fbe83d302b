"""Runs libcurl's transfers on the event loop."""

import asyncio
from collections.abc import Callable
from typing import Any

import pycurl

from tenax.fetch.descriptors import DescriptorPlan
from tenax.fetch.poller import make_poller
from tenax.telemetry import log

# Connections by which the limit changes at least, so that setting it is rare and its cost does not matter.
_STEP = 32

Ended = Callable[[pycurl.Curl, int, str], None]
Broken = Callable[[int, Exception], None]

# A lost wake-up delays transfers by at most this time.
_WAKE_UP_S = 1.0


class LoopMulti:
    """A CurlMulti on the event loop. When a transfer ends, it calls `ended` with libcurl's code and message.
    It calls `broken` with a socket that cannot be polled, and the reason: the caller must end the transfers
    that use it. Neither may raise.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        ended: Ended,
        broken: Broken,
        plan: DescriptorPlan,
        concurrency: int,
    ) -> None:
        """`concurrency`: active requests that the planned connections are for; more active requests get more
        connections."""
        self._loop = loop
        self._ended = ended
        self._broken = broken
        self._running = 0
        self._regular_timer: asyncio.TimerHandle | None = None
        self._kept = plan.kept
        self._concurrency = concurrency
        self._extra = 0  # connections on top, for requests beyond that
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._is_wake_up_planned = False
        self._is_closed = False
        self._poller = make_poller(loop, self._act)
        self._multi = multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        multi.setopt(pycurl.M_MAXCONNECTS, plan.kept)
        self.limit_connections(plan.connections)

    def limit_connections(self, count: int) -> None:
        """Limit the open connections: at the limit, a new connection closes idle ones."""
        self._multi.setopt(pycurl.M_MAX_TOTAL_CONNECTIONS, count)

    def add(self, curl: pycurl.Curl) -> None:
        self._multi.add_handle(curl)
        self._running += 1
        if self._regular_timer is None:
            self._regular_timer = self._loop.call_later(_WAKE_UP_S, self._wake_up_regularly)
        if self._running > self._concurrency + self._extra:
            self._set_extra(self._extra + _STEP)

    def remove(self, curl: pycurl.Curl) -> None:
        """End a transfer early; `ended` is not called. Its connection is closed."""
        self._running -= 1
        if self._extra and self._running < self._concurrency + self._extra - 2 * _STEP:
            self._set_extra(self._extra - _STEP)
        self._multi.remove_handle(curl)

    def end(self, curl: pycurl.Curl, code: int, message: str) -> None:
        """End a transfer in the same way as libcurl does."""
        try:
            self.remove(curl)
        except pycurl.error as error:
            log.error("transfer_not_removed", exc_info=error)
        self._ended(curl, code, message)

    def opened(self, fd: int) -> None:
        """Note that a handle has opened a socket."""
        self._poller.forget(fd)

    def _set_extra(self, count: int) -> None:
        # libcurl also counts connections in use: many that wait for a response would leave no idle ones.
        self._extra = max(count, 0)
        self._multi.setopt(pycurl.M_MAXCONNECTS, self._kept + self._extra)

    def close(self) -> None:
        """Close all connections. The transfers must have ended or been removed."""
        self._is_closed = True
        for timer in (self._timer, self._regular_timer):
            if timer is not None:
                timer.cancel()
        self._multi.close()
        self._poller.close()

    # --- called by libcurl, which must not be called from here and ignores exceptions ----------

    def _watch(self, event: int, fd: int, multi: Any, data: Any) -> None:
        try:
            self._poller.watch(fd, event)
        except Exception as error:
            self._loop.call_soon(self._broken, fd, error)

    def _on_timer(self, timeout_ms: int) -> None:
        try:
            self._plan(timeout_ms)
        except Exception as error:
            log.error("wake_up_lost", exc_info=error)  # the regular wake-up makes up for it

    def _plan(self, timeout_ms: int) -> None:
        if timeout_ms == 0:
            if not self._is_wake_up_planned:
                self._is_wake_up_planned = True
                self._loop.call_soon(self._wake_up)
        elif timeout_ms > 0:
            at = self._loop.time() + timeout_ms / 1000
            # A timer that fires too early does no harm: libcurl plans again. Restarting it for
            # every transfer costs more.
            if self._timer is None or self._timer_at > at:
                self._start_timer(at)

    # --- called by the loop ------------------------------------------------------------------

    def _start_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at = at
        self._timer = self._loop.call_at(at, self._fire_timer)

    def _fire_timer(self) -> None:
        self._timer = None
        self._wake_up()

    def _wake_up(self) -> None:
        self._is_wake_up_planned = False
        if not self._is_closed:
            self._act([(pycurl.SOCKET_TIMEOUT, 0)])

    def _wake_up_regularly(self) -> None:
        self._regular_timer = None
        if self._running and not self._is_closed:
            self._regular_timer = self._loop.call_later(_WAKE_UP_S, self._wake_up_regularly)
            self._wake_up()

    def _act(self, ready: list[tuple[int, int]]) -> None:
        running = self._running
        for fd, flags in ready:
            try:
                _, running = self._multi.socket_action(fd, flags)
            except pycurl.error as error:
                self._broken(fd, error)
        if running != self._running:
            self._collect()

    def _collect(self) -> None:
        left = 1
        while left:
            left, whole, failed = self._multi.info_read()
            for curl in whole:
                self.end(curl, pycurl.E_OK, "")
            for curl, code, message in failed:
                self.end(curl, code, message)
