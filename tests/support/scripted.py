"""A small web whose every response is defined by a test: hosts, paths, statuses, headers, delays.

    with ScriptedWeb({"a.test": {"/": page("Home", "/b"), "/b": moved("/c")}}) as web:
        crawl(data, [web.url("a.test")])
        assert web.paths("a.test") == ["/robots.txt", "/", "/b", "/c"]

Other paths respond with 404, including robots.txt, or with what the path "*" says. Hosts share one port.
"""

import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Any, Self

from tests.support.web import LoggedRequest

HTML = "text/html; charset=utf-8"
_POLL_S = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    is_reset: bool = False  # reset the connection instead of responding


Script = Reply | Callable[[int], Reply]  # called with the number of earlier requests for the path


def page(title: str, *hrefs: str, head: str = "", text: str = "", headers: Mapping[str, str] | None = None,
         delay_s: float = 0.0) -> Reply:  # fmt: skip
    """An HTML page that links to all of `hrefs`; its text is unique to its title."""
    links = "".join(f'<a href="{escape(href)}">{escape(href)}</a> ' for href in hrefs)
    words = text or f"This page is about {title} and about nothing else. " * 6
    body = f"<!doctype html><title>{escape(title)}</title>{head}<p>{words}</p>{links}"
    return Reply(body=body.encode(), headers={"Content-Type": HTML, **(headers or {})}, delay_s=delay_s)


def moved(location: str, status: int = 302) -> Reply:
    return Reply(status=status, headers={"Location": location})


def text(body: str, status: int = 200) -> Reply:
    return Reply(status=status, body=body.encode(), headers={"Content-Type": "text/plain"})


def status(code: int, **headers: str) -> Reply:
    return Reply(status=code, headers={name.replace("_", "-"): value for name, value in headers.items()})


def in_turn(*replies: Reply) -> Script:
    """One reply after another, the last one forever."""
    return lambda asked: replies[min(asked, len(replies) - 1)]


class ScriptedWeb:
    """Serves inside the `with` block; `hosts` may be changed meanwhile."""

    def __init__(self, hosts: Mapping[str, Mapping[str, Script]]) -> None:
        self.hosts: dict[str, dict[str, Script]] = {host: dict(paths) for host, paths in hosts.items()}
        self.is_over = Event()
        self._asked: Counter[tuple[str, str]] = Counter()
        self._log: list[LoggedRequest] = []
        self._lock = Lock()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self.port: int = self._server.server_address[1]

    def __enter__(self) -> Self:
        self._thread = Thread(target=self._server.serve_forever, args=(_POLL_S,), daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def requests(self, host: str | None = None) -> list[LoggedRequest]:
        with self._lock:
            found = sorted(self._log, key=lambda request: request.started_at)
        return [request for request in found if host is None or request.host == host]

    def paths(self, host: str) -> list[str]:
        return [request.path for request in self.requests(host)]

    def asked(self, host: str) -> set[str]:
        """The paths that were requested, answered or not."""
        with self._lock:
            return {path for asked_host, path in self._asked if asked_host == host}

    def find_reply(self, host: str, path: str) -> Reply:
        with self._lock:
            asked = self._asked[host, path]
            self._asked[host, path] += 1
        paths = self.hosts.get(host, {})
        script = paths.get(path) or paths.get("*") or text("nothing here", 404)
        return script if isinstance(script, Reply) else script(asked)

    def note(self, request: LoggedRequest) -> None:
        with self._lock:
            self._log.append(request)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect early: they are normal here."""


def _handler_of(web: ScriptedWeb) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            started_at = time.time()
            host = self.headers.get("Host", "").rpartition(":")[0].lower()
            reply = web.find_reply(host, self.path)
            if reply.delay_s:
                web.is_over.wait(reply.delay_s)
            web.note(self._describe(host, reply, started_at))
            if reply.is_reset:
                self._reset()
            else:
                self._send(reply)

        def _describe(self, host: str, reply: Reply, started_at: float) -> LoggedRequest:
            return LoggedRequest(
                id=0,
                host=host,
                path=self.path,
                method="GET",
                started_at=started_at,
                ended_at=time.time(),
                status=None if reply.is_reset else reply.status,
                connection=self.client_address[1],
                user_agent=self.headers.get("User-Agent", ""),
                if_none_match=self.headers.get("If-None-Match"),
                if_modified_since=self.headers.get("If-Modified-Since"),
            )

        def _send(self, reply: Reply) -> None:
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def _reset(self) -> None:
            self.close_connection = True
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on stderr."""

    return Handler
