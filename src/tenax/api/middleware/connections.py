"""Limits on connections, which apply before there is a request that a route could refuse.

The HTTP library waits for a request as long as the client likes, keeps headers of any length, and lets one
address use all connections.
"""

import asyncio
import resource
from collections import Counter
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, ClassVar

from uvicorn._types import ASGI3Application
from uvicorn.middleware.proxy_headers import _TrustedHosts
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tenax.accounts.limits import name_client
from tenax.api.errors import Problem, answer

MAX_HEAD_BYTES = 65_536
# For a whole request, however slowly it arrives: a megabyte takes this long at 280 kbit/s.
RECEIVE_S = 30.0
# A client that reads nothing of a response for this long is gone.
SEND_S = 60.0
MOST = 1000
# The last connections are reserved for monitoring, so that it always gets an answer.
KEPT_FOR_HEALTH = 16
HEALTH_PATHS = ("/health", "/ready")
HEALTH_RECEIVE_S = 2.0
BUSY = {"Retry-After": "5"}


class ConnectionCounts:
    """Connections per client: no address may use all of them, except a trusted proxy."""

    def __init__(self, per_address: int, proxies: Sequence[str] = ()) -> None:
        self._per_address = per_address
        self._proxies = _TrustedHosts(list(proxies))
        self._counts: Counter[str] = Counter()

    def enter(self, address: str | None) -> Problem | None:
        """Count a connection until it leaves, even if it is refused."""
        client = name_client(address)
        self._counts[client] += 1
        most = min(self._per_address, max(find_room() // 2, 1))
        if self._counts[client] <= most or address in self._proxies:
            return None
        return Problem(
            503,
            f"Too many connections from your address: the limit is {most}. If it is a proxy, add it to the "
            "setting server.trusted_proxies.",
            headers=BUSY,
        )

    def leave(self, address: str | None) -> None:
        client = name_client(address)
        self._counts[client] -= 1
        if not self._counts[client]:
            del self._counts[client]


class Deadline:
    """A timer; starting it again while it runs has no effect."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def start(self, after_s: float, end: Callable[[], None]) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(after_s, end)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


class Connection(HttpToolsProtocol):
    counts: ClassVar[ConnectionCounts]  # of the server

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self._address: str | None = None
        self._is_for_health = False
        self._awaits_head = True
        self._head_bytes = 0
        self._answered: RequestResponseCycle | None = None
        self._receiving = Deadline()
        self._sending = Deadline()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        peer = transport.get_extra_info("peername")
        self._address = peer[0] if isinstance(peer, tuple) else None
        number, room = len(self.connections), find_room()
        self._is_for_health = number > room - min(KEPT_FOR_HEALTH, room // 4)
        self._expect_request()
        problem = self.counts.enter(self._address)
        if number > room:
            problem = _too_many()
        if problem is not None:
            self._refuse(problem)

    def connection_lost(self, exc: Exception | None) -> None:
        self.counts.leave(self._address)
        self._receiving.stop()
        self._sending.stop()
        if self._answered is not None:
            # The library notifies the last request that arrived; with pipelining, another one is being
            # answered.
            self._answered.disconnected = True
        super().connection_lost(exc)

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        if self._is_for_health and cycle.scope["path"] not in HEALTH_PATHS:
            refusal = answer(_too_many())
            refusal.headers["Connection"] = "close"
            app = refusal  # type: ignore[assignment]  # the two libraries name the same types
        super()._start_asgi_task(cycle, app)

    def data_received(self, data: bytes) -> None:
        self._expect_request()
        while data and not self.transport.is_closing():
            room = MAX_HEAD_BYTES - self._head_bytes if self._awaits_head else len(data)
            if room == 0:
                self._refuse(Problem(431, f"The headers are longer than {MAX_HEAD_BYTES} bytes."))
                return
            part, data = data[:room], data[room:]
            self._head_bytes += len(part)
            super().data_received(part)

    def send_400_response(self, msg: str) -> None:
        self._refuse(Problem(400, "The request is not valid HTTP."))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_request()

    def on_headers_complete(self) -> None:
        self._awaits_head = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._awaits_head, self._head_bytes = True, 0
        self._receiving.stop()
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._sending.start(SEND_S, self.transport.abort)

    def resume_writing(self) -> None:
        self._sending.stop()
        super().resume_writing()

    def _expect_request(self) -> None:
        self._receiving.start(self._find_receive_timeout(), self._give_up)

    def _find_receive_timeout(self) -> float:
        return min(RECEIVE_S, HEALTH_RECEIVE_S) if self._is_for_health else RECEIVE_S

    def _give_up(self) -> None:
        self._refuse(Problem(408, f"The request did not arrive within {self._find_receive_timeout():.0f} s."))

    def _refuse(self, problem: Problem) -> None:
        """Answer with a problem; a connection in the middle of a response is cut off instead."""
        if self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.abort()
        elif not self.transport.is_closing():
            self.transport.write(_format(problem))
            self.transport.close()


def bound_connections(per_address: int, proxies: Sequence[str]) -> type[Connection]:
    """The protocol class for the connections of one server."""

    class BoundConnection(Connection):
        counts = ConnectionCounts(per_address, proxies)

    return BoundConnection


def _too_many() -> Problem:
    return Problem(503, "Too many connections; try again later.", headers=BUSY)


def find_room() -> int:
    """Maximum concurrent connections; the store and the log need file descriptors, too."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else min(MOST, soft // 2)


def _format(problem: Problem) -> bytes:
    response = answer(problem)
    response.headers["Connection"] = "close"
    head = b"".join(b"%b: %b\r\n" % header for header in response.raw_headers)
    reason = HTTPStatus(problem.status).phrase.encode()
    return b"HTTP/1.1 %d %b\r\n%b\r\n%b" % (problem.status, reason, head, bytes(response.body))
