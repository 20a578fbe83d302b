"""What holds for every request, before any route is looked up: its host, its size, and the headers of its
answer."""

import time
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenax.api.errors import Problem, answer
from tenax.api.metrics import ServerMetrics
from tenax.config import ServerSettings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    # Whatever was crawled may be in an answer: no browser is to take it for a page.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A year. Only what came over TLS says so: browsers must not believe it otherwise, and a server that is
# reached without TLS would lock its users out.
STRICT_TRANSPORT = "max-age=31536000"


class Frame:
    def __init__(self, app: ASGIApp, settings: ServerSettings, server_metrics: ServerMetrics) -> None:
        self._app = app
        self._server_metrics = server_metrics
        self._hosts = find_hosts(settings)
        self._max_body_bytes = settings.max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started_at = time.monotonic()

        async def send_framed(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count(scope, message["status"], time.monotonic() - started_at)
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
                # A proxy that is trusted has told the scheme: see trusted_proxies.
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
            await send(message)

        problem = self._check(Headers(scope=scope))
        if problem is not None:
            await answer(problem)(scope, receive, send_framed)
            return
        await self._app(scope, _limit(receive, self._max_body_bytes), send_framed)

    def _count(self, scope: Scope, status: int, duration_s: float) -> None:
        # Never by the address: whoever tries out many must not fill the memory with them.
        self._server_metrics.count(getattr(scope.get("route"), "name", "none"), status, duration_s)

    def _check(self, headers: Headers) -> Problem | None:
        host = strip_port(headers.get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            # A foreign name that leads here is how a web page would get past a browser's rules.
            return Problem(421, f"This server is not called {host!r}: name it in the setting server.hosts.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._max_body_bytes:
            return _too_large(self._max_body_bytes)
        return None


def find_hosts(settings: ServerSettings) -> Collection[str] | None:
    """The names that it may be called by; None: any."""
    if settings.hosts:
        return frozenset(settings.hosts) | LOOPBACK_NAMES
    return LOOPBACK_NAMES | {settings.host} if is_loopback(settings.host) else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can come in there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK_NAMES


def strip_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def _limit(receive: Receive, max_bytes: int) -> Receive:
    """A body may also come without saying how long it is."""
    taken = 0

    async def receive_limited() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > max_bytes:
            raise _too_large(max_bytes)
        return message

    return receive_limited


def _too_large(max_bytes: int) -> Problem:
    return Problem(413, f"The request is too large: at most {max_bytes} bytes are taken.")
