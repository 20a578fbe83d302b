"""Messages for libcurl's error codes. libcurl's own messages contain addresses and are not shown."""

import errno
import re
from collections.abc import Sequence
from typing import NamedTuple

import pycurl

from tenax.fetch.answer import BodyVerdict
from tenax.fetch.local_errors import NO_MEMORY, PORTS_OR_ROUTE, UNROUTED, describe_local_error
from tenax.fetch.routes import has_route
from tenax.records.requests import FailureKind

# Not every release of pycurl has names for these.
_E_HTTP2_STREAM, _E_HTTP3, _E_TOO_LARGE = 92, 95, 100

# OpenSSL's message, which releases of libcurl wrap differently.
_CERTIFICATE_PROBLEM = re.compile(r"(?:problem|verify result): ([a-z '-]*[a-z])")


_NETWORK_KINDS = frozenset({FailureKind.TIMEOUT, FailureKind.TLS, FailureKind.NO_ROUTE})


class Reason(NamedTuple):
    kind: FailureKind
    is_transient: bool
    detail: str


_RESET = Reason(FailureKind.RESET, True, "the connection broke before the answer was complete")
_CONNECT = Reason(FailureKind.CONNECT, True, "the connection was refused or could not be made")
NO_HTTP = Reason(FailureKind.PROTOCOL, True, "the answer is not valid HTTP")
_BAD_URL = Reason(FailureKind.PROTOCOL, False, "the URL cannot be requested")
_NOT_PINNED = Reason(FailureKind.DNS, True, "libcurl asked for a host that was not looked up")
_BAD_ENCODING = Reason(FailureKind.ENCODING, False, "the body is not encoded as its Content-Encoding says")
_CUT_ENCODING = Reason(FailureKind.ENCODING, True, "the encoded body ends too early")
_HEADERS_TOO_LARGE = Reason(
    FailureKind.TOO_LARGE, False, "the headers are larger than fetch.max_header_bytes allows"
)
_OWN_BODY_TOO_LARGE = Reason(FailureKind.TOO_LARGE, False, "the body is larger than allowed")
_BODY_TOO_LARGE = Reason(FailureKind.TOO_LARGE, False, "the body is larger than fetch.max_bytes allows")
_HANDSHAKE = Reason(FailureKind.TLS, False, "the TLS handshake failed")
_HANDSHAKE_BROKE = Reason(FailureKind.TLS, True, "the connection broke during the TLS handshake")

_NO_MEMORY = Reason(FailureKind.LOCAL, True, NO_MEMORY)
_NOT_SET_UP = Reason(FailureKind.LOCAL, True, "libcurl could not be set up on this machine")
_NO_CERTIFICATES = Reason(FailureKind.LOCAL, True, "this machine cannot read the certificates it trusts")
_NO_ROUTE = Reason(FailureKind.NO_ROUTE, True, "this machine has no route to any address of the host")
_NOT_HANDED_OVER = Reason(FailureKind.INTERNAL, True, "internal error: libcurl could not pass on the data")

ABORTED = Reason(FailureKind.RESET, True, "aborted")

_BY_CODE = {
    pycurl.E_UNSUPPORTED_PROTOCOL: NO_HTTP,  # also HTTP/0.9 and unknown versions
    pycurl.E_URL_MALFORMAT: _BAD_URL,
    pycurl.E_COULDNT_RESOLVE_HOST: _NOT_PINNED,
    pycurl.E_ABORTED_BY_CALLBACK: _NOT_PINNED,
    pycurl.E_COULDNT_CONNECT: _CONNECT,
    pycurl.E_FTP_WEIRD_SERVER_REPLY: NO_HTTP,  # the code that HTTP shares with FTP
    pycurl.E_HTTP2: NO_HTTP,
    _E_HTTP2_STREAM: _RESET,
    _E_HTTP3: NO_HTTP,
    pycurl.E_PARTIAL_FILE: _RESET,
    pycurl.E_GOT_NOTHING: _RESET,
    pycurl.E_SEND_ERROR: _RESET,
    pycurl.E_RECV_ERROR: _RESET,
    pycurl.E_BAD_CONTENT_ENCODING: _BAD_ENCODING,
    _E_TOO_LARGE: _HEADERS_TOO_LARGE,
    # Local errors: none of these says anything about the server.
    pycurl.E_OUT_OF_MEMORY: _NO_MEMORY,
    pycurl.E_FAILED_INIT: _NOT_SET_UP,
    pycurl.E_SSL_CACERT_BADFILE: _NO_CERTIFICATES,
    pycurl.E_WRITE_ERROR: _NOT_HANDED_OVER,
}

# Codes whose errno is that of the system call that failed.
_WITH_ERRNO = frozenset(
    {pycurl.E_COULDNT_CONNECT, pycurl.E_SEND_ERROR, pycurl.E_RECV_ERROR, pycurl.E_SSL_CONNECT_ERROR}
)

_BY_VERDICT = {
    BodyVerdict.TOO_LARGE: _BODY_TOO_LARGE,
    BodyVerdict.HEADERS_TOO_LARGE: _HEADERS_TOO_LARGE,
    BodyVerdict.BAD_ENCODING: _BAD_ENCODING,
    BodyVerdict.CUT_ENCODING: _CUT_ENCODING,
    BodyVerdict.NO_HEAD: NO_HTTP,
}


def forbidden_reason(range_name: str) -> Reason:
    detail = f"the host has a forbidden address ({range_name})"
    return Reason(FailureKind.FORBIDDEN_ADDRESS, False, detail)


def explain_verdict(verdict: BodyVerdict, *, has_own_limit: bool) -> Reason | None:
    """Explain why the body was not accepted; None if it was. `has_own_limit`: the request has its own limit
    instead of the setting."""
    if has_own_limit and verdict is BodyVerdict.TOO_LARGE:
        return _OWN_BODY_TOO_LARGE
    return _BY_VERDICT.get(verdict)


def explain_exception(error: Exception) -> Reason:
    """Explain an unexpected exception: this machine lacks a resource, or this program has a bug."""
    if isinstance(error, MemoryError):
        return _NO_MEMORY
    words = describe_local_error(error.errno) if isinstance(error, OSError) else None
    if words is not None:
        return Reason(FailureKind.LOCAL, True, words)
    return Reason(FailureKind.INTERNAL, True, f"internal error: {type(error).__name__}")


def explain_code(code: int, message: str, os_errno: int, ips: Sequence[str]) -> Reason:
    """Explain an error of libcurl, which could connect to these addresses. For timeouts see
    `explain_timeout`."""
    if code in _WITH_ERRNO and (words := describe_local_error(os_errno)) is not None:
        return Reason(FailureKind.LOCAL, True, words)
    if code == pycurl.E_COULDNT_CONNECT and os_errno in UNROUTED:
        return _explain_unrouted(os_errno, ips)
    if code == pycurl.E_PEER_FAILED_VERIFICATION:
        return _explain_certificate(message)
    if code == pycurl.E_SSL_CONNECT_ERROR:
        is_broken = os_errno or "unexpected eof" in message or "SYSCALL" in message
        return _HANDSHAKE_BROKE if is_broken else _HANDSHAKE
    if code == pycurl.E_RECV_ERROR and not os_errno:
        return _explain_reading(message)
    return _BY_CODE.get(code) or Reason(FailureKind.PROTOCOL, True, f"libcurl failed with code {code}")


def may_be_network(kind: FailureKind, os_errno: int, *, has_bytes: bool) -> bool:
    """Whether a transfer may have failed because of the network between here and the server. `has_bytes`:
    part of an answer came."""
    if kind is FailureKind.CONNECT:
        # Only the machine of the server can refuse a connection.
        return os_errno != errno.ECONNREFUSED
    if kind is FailureKind.RESET:
        return not has_bytes
    # An answer may stop in the middle when the network goes away. A captive portal has another certificate.
    return kind in _NETWORK_KINDS or os_errno == errno.ENETDOWN


def explain_timeout(elapsed_s: float, *, is_connected: bool, has_headers: bool) -> Reason:
    what = "no connection"
    if is_connected:
        what = "no complete answer" if has_headers else "no answer"
    return Reason(FailureKind.TIMEOUT, True, f"{what} within {round(elapsed_s, 1):g} s")


def _explain_unrouted(os_errno: int, ips: Sequence[str]) -> Reason:
    """Routers send most of these errors, too. They are local only if this machine has no route to any of the
    addresses. If it has a route to some, these have failed, and the error is theirs."""
    routed = sum(map(has_route, ips))
    if ips and not routed:
        return _NO_ROUTE
    if routed == len(ips) and os_errno in PORTS_OR_ROUTE:
        return Reason(FailureKind.LOCAL, True, PORTS_OR_ROUTE[os_errno])
    return _CONNECT


def _explain_certificate(message: str) -> Reason:
    found = _CERTIFICATE_PROBLEM.search(message)
    why = found[1] if found else "it does not fit the host"
    return Reason(FailureKind.TLS, False, f"the certificate is not trusted: {why}")


def _explain_reading(message: str) -> Reason:
    """libcurl uses one code for a broken connection, too many headers and a bad chunk."""
    if "response headers" in message:
        return _HEADERS_TOO_LARGE
    return NO_HTTP if "chunk" in message else _RESET
