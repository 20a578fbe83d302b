"""Runs libcurl's transfers on the event loop."""

import asyncio
from collections.abc import Callable
from typing import Any

import pycurl

from tenax.fetch.poller import make_poller

Ended = Callable[[pycurl.Curl, int, str], None]


class LoopMulti:
    """A CurlMulti whose transfers end by a call of `ended` with libcurl's code and message."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ended: Ended, *, max_idle_connections: int) -> None:
        self._loop = loop
        self._ended = ended
        self._running = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at = 0.0
        self._is_kick_planned = False
        self._is_closed = False
        self._poller = make_poller(loop, self._act)
        self._multi = multi = pycurl.CurlMulti()
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._plan)
        multi.setopt(pycurl.M_MAXCONNECTS, max_idle_connections)

    def add(self, curl: pycurl.Curl) -> None:
        self._multi.add_handle(curl)
        self._running += 1

    def remove(self, curl: pycurl.Curl) -> None:
        """End a transfer early; `ended` is not called. Its connection is closed."""
        self._multi.remove_handle(curl)
        self._running -= 1

    def opened(self, fd: int) -> None:
        """A handle has opened a socket."""
        self._poller.forget(fd)

    def close(self) -> None:
        """Close all connections. The transfers must have ended or been removed."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._multi.close()
        self._poller.close()

    # --- called by libcurl, which must not be called back from here --------------------------

    def _watch(self, event: int, fd: int, multi: Any, data: Any) -> None:
        self._poller.watch(fd, event)

    def _plan(self, timeout_ms: int) -> None:
        if timeout_ms == 0:
            if not self._is_kick_planned:
                self._is_kick_planned = True
                self._loop.call_soon(self._kick)
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
        self._timer = self._loop.call_at(at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        self._kick()

    def _kick(self) -> None:
        self._is_kick_planned = False
        if not self._is_closed:
            self._act([(pycurl.SOCKET_TIMEOUT, 0)])

    def _act(self, ready: list[tuple[int, int]]) -> None:
        running = self._running
        for fd, flags in ready:
            _, running = self._multi.socket_action(fd, flags)
        if running != self._running:
            self._collect()

    def _collect(self) -> None:
        left = 1
        while left:
            left, whole, failed = self._multi.info_read()
            for curl in whole:
                self._finish(curl, pycurl.E_OK, "")
            for curl, code, message in failed:
                self._finish(curl, code, message)

    def _finish(self, curl: pycurl.Curl, code: int, message: str) -> None:
        self.remove(curl)
        self._ended(curl, code, message)
