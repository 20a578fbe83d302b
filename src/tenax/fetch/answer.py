"""Collects the response of one transfer: header lines and pieces of the body, within their limits."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from tenax.fetch.body_budget import BodyBudget
from tenax.fetch.decoding import Decoder, DecodingError, find_decoder, looks_compressed
from tenax.records.requests import Request
from tenax.web.pdfs import begins_like_pdf, is_known_type, may_be_pdf

# Limit for the body of an error or a redirect, of which more is never needed.
_ERROR_BODY_BYTES = 65_536

# Guards against bodies in chunks of one byte: each chunk costs time. Honest servers send thousands at most.
_MAX_PIECES = 100_000

PAUSE = 0x10000001  # libcurl's CURL_WRITEFUNC_PAUSE

_SNIFFED_BYTES = 512
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class BodyVerdict(Enum):
    """How much of the body was received."""

    WHOLE = "whole"  # all of it, unless the transfer itself failed
    UNWANTED = "unwanted"  # not of a type that is read: stopped before the body
    CUT = "cut"  # stopped early, and what was received is enough
    TOO_LARGE = "too_large"
    HEADERS_TOO_LARGE = "headers_too_large"
    BAD_ENCODING = "bad_encoding"
    CUT_ENCODING = "cut_encoding"  # the body ended before its encoding did
    NO_HEAD = "no_head"  # a body without a final header block


# Used four times per response; see policy/roots.py for why it is a global.
WHOLE = BodyVerdict.WHOLE


class Head(NamedTuple):
    """The final header block."""

    version: str
    status: int
    headers: dict[str, str]


class Answer:
    """Collects one response at a time. `lines` and `write` are libcurl's callbacks."""

    __slots__ = (
        "_bytes_left",
        "_continue",
        "_decoder",
        "_first",
        "_held_bytes",
        "_max_header_bytes",
        "_pieces_left",
        "_request",
        "_rest",
        "_shared",
        "_wire_bytes_left",
        "head",
        "lines",
        "verdict",
    )

    def __init__(self, max_header_bytes: int, shared: BodyBudget, resume: Callable[[], None]) -> None:
        self._max_header_bytes = max_header_bytes
        self._shared = shared
        self._continue = resume  # makes libcurl call `write` again with the piece that it kept
        self._held_bytes = 0
        self.lines: list[bytes] = []

    def begin(self, request: Request, max_bytes: int) -> None:
        self.lines.clear()
        # Most bodies arrive in one piece, which is then never copied.
        self._first = b""
        self._rest = bytearray()
        self._pieces_left = _MAX_PIECES
        self._request = request
        self._bytes_left = max_bytes
        # Encodings only shrink a body. One that enlarges it is meant to waste the crawler's time.
        self._wire_bytes_left = max_bytes + _ERROR_BODY_BYTES
        self._decoder: Decoder | None = None
        self.head: Head | None = None
        self.verdict = WHOLE

    @property
    def body(self) -> bytes:
        return self._first + self._rest if self._rest else self._first

    def release(self) -> None:
        """Free the body: an idle handle must not keep the largest page it has received."""
        self._shared.leave(self, self._held_bytes)
        self._held_bytes = 0
        self._first = b""
        self._rest = bytearray()

    @property
    def is_error(self) -> bool:
        """Whether the status alone is enough, so that a broken body does not matter."""
        return self.head is not None and not 200 <= self.head.status < 300

    def write(self, data: bytes) -> int | None:
        """Receive a piece of the body. 0 makes libcurl end the transfer, PAUSE makes it keep the piece."""
        if self._shared.must_wait(self):
            self._shared.wait(self, self._continue)
            return PAUSE
        if self.head is None and not self._open():
            return 0
        self._pieces_left -= 1
        if self._decoder is not None:
            self._wire_bytes_left -= len(data)
            try:
                data = self._decoder.decode(data, self._bytes_left)
            except DecodingError:
                return self._stop(BodyVerdict.BAD_ENCODING)
        if data:
            if not self._first and not self._is_wanted(data):
                return 0
            self._bytes_left -= len(data)
            self._keep(data[: self._bytes_left] if self._bytes_left < 0 else data)
            self._held_bytes += len(data)
            self._shared.held_bytes += len(data)
        if self._bytes_left < 0 or self._wire_bytes_left < 0 or self._pieces_left < 0:
            return self._stop(BodyVerdict.TOO_LARGE)
        return None

    def finish(self, *, is_complete: bool) -> None:
        """Decide, after the transfer has ended with or without an error, what only its end can show."""
        if self.verdict is not WHOLE:
            return
        if self.head is None:
            # After an error, incomplete headers are no verdict: the error says more.
            if is_complete or parse_head(self.lines) is not None:
                self._open()
        elif is_complete and self._decoder is not None and not self._decoder.is_complete:
            self._stop(BodyVerdict.CUT_ENCODING)

    def _open(self) -> bool:
        """Parse the headers. False: the body is not wanted."""
        if sum(map(len, self.lines)) > self._max_header_bytes:
            self.verdict = BodyVerdict.HEADERS_TOO_LARGE
            return False
        self.head = head = parse_head(self.lines)
        if head is None:
            self.verdict = BodyVerdict.NO_HEAD
            return False
        if self.is_error:
            self._bytes_left = min(self._bytes_left, _ERROR_BODY_BYTES)
        elif self._request.html_only and not (
            is_html(head.headers.get("content-type", "")) or self._may_be_pdf(head)
        ):
            self.verdict = BodyVerdict.UNWANTED
            return False
        encoding = head.headers.get("content-encoding")
        if encoding is not None:
            try:
                self._decoder = find_decoder(encoding)
            except DecodingError:
                self._stop(BodyVerdict.BAD_ENCODING)
                return False
        return True

    def _may_be_pdf(self, head: Head) -> bool:
        return self._request.takes_pdf and may_be_pdf(head.headers, self._request.url)

    def _keep(self, data: bytes) -> None:
        if self._first:
            self._rest += data
        else:
            self._first = data

    def _is_wanted(self, data: bytes) -> bool:
        """Check the first decoded bytes of a body."""
        if not self._request.html_only or self.is_error:
            return True
        if looks_compressed(data):
            self._stop(BodyVerdict.BAD_ENCODING)
        elif self.head and not self._may_be_read(data, self.head.headers.get("content-type", "")):
            self.verdict = BodyVerdict.UNWANTED
        return self.verdict is WHOLE

    def _may_be_read(self, data: bytes, content_type: str) -> bool:
        """Whether its beginning is that of HTML, or of a PDF that is wanted, if its type does not say."""
        if not content_type:
            return _looks_like_html(data) or (self._request.takes_pdf and begins_like_pdf(data))
        return not self._request.takes_pdf or is_known_type(content_type) or begins_like_pdf(data)

    def _stop(self, verdict: BodyVerdict) -> int:
        is_cut = self.is_error or (self._request.truncate and verdict is BodyVerdict.TOO_LARGE)
        self.verdict = BodyVerdict.CUT if is_cut else verdict
        return 0


def parse_head(lines: Sequence[bytes]) -> Head | None:
    """Parse the header lines of a response; interim (1xx) blocks before the final one are skipped.

    None if the final block is missing or incomplete.
    """
    start = _find_final_block(lines)
    if start is None:
        return None
    version, _, rest = lines[start].decode("latin-1").partition(" ")
    status = rest[:3]
    if not status.isdecimal():
        return None
    headers: dict[str, str] = {}
    name = ""
    text = b"".join(lines[start + 1 :]).decode("latin-1")
    for line in text.split("\n")[:-1]:
        if line in ("\r", ""):
            return Head(version.removeprefix("HTTP/"), int(status), headers)
        if line[0] in " \t" and name:
            headers[name] = f"{headers[name]} {line.strip()}"
            continue
        name, _, value = line.partition(":")
        name = name.strip().lower()
        value = value.strip()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return None


def _find_final_block(lines: Sequence[bytes]) -> int | None:
    for index, line in enumerate(lines):
        if line.startswith(b"HTTP/") and not line.partition(b" ")[2].startswith(b"1"):
            return index
    return None


def is_html(content_type: str) -> bool:
    """Whether a Content-Type header means HTML. An empty one may."""
    media_type = content_type.partition(";")[0].strip().lower()
    return not media_type or media_type in _HTML_TYPES


def _looks_like_html(data: bytes) -> bool:
    start = data[:_SNIFFED_BYTES]
    return b"<" in start and b"\0" not in start
