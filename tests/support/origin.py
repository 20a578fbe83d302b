"""The server of the test web, in a separate process so that nothing in a test disturbs it.

Started as `python -m tests.support.origin`. It reads its configuration as one JSON line, prints its port,
then applies one change of behavior per line and prints "ok" for each. It ends when its input ends, so it
cannot outlive the test.
"""

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.site import (
    PDF_PATH,
    TRAP_PATH,
    HostBehavior,
    Site,
    SiteShape,
    canonical_host,
    find_page_number,
    find_redirect,
)

LAST_MODIFIED = "Mon, 06 Jan 2025 10:00:00 GMT"
MAX_HEAD_BYTES = 65_536
PDF_BYTES = 2_000_000
HTML = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpRequest:
    method: str
    host: str  # lower case, without port
    target: str
    headers: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    status: int
    body: bytes = b""
    content_type: str = "text/plain; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    delay_s: float = 0.0
    hangs: bool = False


class Origin:
    """Decides how to respond; its only state is the number of page requests per host."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self._asked: dict[str, int] = {}

    def set_behavior(self, host: str, behavior: HostBehavior) -> None:
        self.site.set_behavior(host, behavior)
        self._asked.pop(host, None)

    def answer(self, request: HttpRequest) -> Answer:
        if request.method not in ("GET", "HEAD"):
            return Answer(status=405)
        if canonical_host(request.host) not in self.site.shape.hosts:
            return Answer(status=404, body=b"no such host here")
        behavior = self.site.behavior(request.host)
        if behavior.captured_by:
            return Answer(status=302, headers=(("Location", behavior.captured_by),))
        if request.target == "/robots.txt":
            return _answer_robots(behavior)
        if self._is_limited(request.host, behavior):
            retry_after = behavior.retry_after
            headers = (("Retry-After", retry_after),) if retry_after else ()
            return Answer(status=behavior.limited_status, headers=headers)
        return self._answer_path(request, behavior)

    def _is_limited(self, host: str, behavior: HostBehavior) -> bool:
        name = canonical_host(host)
        self._asked[name] = self._asked.get(name, 0) + 1
        return self._asked[name] <= behavior.limited_requests

    def _answer_path(self, request: HttpRequest, behavior: HostBehavior) -> Answer:
        parts = urlsplit(request.target)
        location = find_redirect(parts.path)
        if location:
            return Answer(status=301, headers=(("Location", location),))
        if parts.path == PDF_PATH:
            body = b"%PDF-1.4\n".ljust(PDF_BYTES, b"0")
            return Answer(status=200, body=body, content_type="application/pdf")
        if parts.path == TRAP_PATH:
            body = _render_calendar(parts.query)
            return Answer(status=200, body=body, content_type=HTML, delay_s=behavior.delay_s)
        return self._answer_page(request, parts.path, behavior)

    def _answer_page(self, request: HttpRequest, path: str, behavior: HostBehavior) -> Answer:
        number = find_page_number(path)
        if number is None or not self.site.has_page(request.host, number):
            return Answer(status=404, body=b"no such page")
        if number in behavior.error_pages:
            return Answer(status=behavior.error_pages[number], delay_s=behavior.delay_s)
        headers: tuple[tuple[str, str], ...] = ()
        if behavior.has_validators:
            edition = behavior.editions.get(number, 0)
            etag = f'"{self.site.shape.seed}-{canonical_host(request.host)}-{number}-{edition}"'
            headers = (("ETag", etag), ("Last-Modified", LAST_MODIFIED))
            if _is_unchanged(request.headers, etag):
                return Answer(status=304, headers=headers, delay_s=behavior.delay_s)
        return Answer(
            status=200,
            body=self.site.render(request.host, number),
            content_type=HTML,
            headers=headers,
            delay_s=behavior.delay_s,
        )


def _answer_robots(behavior: HostBehavior) -> Answer:
    if behavior.robots_location:
        return Answer(status=302, headers=(("Location", behavior.robots_location),))
    return Answer(
        status=behavior.robots_status,
        body=behavior.robots.encode(),
        hangs=behavior.robots_hangs,
    )


def _is_unchanged(headers: dict[str, str], etag: str) -> bool:
    if "if-none-match" in headers:
        return headers["if-none-match"] == etag
    return headers.get("if-modified-since") == LAST_MODIFIED


def _render_calendar(query: str) -> bytes:
    month = parse_qs(query).get("month", ["0"])[0]
    number = int(month) if month.isdecimal() else 0
    links = "".join(
        f'<a href="{TRAP_PATH}?month={later}">Month {later}</a> ' for later in (number + 1, number + 2)
    )
    return f"<title>Month {number}</title><p>No events in month {number}. {links}</p>".encode()


class AccessLog:
    """Two lines per request, each one write to a file opened for appending."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._next_id = 0

    def start(self, request: HttpRequest, connection: int) -> int:
        self._next_id += 1
        headers = request.headers
        self._write(
            id=self._next_id,
            started_at=time.time(),
            connection=connection,
            method=request.method,
            host=request.host,
            path=request.target,
            user_agent=headers.get("user-agent", ""),
            if_none_match=headers.get("if-none-match"),
            if_modified_since=headers.get("if-modified-since"),
        )
        return self._next_id

    def end(self, request_id: int, status: int | None) -> None:
        self._write(id=request_id, ended_at=time.time(), status=status)

    def _write(self, **fields: Any) -> None:
        os.write(self._file, json.dumps(fields).encode() + b"\n")


class Connection(asyncio.Protocol):
    """A keep-alive connection; responds in the order of the requests."""

    _last_number = 0

    def __init__(self, origin: Origin, log: AccessLog) -> None:
        Connection._last_number += 1
        self._number = Connection._last_number
        self._origin = origin
        self._log = log
        self._buffer = b""
        self._open_request: int | None = None  # id of the request that waits for its response
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self._transport = None
        if self._open_request is not None:
            self._log.end(self._open_request, None)
            self._open_request = None

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._serve_buffered()

    def _serve_buffered(self) -> None:
        while self._transport and self._open_request is None:
            head, separator, rest = self._buffer.partition(b"\r\n\r\n")
            if not separator:
                if len(head) > MAX_HEAD_BYTES:
                    self._transport.close()
                return
            self._buffer = rest
            self._serve(parse_head(head))

    def _serve(self, request: HttpRequest) -> None:
        self._open_request = self._log.start(request, self._number)
        answer = self._origin.answer(request)
        if answer.hangs:
            return
        if answer.delay_s:
            asyncio.get_running_loop().call_later(answer.delay_s, self._resume, request, answer)
        else:
            self._finish(request, answer)

    def _resume(self, request: HttpRequest, answer: Answer) -> None:
        self._finish(request, answer)
        self._serve_buffered()

    def _finish(self, request: HttpRequest, answer: Answer) -> None:
        if self._transport is None or self._open_request is None:
            return
        # Before the write: the client cannot have the response, and so cannot make its next request, any
        # earlier.
        self._log.end(self._open_request, answer.status)
        self._open_request = None
        self._transport.write(format_answer(request, answer))


def parse_head(head: bytes) -> HttpRequest:
    request_line, *lines = head.decode("latin-1").split("\r\n")
    method, target, _ = (request_line + "  ").split(" ", 2)
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    host = headers.get("host", "").lower().rpartition(":")[0] or headers.get("host", "").lower()
    return HttpRequest(method=method, host=host, target=target or "/", headers=headers)


def format_answer(request: HttpRequest, answer: Answer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} -", f"Content-Length: {len(answer.body)}"]
    if answer.body:
        lines.append(f"Content-Type: {answer.content_type}")
    lines += [f"{name}: {value}" for name, value in answer.headers]
    body = b"" if request.method == "HEAD" or answer.status == 304 else answer.body
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def parse_behavior(fields: dict[str, Any]) -> HostBehavior:
    """JSON has only strings as keys; pages are numbers."""
    for name in ("editions", "error_pages", "canonical_pages"):
        fields[name] = {int(number): value for number, value in fields[name].items()}
    return HostBehavior(**fields)


async def serve(orders: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    shape = SiteShape(**{**orders["shape"], "hosts": tuple(orders["shape"]["hosts"])})
    behaviors = {host: parse_behavior(each) for host, each in orders["behaviors"].items()}
    log = AccessLog(orders["log"])
    site = Site(shape, 0, behaviors)
    origin = Origin(site)
    server = await loop.create_server(lambda: Connection(origin, log), orders["address"], 0, backlog=1024)
    port = server.sockets[0].getsockname()[1]
    site.port = orders["public_port"] or port
    print(port, flush=True)
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        change = json.loads(line)
        origin.set_behavior(change["host"], parse_behavior(change["behavior"]))
        print("ok", flush=True)


if __name__ == "__main__":
    asyncio.run(serve(json.loads(sys.stdin.readline())))
