"""The program of a reader with parsers: reads one page after the other for its worker and runs parsers on
each, so that its document is parsed once. Only such a process executes the code of users.
"""

import contextlib
import ctypes
import io
import os
import socket
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from typing import Final, Self

import orjson

from tenax import failpoints
from tenax.config.settings import Settings
from tenax.crawl.reading.deadline import deadline
from tenax.crawl.reading.messages import LENGTH, WAIT, format_fault, format_reading, frame
from tenax.crawl.reading.page import ReadPage, read_document
from tenax.crawl.reading.parse_messages import ParseRequest, format_parsed, parse_parse_request
from tenax.crawl.reading.process import (
    BEYOND_S,
    give_memory_back,
    limit_cpu,
    limit_memory,
    unlimit_cpu,
)
from tenax.crawl.reading.turn_lock import ReaderLock
from tenax.errors import ContentError, ParserError
from tenax.extract.profile import ExtractionProfile
from tenax.extract.validation import Validator
from tenax.items.page import Page
from tenax.items.running import ParsedPage, ParserLimits, PreparedParser, run_parser, skip_parser
from tenax.record import record, replace
from tenax.stores.hot.packing import unpack_body
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs

MB: Final = 1_000_000
HREFS_BYTES: Final = 5_000_000
PRINTED_CHARS: Final = 20_000  # per page, of what parsers print
PR_SET_CHILD_SUBREAPER: Final = 36
READ_BYTES: Final = 1 << 18


@record
class ParserTools:
    """What all readers of a worker share, made before they are forked."""

    parsers: Mapping[str, PreparedParser]
    limits: ParserLimits
    max_links: int
    profile: ExtractionProfile
    validator: Validator | None
    hrefs: Hrefs
    least_similar_chars: int | None
    memory_bytes: int
    cpu_s: int  # for reading a page, without its parsers
    turn_s: float  # a turn to read a large document takes no longer

    @classmethod
    def build(cls, settings: Settings, parsers: Sequence[PreparedParser]) -> Self:
        return cls(
            parsers={parser.name: parser for parser in parsers},
            limits=ParserLimits.build(settings.parsers),
            max_links=settings.limits.links_per_page,
            profile=ExtractionProfile.build(settings.extract),
            validator=Validator.build(settings.validation),
            hrefs=Hrefs(HREFS_BYTES, settings.scope.kept_names),
            least_similar_chars=settings.similarity.compared_chars,
            memory_bytes=settings.parsers.memory_mb * MB,
            cpu_s=settings.reader.cpu_s,
            turn_s=max(180.0, 3.0 * settings.reader.cpu_s) + BEYOND_S,
        )


def run_reader(channel: socket.socket, tools: ParserTools) -> None:
    """Serve until the worker closes the channel, or this process cannot be trusted with another page."""
    printer = Printer(os.dup(2))
    sys.stdout = sys.stderr = printer
    silence()
    adopt_orphans()
    limit_memory(tools.memory_bytes, is_forked=True)
    reader = PageReader(channel, tools, ReaderLock(tools.turn_s))
    while reader.serve():
        printer.refill()


class Inbox:
    """What the worker sends. A request is mostly one read: each is a call of the system, and wakes this
    process if it has to wait."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._received = b""
        self._start = 0

    def receive(self) -> bytes:
        """The next message. Ends the process when the worker has closed the channel."""
        (length,) = LENGTH.unpack(self._read(LENGTH.size))
        return self._read(length)

    def _read(self, length: int) -> bytes:
        end = self._start + length
        if len(self._received) < end:
            self._fill(length)
            end = length
        found = self._received[self._start : end]
        if end == len(self._received):
            self._received, end = b"", 0
        self._start = end
        return found

    def _fill(self, length: int) -> None:
        parts = [self._received[self._start :]]
        missing = length - len(parts[0])
        while missing > 0:
            part = self._channel.recv(max(READ_BYTES, min(missing, MB)))
            if not part:
                os._exit(0)
            parts.append(part)
            missing -= len(part)
        self._received, self._start = b"".join(parts), 0


class PageReader:
    def __init__(self, channel: socket.socket, tools: ParserTools, turns: ReaderLock) -> None:
        self._channel = channel
        self._inbox = Inbox(channel)
        self._tools = tools
        self._turns = turns
        self._pid = os.getpid()
        self._threads = threading.active_count()

    def serve(self) -> bool:
        """Read one page; returns whether this process can be trusted with another."""
        request = parse_parse_request(self._inbox.receive(), self._inbox.receive())
        if not request.is_large:
            return self._serve(request)
        self._turns.take(lambda: self._channel.sendall(frame(WAIT)))
        try:
            return self._serve(request)
        finally:
            give_memory_back()
            self._turns.end()

    def _serve(self, request: ParseRequest) -> bool:
        limit_cpu(self._tools.cpu_s)
        answer, page, is_sound = self._read(request)
        failpoints.reach("reader.answer", request.url)
        self._channel.sendall(frame(answer))
        if page is None:
            return is_sound
        unlimit_cpu()
        has_items = request.has_items
        for name in request.parsers:
            parsed = self._parse(page, name, request, has_items=has_items)
            if not parsed.is_sound:
                return False
            has_items = has_items or bool(parsed.parsing.items)
        return True

    def _read(self, request: ParseRequest) -> tuple[bytes, Page | None, bool]:
        """The answer; the page, if parsers are to see it; and whether this process can be trusted."""
        try:
            body = unpack_body(request.body, request.body_bytes) if request.is_large else request.body
            read, page = self._read_page(request, body)
        except (MemoryError, ParserError):
            return format_fault("memory", 0), None, False
        except ContentError as error:
            return format_fault("content", str(error)), None, True
        except Exception:
            return format_fault("bug", traceback.format_exc()), None, False
        # A large page is held as it is packed.
        answer = format_reading(read, has_text=not request.is_large)
        return answer, page if is_parsed(read) else None, True

    def _read_page(self, request: ParseRequest, body: bytes) -> tuple[ReadPage, Page]:
        tools, headers = self._tools, request.headers
        failpoints.reach("read", request.url)
        content_type = headers.get("content-type")
        document = parse_document(body, url=request.url, content_type=content_type, memory_bytes=None)
        read = read_document(
            document,
            body,
            headers=headers,
            max_links=tools.max_links,
            hrefs=tools.hrefs,
            profile=tools.profile,
            least_similar_chars=tools.least_similar_chars,
            validator=tools.validator,
        )
        links, keep = read.links.values(), tools.hrefs.keep
        page = Page(document, read.page, links, body, status=request.status, headers=headers, keep=keep)
        return read, page

    def _parse(self, page: Page, name: str, request: ParseRequest, *, has_items: bool) -> ParsedPage:
        """Run one parser. `has_items`: those before it made some; a last resort does not run then."""
        prepared = self._tools.parsers[name]
        if has_items and prepared.is_last_resort:
            parsed = skip_parser(prepared)
            self._channel.sendall(frame(format_parsed(parsed)))
            return parsed
        asked = [each.data for each in request.follow_ups if each.parser == name]
        page.data = orjson.loads(asked[-1]) if asked else None
        failpoints.reach("reader.parse", request.url)
        parsed = run_parser(page, prepared, self._tools.limits, deadline)
        if os.getpid() != self._pid:
            os._exit(0)  # the parser has forked, and this is the copy
        failpoints.reach("reader.parsed", request.url)
        if _has_children() or threading.active_count() > self._threads:
            parsed = replace(parsed, is_sound=False)
        self._channel.sendall(frame(format_parsed(parsed)))
        return parsed


def is_parsed(read: ReadPage) -> bool:
    """Parsers see pages that are kept, and nothing else."""
    return read.verdict is None and not read.page.is_noindex


class Printer(io.TextIOBase):
    """Where parsers print: the error output of the worker, as far as somebody may read it."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._left = PRINTED_CHARS

    def refill(self) -> None:
        self._left = PRINTED_CHARS

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self._left > 0:
            shown = text[: self._left]
            self._left -= len(shown)
            with contextlib.suppress(OSError):
                os.write(self._file, shown.encode("utf-8", "replace"))
        return len(text)


def silence() -> None:
    """No input, and no output past the printer."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for file in (0, 1, 2):
        os.dup2(nothing, file)
    os.close(nothing)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115


def adopt_orphans() -> None:
    """Processes that a parser starts and leaves behind stay children of this one."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def _has_children() -> bool:
    """A parser has left a process behind: it ends with this one, as threads do."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass  # it has ended, but nobody asked how
    except ChildProcessError:
        return False
    return True
