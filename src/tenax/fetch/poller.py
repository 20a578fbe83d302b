"""Notifies LoopMulti when libcurl's sockets are ready.

libcurl unregisters a socket when its connection is idle and registers it again for the next request. With an
epoll of our own the socket stays registered, which saves six system calls per request on uvloop. Elsewhere
the event loop's readers and writers are used.
"""

import asyncio
import select
from collections.abc import Callable
from typing import Protocol

import pycurl

Ready = Callable[[list[tuple[int, int]]], None]  # (socket, CSELECT_* flags)

_IN, _OUT = pycurl.POLL_IN, pycurl.POLL_OUT
_MAX_EVENTS = 256


class Poller(Protocol):
    def watch(self, fd: int, event: int) -> None:
        """Watch a socket as libcurl requests: POLL_IN, POLL_OUT, POLL_INOUT or POLL_REMOVE."""
        ...

    def forget(self, fd: int) -> None:
        """Drop what is known about this number, which is now that of a new socket."""
        ...

    def close(self) -> None: ...


class LoopPoller:
    """Uses the readers and writers of the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
        self._loop = loop
        self._ready = ready
        self._watched: dict[int, int] = {}

    def watch(self, fd: int, event: int) -> None:
        wanted = event & (_IN | _OUT)
        changed = wanted ^ self._watched.get(fd, 0)
        if changed & _IN:
            if wanted & _IN:
                self._loop.add_reader(fd, self._ready, [(fd, pycurl.CSELECT_IN)])
            else:
                self._loop.remove_reader(fd)
        if changed & _OUT:
            if wanted & _OUT:
                self._loop.add_writer(fd, self._ready, [(fd, pycurl.CSELECT_OUT)])
            else:
                self._loop.remove_writer(fd)
        if wanted:
            self._watched[fd] = wanted
        else:
            self._watched.pop(fd, None)

    def forget(self, fd: int) -> None:
        self.watch(fd, pycurl.POLL_REMOVE)

    def close(self) -> None:
        for fd in list(self._watched):
            self.forget(fd)


class EpollPoller:
    """Uses an epoll that contains libcurl's sockets and is itself a single reader of the loop.

    libcurl closes sockets without notice. The kernel then drops them from the epoll, and `forget` drops them
    here before their number is used again.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, ready: Ready) -> None:
        self._loop = loop
        self._ready = ready
        self._masks: dict[int, int] = {}
        self._idle: set[int] = set()  # registered for reading although libcurl does not need it
        self._epoll = select.epoll()
        loop.add_reader(self._epoll.fileno(), self._poll)

    def watch(self, fd: int, event: int) -> None:
        if event == _IN:
            if fd in self._idle:
                self._idle.discard(fd)
                return
            self._register(fd, select.EPOLLIN)
        elif event == pycurl.POLL_REMOVE and self._masks.get(fd) == select.EPOLLIN:
            self._idle.add(fd)
        elif event & _OUT:
            self._register(fd, select.EPOLLOUT | (select.EPOLLIN if event & _IN else 0))
        else:
            self._unregister(fd)

    def forget(self, fd: int) -> None:
        self._masks.pop(fd, None)
        self._idle.discard(fd)

    def close(self) -> None:
        self._loop.remove_reader(self._epoll.fileno())
        self._epoll.close()

    def _register(self, fd: int, mask: int) -> None:
        self.forget(fd)
        try:
            self._epoll.register(fd, mask)
        except FileExistsError:
            self._epoll.modify(fd, mask)
        self._masks[fd] = mask

    def _unregister(self, fd: int) -> None:
        self.forget(fd)
        try:
            self._epoll.unregister(fd)
        except OSError:
            return  # closed, so already gone

    def _poll(self) -> None:
        ready = []
        for fd, mask in self._epoll.poll(0, _MAX_EVENTS):
            if fd in self._idle:
                self._unregister(fd)  # the peer closed an idle connection
            elif mask & select.EPOLLOUT:
                ready.append((fd, pycurl.CSELECT_OUT | (mask & select.EPOLLIN)))
            else:
                ready.append((fd, pycurl.CSELECT_IN))
        if ready:
            self._ready(ready)


def make_poller(loop: asyncio.AbstractEventLoop, ready: Ready) -> Poller:
    return EpollPoller(loop, ready) if hasattr(select, "epoll") else LoopPoller(loop, ready)
