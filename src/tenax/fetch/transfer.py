"""A reusable libcurl handle: set up once, then used for one request after another."""

import errno
import os
import socket
import ssl
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

import pycurl

from tenax.clock import Instant
from tenax.config.fetch import FetchSettings
from tenax.fetch.answer import WHOLE, Answer, BodyVerdict, Head
from tenax.fetch.base import Done
from tenax.fetch.body_budget import BodyBudget
from tenax.fetch.custom_headers import CustomHeaders
from tenax.fetch.decoding import ACCEPTED
from tenax.fetch.failures import (
    NO_HTTP,
    Reason,
    explain_code,
    explain_exception,
    explain_timeout,
    explain_verdict,
    forbidden_reason,
    may_be_network,
)
from tenax.fetch.guard import Guard
from tenax.fetch.heads import format_heads
from tenax.fetch.multi import LoopMulti
from tenax.fetch.routes import is_own_address
from tenax.records.requests import Failure, Request, Response, Timings
from tenax.telemetry import log

_HEADERS = [
    b"Accept: text/html,application/xhtml+xml,*/*;q=0.5",
    b"Accept-Encoding: " + ACCEPTED.encode(),
]
# A large buffer saves system calls for large pages; it belongs to the multi handle, not to a transfer.
_READ_BUFFER_BYTES = 131_072
_MAX_VALIDATOR_CHARS = 1024

P = ParamSpec("P")
R = TypeVar("R")
Callback = Callable[Concatenate["Transfer", P], R]


class _SocketAddress(NamedTuple):
    """What pycurl passes to the socket callback."""

    family: int
    socktype: int
    protocol: int
    addr: tuple[str, int] | tuple[str, int, int, int]


def _refusing(refusal: int) -> Callable[[Callback[P, R]], Callback[P, R | int]]:
    """Decorate a callback of libcurl: an exception is recorded as the reason why the transfer ends, and the
    return value `refusal` makes libcurl end it. Otherwise the exception would only be printed."""

    def guard(callback: Callback[P, R]) -> Callback[P, R | int]:
        @wraps(callback)
        def call(transfer: "Transfer", /, *args: P.args, **kwargs: P.kwargs) -> R | int:
            try:
                return callback(transfer, *args, **kwargs)
            except Exception as error:
                transfer.note_fault(error)
                return refusal

        return call

    return guard


class Transfer:
    """One request at a time: `begin` it, let LoopMulti run it, `finish` it."""

    __slots__ = (
        "_answer",
        "_custom_headers",
        "_dns_s",
        "_fault",
        "_guard",
        "_handed_over",
        "_has_more_headers",
        "_multi",
        "_refusal",
        "_sent",
        "_settings",
        "_socket_errno",
        "_sockets",
        "_started_at",
        "_timeout_ms",
        "_user_agent",
        "curl",
        "done",
        "is_spent",
        "pins",
        "request",
    )

    def __init__(
        self,
        settings: FetchSettings,
        guard: Guard,
        user_agent: str,
        custom_headers: CustomHeaders | None,
        multi: LoopMulti,
        budget: BodyBudget,
    ) -> None:
        self._settings = settings
        self._guard = guard
        self._custom_headers = custom_headers
        self._answer = Answer(settings.max_header_bytes, budget, self._continue)
        self._handed_over: socket.socket | None = None
        self.pins: list[str] = []  # given to libcurl with the request
        self._has_more_headers = False  # more than the default ones
        self._sent = _HEADERS  # of the last request
        self._user_agent = user_agent
        self._timeout_ms = 0
        self.is_spent = False  # it must not be used again: libcurl may still hold data of the last request
        self._refusal: Reason | None = None
        self._fault: Reason | None = None  # an exception that ended it
        self._socket_errno = 0  # of a socket that could not be created
        self._sockets: set[int] = set()  # opened for the request
        self.curl = pycurl.Curl()
        self._multi = multi
        self._set_up(user_agent)

    def begin(self, request: Request, done: Done, at: Instant, dns_s: float, pins: list[str] | None) -> None:
        """Set the handle up for a request. `pins`: HOST:PORT:ADDRESS entries that libcurl does not have
        yet."""
        self.request = request
        self._started_at = at
        self._dns_s = dns_s
        self._refusal = None
        self._fault = None
        self._socket_errno = 0
        self._sockets.clear()
        self.done = done
        max_bytes = request.max_bytes
        self._answer.begin(request, self._settings.max_bytes if max_bytes is None else max_bytes)
        curl = self.curl
        curl.setopt(pycurl.URL, request.url)
        self._set_timeout(request.timeout_s or self._settings.timeout_s, dns_s)
        if request.body is not None:
            self._post(request, request.body)
        elif (
            self._has_more_headers
            or request.etag
            or request.last_modified
            or self._custom_headers is not None
            or request.headers
        ):
            self._set_headers(request)
        if pins:
            curl.setopt(pycurl.RESOLVE, pins)
            self.pins = pins

    def finish(self, code: int, message: str, ips: Sequence[str] = ()) -> Response | Failure:
        """Return the response, or why there is none. `ips`: the addresses that libcurl could connect to."""
        if self.pins:
            # A later request of this handle must not set the old addresses again.
            self.curl.unsetopt(pycurl.RESOLVE)
            self.pins = []
        if self.request.body is not None:
            self.curl.setopt(pycurl.HTTPGET, 1)
        if self._take_back_socket():
            self._socket_errno = errno.EMFILE  # pycurl could not duplicate it
        self._answer.finish(is_complete=code == pycurl.E_OK)
        result = self._conclude(code, message, ips)
        self._answer.release()
        return result

    def _conclude(self, code: int, message: str, ips: Sequence[str]) -> Response | Failure:
        answer = self._answer
        is_broken = code != pycurl.E_OK and answer.verdict is WHOLE
        if code != pycurl.E_OK and self._fault is not None:
            return self.fail(self._fault)
        if is_broken and not answer.is_error:
            reason = self._explain(code, message, ips)
            is_unheard = may_be_network(reason.kind, self._find_errno(), has_bytes=bool(answer.lines))
            is_own = bool(ips) and all(map(is_own_address, ips))
            return self.fail(reason, is_unheard=is_unheard and not is_own)
        verdict = explain_verdict(answer.verdict, has_own_limit=self.request.max_bytes is not None)
        if verdict is not None or answer.head is None:
            return self.fail(verdict or NO_HTTP)
        return self._respond(answer.head, is_broken or answer.verdict is BodyVerdict.CUT)

    def abandon(self, error: Exception) -> Failure:
        """Fail a transfer in any state. It must not be used again."""
        self._answer.release()
        return self.fail(explain_exception(error))

    def note_fault(self, error: Exception) -> None:
        """Record an exception. The first one is the reason why the transfer ends."""
        log.error("transfer_failed", url=self.request.url, exc_info=error)
        self._fault = self._fault or explain_exception(error)

    def uses(self, fd: int) -> bool:
        """Whether it uses this socket. -1, which libcurl also uses for its timer, means no socket."""
        return fd >= 0 and (fd in self._sockets or self.curl.getinfo(pycurl.ACTIVESOCKET) == fd)

    def fail(self, reason: Reason, *, is_unheard: bool = False) -> Failure:
        return Failure(
            kind=reason.kind,
            detail=reason.detail,
            is_transient=reason.is_transient,
            started_at=self._started_at,
            elapsed_s=self.curl.getinfo(pycurl.TOTAL_TIME),
            address=self.curl.getinfo(pycurl.PRIMARY_IP) or None,
            is_unheard=is_unheard,
        )

    def close(self) -> None:
        self.curl.close()

    def _continue(self) -> None:
        try:
            self.curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error as error:
            # `write` refused the piece that libcurl had kept. libcurl reports it only here.
            self.is_spent = True
            self._multi.end(self.curl, *error.args)

    # --- options -----------------------------------------------------------------------------

    def _set_up(self, user_agent: str) -> None:
        curl, settings = self.curl, self._settings
        curl.setopt(pycurl.NOSIGNAL, 1)
        curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS)
        curl.setopt(pycurl.FOLLOWLOCATION, 0)
        curl.setopt(pycurl.PATH_AS_IS, 1)
        curl.setopt(pycurl.PROXY, "")  # not from the environment: the guard must check the real peer
        curl.setopt(pycurl.NETRC, pycurl.NETRC_IGNORED)
        curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_2TLS)
        curl.setopt(pycurl.HTTP_CONTENT_DECODING, 0)
        curl.setopt(pycurl.BUFFERSIZE, _READ_BUFFER_BYTES)
        curl.setopt(pycurl.CONNECTTIMEOUT_MS, _to_ms(settings.connect_timeout_s))
        curl.setopt(pycurl.USERAGENT, user_agent.encode())
        curl.setopt(pycurl.HTTPHEADER, _HEADERS)
        curl.setopt(pycurl.HEADERFUNCTION, self._answer.lines.append)
        curl.setopt(pycurl.WRITEFUNCTION, self._write)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)
        curl.setopt(pycurl.SOCKOPTFUNCTION, self._note_socket)
        curl.setopt(pycurl.RESOLVER_START_FUNCTION, _forbid_lookup)
        _trust_system_certificates(curl)

    def _set_timeout(self, timeout_s: float, dns_s: float) -> None:
        timeout_ms = _to_ms(timeout_s - dns_s)
        if timeout_ms != self._timeout_ms:
            self._timeout_ms = timeout_ms
            self.curl.setopt(pycurl.TIMEOUT_MS, timeout_ms)

    def _set_headers(self, request: Request) -> None:
        headers = list(_HEADERS)
        own = self._custom_headers
        if own is not None and own.is_for(request.url):
            headers = _replace(headers, own.lines, own.names)
        if request.headers:
            headers = _replace(headers, request.headers, frozenset(map(_name, request.headers)))
        headers += _format_validator("If-None-Match", request.etag)
        headers += _format_validator("If-Modified-Since", request.last_modified)
        # The next request of this handle may be for another origin.
        self._has_more_headers = headers != _HEADERS
        self._sent = headers
        self.curl.setopt(pycurl.HTTPHEADER, headers)

    def _post(self, request: Request, body: bytes) -> None:
        self.curl.setopt(pycurl.POSTFIELDS, body)
        # Disable "Expect: 100-continue", which libcurl sends before a long body.
        lines = [*_HEADERS[1:], b"Expect:", *request.headers]
        self._has_more_headers = True
        self.curl.setopt(pycurl.HTTPHEADER, lines)

    # --- called by libcurl -------------------------------------------------------------------

    @_refusing(0)
    def _write(self, data: bytes) -> int | None:
        return self._answer.write(data)

    @_refusing(int(pycurl.SOCKET_BAD))
    def _open_socket(self, purpose: int, address: _SocketAddress) -> socket.socket | int:
        """Check the peer one last time: its address is known and nothing has been sent."""
        name = self._guard.check(address.addr[0])
        if name is not None:
            self._refusal = forbidden_reason(name)
            return int(pycurl.SOCKET_BAD)
        try:
            sock = socket.socket(address.family, address.socktype, address.protocol)
        except OSError as error:
            self._socket_errno = error.errno or 0
            return int(pycurl.SOCKET_BAD)
        self._handed_over = sock
        return sock

    @_refusing(int(pycurl.SOCKOPT_ERROR))
    def _note_socket(self, fd: int, purpose: int) -> int:
        """Record a socket. Called right after `_open_socket`, with the duplicate that pycurl made."""
        self._take_back_socket()
        self._sockets.add(fd)
        self._multi.opened(fd)
        return int(pycurl.SOCKOPT_OK)

    def _take_back_socket(self) -> bool:
        sock, self._handed_over = self._handed_over, None
        if sock is not None:
            sock.close()
        return sock is not None

    # --- results -----------------------------------------------------------------------------

    def _respond(self, head: Head, is_truncated: bool) -> Response:
        info = self.curl.getinfo
        return Response(
            url=self.request.url,
            status=head.status,
            headers=head.headers,
            body=self._answer.body,
            started_at=self._started_at,
            timings=Timings(
                dns_s=self._dns_s,
                connect_s=info(pycurl.CONNECT_TIME),
                tls_s=info(pycurl.APPCONNECT_TIME),
                first_byte_s=info(pycurl.STARTTRANSFER_TIME),
                total_s=info(pycurl.TOTAL_TIME),
            ),
            address=info(pycurl.PRIMARY_IP),
            http_version=head.version,
            wire_bytes=info(pycurl.SIZE_DOWNLOAD_T),
            is_truncated=is_truncated,
            heads=self._format_heads(head) if self.request.keeps_heads else None,
        )

    def _format_heads(self, head: Head) -> tuple[bytes, bytes]:
        own = self._custom_headers
        secret = own.names if own is not None else ()
        return format_heads(
            self.request.url, head.version, self._user_agent, self._sent, self._answer.lines, secret
        )

    def _explain(self, code: int, message: str, ips: Sequence[str]) -> Reason:
        info = self.curl.getinfo
        if code == pycurl.E_OPERATION_TIMEDOUT:
            is_connected = info(pycurl.CONNECT_TIME) > 0 or info(pycurl.NUM_CONNECTS) == 0
            timeout_s = info(pycurl.TOTAL_TIME)
            return explain_timeout(timeout_s, is_connected=is_connected, has_headers=bool(self._answer.lines))
        if code == pycurl.E_COULDNT_CONNECT and self._refusal is not None:
            return self._refusal
        return explain_code(code, message, self._find_errno(), ips)

    def _find_errno(self) -> int:
        return self._socket_errno or self.curl.getinfo(pycurl.OS_ERRNO)


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].lower()


def _replace(headers: list[bytes], lines: Iterable[bytes], names: frozenset[bytes]) -> list[bytes]:
    """`names`: of the lines, in lower case."""
    return [*(line for line in headers if _name(line) not in names), *lines]


def _forbid_lookup(*_: object) -> int:
    """Refuse a lookup by libcurl itself: it has parsed another host from the URL than we have."""
    return 1


def _format_validator(name: str, value: str | None) -> list[bytes]:
    """Format a stored ETag or date as a header; invalid values are left out."""
    if not value or len(value) > _MAX_VALIDATOR_CHARS or not value.isprintable():
        return []
    try:
        return [f"{name}: {value}".encode("latin-1")]
    except UnicodeEncodeError:
        return []


def _to_ms(seconds: float) -> int:
    return max(1, int(seconds * 1000))  # 0 would mean no limit


def _trust_system_certificates(curl: pycurl.Curl) -> None:
    """Set the system's certificates: a libcurl from a wheel looks in the paths of the build system."""
    paths = ssl.get_default_verify_paths()
    if paths.cafile and os.path.exists(paths.cafile):
        curl.setopt(pycurl.CAINFO, paths.cafile)
    elif paths.capath and os.path.isdir(paths.capath):
        curl.setopt(pycurl.CAPATH, paths.capath)
