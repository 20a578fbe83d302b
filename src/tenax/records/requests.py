"""Requests, their responses and their failures."""

from collections.abc import Mapping
from enum import StrEnum

from tenax.clock import Instant
from tenax.record import record
from tenax.records.bodies import PackedBody


class FailureKind(StrEnum):
    """Why a request failed, or why its response could not be read."""

    DNS = "dns"  # the name could not be looked up
    NO_SUCH_HOST = "no_such_host"  # the name does not exist
    FORBIDDEN_ADDRESS = "forbidden_address"  # the guard refused to connect
    CONNECT = "connect"  # refused, unreachable, reset while connecting
    TLS = "tls"  # certificate or handshake
    TIMEOUT = "timeout"  # the total timeout passed
    RESET = "reset"  # the connection broke, or the body was shorter than announced
    PROTOCOL = "protocol"  # the response is not HTTP
    ENCODING = "encoding"  # broken or unknown content encoding
    TOO_LARGE = "too_large"  # body or headers exceed their limit
    HTTP_STATUS = "http_status"  # an error status that is neither a refusal nor "gone"
    RATE_LIMITED = "rate_limited"  # 429, or 503 with Retry-After
    FORBIDDEN = "forbidden"  # 401, 403
    CONTENT = "content"  # the document could not be read
    CRASH = "crash"  # reading the document killed a process
    READER = "reader"  # the reader process was killed from outside: this says nothing about the document
    READER_MEMORY = "reader_memory"  # reading it takes more memory than reader.memory_mb
    READER_TIME = "reader_time"  # reading it takes more CPU time than reader.cpu_s
    INTERNAL = "internal"  # a bug in this program: an unexpected exception
    LOCAL = "local"  # this machine has run out of descriptors, memory or ports, or has lost its network
    NO_ROUTE = "no_route"  # this machine has no route to any address of the host


# Failures of this machine or this program, not of the site.
OURS = frozenset({FailureKind.LOCAL, FailureKind.NO_ROUTE, FailureKind.INTERNAL})


@record
class Request:
    url: str
    etag: str | None = None
    last_modified: str | None = None
    html_only: bool = True  # stop after the headers when the type is not HTML
    takes_pdf: bool = False  # and not when it is a PDF, either
    max_bytes: int | None = None  # limit for the decoded body; None: the fetcher's setting
    truncate: bool = False  # beyond the limit keep what was received instead of failing (robots.txt)
    timeout_s: float | None = None  # total timeout; None: the fetcher's setting
    body: bytes | None = None  # of a POST; None: a GET
    headers: tuple[bytes, ...] = ()  # additional ones, as b"Name: value"; they override the fetcher's
    keeps_heads: bool = False  # the response says what was sent and received before its body


@record
class Timings:
    """Seconds from the start of the request; 0.0 where a phase did not happen."""

    dns_s: float = 0.0
    connect_s: float = 0.0
    tls_s: float = 0.0
    first_byte_s: float = 0.0
    total_s: float = 0.0


@record
class Response:
    """A server's response. Redirects are responses; they are not followed."""

    url: str
    status: int
    headers: Mapping[str, str]  # names in lower case; repeated ones joined with ", "
    body: bytes  # decoded; b"" when the type was not wanted
    started_at: Instant
    timings: Timings
    address: str  # the IP that answered
    http_version: str  # "1.1", "2", "3"
    wire_bytes: int  # body bytes as sent, before decoding
    is_truncated: bool = False
    heads: tuple[bytes, bytes] | None = None  # of request and response; None: they were not to be kept
    packed: PackedBody | None = None  # its body, if it is to be stored


@record
class Failure:
    """A request without a usable response."""

    kind: FailureKind
    detail: str
    is_transient: bool  # a later attempt may succeed
    started_at: Instant
    elapsed_s: float = 0.0
    address: str | None = None
    # Nothing came from the peer, or nothing that proves to be its own: the network may be at fault.
    is_unheard: bool = False


@record
class Addresses:
    """The IP addresses of a host."""

    ips: tuple[str, ...]  # IPv4 first; never empty
    stored_at: Instant
    expires_at: Instant
