"""Checks every request before routing (its host and size) and sets the headers of every response."""

import time
from collections.abc import Collection
from ipaddress import ip_address

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tenax.api.errors import Problem, answer
from tenax.api.metrics import ServerMetrics
from tenax.config.service import ServerSettings

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
HEADERS = {
    # Responses may contain crawled content, which no browser should render as a page.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
# A year. Sent only over TLS: browsers ignore it otherwise, and a server reached without TLS would lock its
# users out.
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
                # A trusted proxy sets the scheme: see trusted_proxies.
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", STRICT_TRANSPORT)
            await send(message)

        problem = self._check(Headers(scope=scope))
        if problem is not None:
            await answer(problem)(scope, receive, send_framed)
            return
        await self._app(scope, _limit(receive, self._max_body_bytes), send_framed)

    def _count(self, scope: Scope, status: int, duration_s: float) -> None:
        # Never by path: requests for many paths must not fill the memory.
        self._server_metrics.count(getattr(scope.get("route"), "name", "none"), status, duration_s)

    def _check(self, headers: Headers) -> Problem | None:
        host = strip_port(headers.get("host", ""))
        if self._hosts is not None and host not in self._hosts:
            # DNS rebinding: a foreign name that resolves to this server would bypass the same-origin policy.
            return Problem(
                421, f"This server does not accept the host {host!r}: add it to the setting server.hosts."
            )
        length = headers.get("content-length", "0")
        if not length.isdecimal() or int(length) > self._max_body_bytes:
            return _too_large(self._max_body_bytes)
        return None


def find_hosts(settings: ServerSettings) -> Collection[str] | None:
    """The host names that requests may use; None: any."""
    if settings.hosts:
        return frozenset(settings.hosts) | LOOPBACK_NAMES
    return LOOPBACK_NAMES | {settings.host} if is_loopback(settings.host) else None


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to the address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host in LOOPBACK_NAMES


def strip_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def _limit(receive: Receive, max_bytes: int) -> Receive:
    """Limit bodies that do not declare their length."""
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
    return Problem(413, f"The request is too large: the limit is {max_bytes} bytes.")
