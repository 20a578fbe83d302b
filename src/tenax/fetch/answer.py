"""What comes back during one transfer: header lines and body pieces, kept within their caps."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from tenax.fetch.decoding import Decoder, DecodingError, find_decoder, looks_compressed
from tenax.fetch.room import BodyRoom
from tenax.records.requests import Request

# Of an error's or a redirect's body. It is a courtesy: nobody needs more of it.
_ERROR_BODY_BYTES = 65_536

# Chunks of one byte cost time in proportion to their number; honest servers send thousands at most.
_MAX_PIECES = 100_000

PAUSE = 0x10000001  # libcurl's CURL_WRITEFUNC_PAUSE

_SNIFFED_BYTES = 512
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})


class BodyVerdict(Enum):
    """How far the body was taken."""

    WHOLE = "whole"  # to its end, as far as the transfer itself went well
    UNWANTED = "unwanted"  # not HTML: stopped before the body
    CUT = "cut"  # stopped early, and what came is good enough
    TOO_LARGE = "too_large"
    HEADERS_TOO_LARGE = "headers_too_large"
    BAD_ENCODING = "bad_encoding"
    CUT_ENCODING = "cut_encoding"  # the body ended before its encoding did
    NO_HEAD = "no_head"  # a body without a final header block


# Asked four times for each answer; see policy/roots.py.
WHOLE = BodyVerdict.WHOLE


class Head(NamedTuple):
    """The header block that counts: the last one."""

    version: str
    status: int
    headers: dict[str, str]


class Answer:
    """Collects one answer at a time. `lines` and `write` are libcurl's callbacks."""

    __slots__ = (
        "_decoder",
        "_first",
        "_go_on",
        "_held_bytes",
        "_max_header_bytes",
        "_pieces_left",
        "_request",
        "_rest",
        "_room",
        "_shared",
        "_wire_room",
        "head",
        "lines",
        "verdict",
    )

    def __init__(self, max_header_bytes: int, shared: BodyRoom, go_on: Callable[[], None]) -> None:
        self._max_header_bytes = max_header_bytes
        self._shared = shared
        self._go_on = go_on  # makes libcurl call `write` again with what it was told to keep
        self._held_bytes = 0
        self.lines: list[bytes] = []

    def begin(self, request: Request, max_bytes: int) -> None:
        self.lines.clear()
        # Most bodies come in one piece, which is then never copied.
        self._first = b""
        self._rest = bytearray()
        self._pieces_left = _MAX_PIECES
        self._request = request
        self._room = max_bytes
        # Encodings only shrink: a stream that grows the body is made to waste our time.
        self._wire_room = max_bytes + _ERROR_BODY_BYTES
        self._decoder: Decoder | None = None
        self.head: Head | None = None
        self.verdict = WHOLE

    @property
    def body(self) -> bytes:
        return self._first + self._rest if self._rest else self._first

    def release(self) -> None:
        """Let the body go: an idle handle must not hold the largest page it has seen."""
        self._shared.leave(self, self._held_bytes)
        self._held_bytes = 0
        self._first = b""
        self._rest = bytearray()

    @property
    def is_error(self) -> bool:
        """Whether its status alone says enough, so that a broken body does no harm."""
        return self.head is not None and not 200 <= self.head.status < 300

    def write(self, data: bytes) -> int | None:
        """Take a piece of the body. 0 makes libcurl end the transfer, PAUSE keep the piece for later."""
        if self._shared.is_full_for(self):
            self._shared.wait(self, self._go_on)
            return PAUSE
        if self.head is None and not self._open():
            return 0
        self._pieces_left -= 1
        if self._decoder is not None:
            self._wire_room -= len(data)
            try:
                data = self._decoder.decode(data, self._room)
            except DecodingError:
                return self._stop(BodyVerdict.BAD_ENCODING)
        if data:
            if not self._first and not self._is_wanted(data):
                return 0
            self._room -= len(data)
            self._keep(data[: self._room] if self._room < 0 else data)
            self._held_bytes += len(data)
            self._shared.held_bytes += len(data)
        if self._room < 0 or self._wire_room < 0 or self._pieces_left < 0:
            return self._stop(BodyVerdict.TOO_LARGE)
        return None

    def finish(self, *, is_complete: bool) -> None:
        """The transfer is over, with or without an error: settle what only its end can tell."""
        if self.verdict is not WHOLE:
            return
        if self.head is None:
            # After an error, headers that are not complete are no verdict: the error says more.
            if is_complete or parse_head(self.lines) is not None:
                self._open()
        elif is_complete and self._decoder is not None and not self._decoder.is_complete:
            self._stop(BodyVerdict.CUT_ENCODING)

    def _open(self) -> bool:
        """Read the headers. False: the body is not taken."""
        if sum(map(len, self.lines)) > self._max_header_bytes:
            self.verdict = BodyVerdict.HEADERS_TOO_LARGE
            return False
        self.head = head = parse_head(self.lines)
        if head is None:
            self.verdict = BodyVerdict.NO_HEAD
            return False
        if self.is_error:
            self._room = min(self._room, _ERROR_BODY_BYTES)
        elif self._request.html_only and not is_html(head.headers.get("content-type", "")):
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

    def _keep(self, data: bytes) -> None:
        if self._first:
            self._rest += data
        else:
            self._first = data

    def _is_wanted(self, data: bytes) -> bool:
        """Judge the first decoded bytes of a body."""
        if not self._request.html_only or self.is_error:
            return True
        if looks_compressed(data):
            self._stop(BodyVerdict.BAD_ENCODING)
        elif self.head and not self.head.headers.get("content-type") and not _looks_like_html(data):
            self.verdict = BodyVerdict.UNWANTED
        return self.verdict is WHOLE

    def _stop(self, verdict: BodyVerdict) -> int:
        is_cut = self.is_error or (self._request.truncate and verdict is BodyVerdict.TOO_LARGE)
        self.verdict = BodyVerdict.CUT if is_cut else verdict
        return 0


def parse_head(lines: Sequence[bytes]) -> Head | None:
    """Read the header lines of an answer; interim (1xx) blocks before the last are skipped.

    None when the last block is not there or not complete.
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
    """Whether a Content-Type header names HTML; an empty one says nothing and may be HTML."""
    media_type = content_type.partition(";")[0].strip().lower()
    return not media_type or media_type in _HTML_TYPES


def _looks_like_html(data: bytes) -> bool:
    start = data[:_SNIFFED_BYTES]
    return b"<" in start and b"\0" not in start
