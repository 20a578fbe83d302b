"""Runs c-ares on the event loop, with its sockets as readers and writers and its timer."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Any

import pycares

from tenax.errors import ConfigError
from tenax.telemetry import log

Answered = Callable[[Any, int | None], None]  # pycares' result, or a code of pycares.errno

# Sorting (RFC 6724) opens a socket per address, and libcurl's happy eyeballs does not need it.
_ARES_AI_NOSORT = 1 << 7  # pycares does not export it


class LoopAres:
    """Looks hosts up in /etc/hosts and with the DNS servers, in the system's order.

    `lookups` would set the order, but pycares 5.2 frees that string before c-ares has read it, and a channel
    with an empty string looks nothing up.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, servers: Sequence[str], timeout_s: float) -> None:
        self._loop = loop
        self._pending = 0
        self._watched: set[int] = set()
        self._timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        try:
            self._channel = pycares.Channel(
                flags=pycares.ARES_FLAG_NOSEARCH | pycares.ARES_FLAG_EDNS,
                # The second try waits twice as long: both fit into the timeout.
                timeout=timeout_s / 4,
                tries=2,
                servers=servers or None,
                sock_state_cb=self._on_socket,
            )
        except (pycares.AresError, UnicodeEncodeError) as error:
            raise ConfigError(
                f"The DNS servers {', '.join(servers) or 'of the system'} cannot be used."
                " Set fetch.dns_servers to IP or IP:PORT."
            ) from error

    def query(self, host: str, answered: Answered) -> None:
        """Look up the addresses of a host. `answered` is called once, later, unless this is closed first."""

        def deliver(result: Any, code: int | None) -> None:
            # c-ares may call this immediately, and from another thread while it is being closed.
            if not self._is_closed:
                self._pending -= 1
                self._loop.call_soon(answered, result, code)

        self._pending += 1
        try:
            self._channel.getaddrinfo(
                host,
                None,
                family=socket.AF_UNSPEC,
                type=socket.SOCK_STREAM,
                flags=_ARES_AI_NOSORT,
                callback=deliver,
            )
        except Exception:
            self._pending -= 1
            raise
        self._start_timer()

    def list_servers(self) -> tuple[str, ...]:
        return tuple(self._channel.servers)

    def close(self) -> None:
        """Stop; no callback is called anymore."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
        for fd in self._watched:
            self._loop.remove_reader(fd)
            self._loop.remove_writer(fd)
        self._watched.clear()
        self._channel.close()

    def _on_socket(self, fd: int, readable: bool, writable: bool) -> None:
        """Called by c-ares, which ignores exceptions."""
        if self._is_closed:
            return
        try:
            self._watch(fd, readable, writable)
        except Exception as error:
            log.error("name_server_not_heard", exc_info=error)
            # Active queries would otherwise time out, and the names would be blamed.
            self._loop.call_soon(self._cancel)

    def _cancel(self) -> None:
        if not self._is_closed:
            self._channel.cancel()

    def _watch(self, fd: int, readable: bool, writable: bool) -> None:
        if readable:
            self._loop.add_reader(fd, self._process, fd, pycares.ARES_SOCKET_BAD)
        else:
            self._loop.remove_reader(fd)
        if writable:
            self._loop.add_writer(fd, self._process, pycares.ARES_SOCKET_BAD, fd)
        else:
            self._loop.remove_writer(fd)
        if readable or writable:
            self._watched.add(fd)
        else:
            self._watched.discard(fd)

    def _process(self, read_fd: int, write_fd: int) -> None:
        if not self._is_closed:
            self._channel.process_fd(read_fd, write_fd)
            self._start_timer()

    def _start_timer(self) -> None:
        if self._timer is None and self._pending:
            wait_s: float = self._channel.timeout()  # type: ignore[no-untyped-call]
            # Slightly later than requested, so that c-ares finds its query expired.
            self._timer = self._loop.call_later(wait_s + 0.001, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._process(pycares.ARES_SOCKET_BAD, pycares.ARES_SOCKET_BAD)
