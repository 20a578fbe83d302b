"""The readers with parsers of a worker: pages go to whichever is free, and a parser that ends or blocks its
reader costs its own items alone.
"""

import asyncio
import contextlib
import itertools
import os
import socket
import struct
from collections import deque
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from types import TracebackType
from typing import Any, Final, Self

from tenax.config.settings import Settings
from tenax.crawl.reading.messages import (
    LENGTH,
    WAIT,
    OutOfMemory,
    ReaderError,
    ReadResult,
    parse_answer,
)
from tenax.crawl.reading.parse_messages import ParseRequest, format_parse_request, parse_parsed
from tenax.crawl.reading.parser_host import ParserHost
from tenax.crawl.reading.parser_limits import PoolLimits
from tenax.crawl.reading.parser_reader import ParserReader
from tenax.errors import ContentError
from tenax.items.faults import build_fault
from tenax.items.parser import ParserCard
from tenax.items.running import ParsedPage, describe_timeout
from tenax.record import record
from tenax.records.items import LoggedError, Parsing
from tenax.telemetry import log

MORE_AFTER_S: Final = 0.3  # that a page waits for a reader before another one is started
# The same when there are as many as cores: more of them help only with parsers that wait for something, and
# take turns on cold caches otherwise.
MANY_AFTER_S: Final = 3.0
CORES: Final = max(os.cpu_count() or 1, 2)
FORK_S: Final = 60.0
BAD_ANSWER: Final = (ValueError, KeyError, TypeError, IndexError, struct.error)


@record
class ParseResult:
    page: ReadResult
    parsed: tuple[ParsedPage, ...]  # empty: it is no page that parsers see


@record
class Unread:
    """Readers were lost twice before the page was read. Another kind of reader decides whose fault it is."""

    parsed: tuple[ParsedPage, ...]  # the errors


class _Lost(Exception):
    """A reader is gone."""

    def __init__(self, kind: str, how: str) -> None:
        super().__init__(how)
        self.kind = kind
        self.how = how


class HostGone(Exception):
    """The parser host is gone: this worker cannot parse pages any more."""


@dataclass(slots=True)
class _Progress:
    """What is known of a page so far, whichever reader said it."""

    request: ParseRequest
    left: deque[str]  # parsers that have not run
    page: ReadResult | None = None
    parsed: list[ParsedPage] = field(default_factory=list)
    losses: int = 0  # of readers, before they had read the page


class Given(Enum):
    """What a page that waits for a reader may get instead of one."""

    ROOM = auto()  # for another reader
    TIME = auto()  # it has waited for long


class ParserPool:
    def __init__(self, host: ParserHost, limits: PoolLimits) -> None:
        self._host = host
        self._limits = limits
        self._versions = {card.name: card.version for card in host.cards}
        self._free: list[ParserReader] = []
        self._count = 0
        self._waiting: deque[asyncio.Future[ParserReader | Given]] = deque()
        self._tickets = itertools.count(1)
        self._forks: dict[int, asyncio.Future[int]] = {}
        self._readers: dict[int, ParserReader] = {}
        self._is_closed = False
        self.is_gone = False
        self.on_gone: Callable[[], None] = lambda: None

    async def __aenter__(self) -> Self:
        asyncio.get_running_loop().add_reader(self._host.control, self._on_report)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_closed = True
        asyncio.get_running_loop().remove_reader(self._host.control)
        for reader in list(self._readers.values()):
            self._end(reader)
        self._wake_all()

    @property
    def cards(self) -> tuple[ParserCard, ...]:
        return self._host.cards

    @property
    def pids(self) -> list[int]:
        return list(self._readers)

    async def read(self, request: ParseRequest) -> ParseResult | Unread:
        """Read a page and run the parsers that it names. Raises ContentError when the document cannot be
        read, OSError when no process can be started, HostGone."""
        progress = _Progress(request=request, left=deque(request.parsers))
        while True:
            try:
                is_over = await self._advance(progress)
            except _Lost as lost:
                is_over = self._note_loss(progress, lost)
            if not is_over:
                continue
            parsed = tuple(progress.parsed)
            return (
                Unread(parsed=parsed)
                if progress.page is None
                else ParseResult(page=progress.page, parsed=parsed)
            )

    async def _advance(self, progress: _Progress) -> bool:
        """Have a reader do what is left. False: it has to be replaced before it is through."""
        reader = await self._take()
        is_sound = False
        try:
            is_sound = await self._use(reader, progress)
        except ContentError:
            is_sound = True
            raise
        except ReaderError as error:
            log.error("reader_failed", url=progress.request.url, traceback=str(error))
            raise
        finally:
            if is_sound:
                self._give_back(reader)
            else:
                self._end(reader)
        return is_sound or not progress.left

    async def _use(self, reader: ParserReader, progress: _Progress) -> bool:
        """Returns whether the reader can be trusted with another page."""
        page = await self._read_page(reader, progress)
        progress.page = progress.page or page
        if page.verdict is not None or page.is_noindex:
            progress.left.clear()
        is_sound = True
        while progress.left and is_sound:
            parsed = await self._receive_parsed(reader, progress.left[0])
            progress.parsed.append(parsed)
            progress.left.popleft()
            is_sound = parsed.is_sound
        return is_sound

    async def _read_page(self, reader: ParserReader, progress: _Progress) -> ReadResult:
        has_items = any(each.parsing.items for each in progress.parsed)
        head = format_parse_request(progress.request, tuple(progress.left), has_items=has_items)
        answer: bytes | None = WAIT
        body = progress.request.body
        reader.send(LENGTH.pack(len(head)), head, LENGTH.pack(len(body)), body)
        try:
            # Sent every few seconds while other readers have their turn, however long that takes.
            while answer == WAIT:
                answer = await reader.receive(self._limits.memory_bytes, self._limits.page_s)
        except TimeoutError:
            raise _Lost("ReaderLost", f"made no progress for {self._limits.page_s:g} s") from None
        if answer is None:
            raise _Lost("ReaderLost", await reader.describe_end())
        try:
            found = parse_answer(answer)
        except BAD_ANSWER:
            raise _Lost("ReaderLost", "sent an invalid answer") from None
        if isinstance(found, OutOfMemory):
            progress.losses += 1  # another one would have no more memory
            raise _Lost("MemoryError", "needs more memory than parsers.memory_mb allows")
        return found

    async def _receive_parsed(self, reader: ParserReader, name: str) -> ParsedPage:
        """Raises _Lost: it is the fault of this parser."""
        try:
            message = await reader.receive(self._limits.parsed_bytes, self._limits.parser_s)
        except TimeoutError:
            raise _Lost("Timeout", "") from None
        if message is None:
            raise _Lost("ReaderDied", await reader.describe_end())
        try:
            parsed = parse_parsed(message)
        except BAD_ANSWER:
            raise _Lost("ReaderDied", "sent an invalid answer") from None
        if parsed.parsing.parser != name:
            raise _Lost("ReaderDied", "sent an invalid answer")
        return parsed

    def _note_loss(self, progress: _Progress, lost: _Lost) -> bool:
        """Returns whether nothing is left to do."""
        log.warning("parser_lost", url=progress.request.url, kind=lost.kind, how=lost.how)
        if lost.kind in ("Timeout", "ReaderDied"):
            progress.parsed.append(self._fail(progress.left.popleft(), lost))
            return not progress.left
        progress.losses += 1
        if progress.losses < 2:
            return False
        progress.parsed += [self._fail(name, lost) for name in progress.left]
        progress.left.clear()
        return True

    def _fail(self, name: str, lost: _Lost) -> ParsedPage:
        parsing = Parsing(parser=name, version=self._versions[name], error=self._describe(name, lost))
        return ParsedPage(parsing=parsing)

    def _describe(self, name: str, lost: _Lost) -> LoggedError:
        if lost.kind == "Timeout":
            return describe_timeout(self._limits.parser, name)
        if lost.kind == "ReaderDied":
            return build_fault(lost.kind, f"It ended the process that ran it, which {lost.how}.", name)
        return build_fault(lost.kind, f"It did not run: the process that read the page {lost.how}.", name)

    # --- readers -------------------------------------------------------------------------------------

    async def _take(self) -> ParserReader:
        """A reader that is free, in the order of requests. Another one is started only when all are busy for
        a while: each takes memory."""
        while True:
            self._check_host()
            if self._free:
                return self._free.pop().keep()
            if not self._count:
                return await self._start()
            given = await self._wait_for_one()
            if given is Given.TIME:
                if self._count < self._limits.processes:
                    return await self._start()
            elif given is not Given.ROOM:
                return given

    async def _wait_for_one(self) -> "ParserReader | Given":
        loop = asyncio.get_running_loop()
        future: asyncio.Future[ParserReader | Given] = loop.create_future()
        self._waiting.append(future)
        if self._count >= self._limits.processes:
            return await future
        after_s = MORE_AFTER_S if self._count < CORES else MANY_AFTER_S
        timer = loop.call_later(after_s, self._end_patience, future)
        try:
            return await future
        finally:
            timer.cancel()

    def _end_patience(self, future: "asyncio.Future[ParserReader | Given]") -> None:
        if not future.done():
            self._waiting.remove(future)
            future.set_result(Given.TIME)

    def _check_host(self) -> None:
        if self.is_gone or self._is_closed:
            raise HostGone

    def _give_back(self, reader: ParserReader) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(reader)
                return
        reader.idling = asyncio.get_running_loop().call_later(self._limits.idle_s, self._retire, reader)
        self._free.append(reader)

    def _retire(self, reader: ParserReader) -> None:
        self._free.remove(reader)
        self._end(reader)

    async def _start(self) -> ParserReader:
        self._count += 1
        try:
            reader = await self._fork()
        except BaseException:
            self._count -= 1
            self._wake_one()
            raise
        self._readers[reader.pid] = reader
        return reader

    async def _fork(self) -> ParserReader:
        ours, theirs = socket.socketpair()
        ticket = next(self._tickets)
        future = self._forks[ticket] = asyncio.get_running_loop().create_future()
        try:
            with theirs:
                self._host.fork(ticket, theirs)
            async with asyncio.timeout(FORK_S):
                pid = await future
            loop = asyncio.get_running_loop()
            _, reader = await loop.create_unix_connection(lambda: ParserReader(pid), sock=ours)
            return reader
        except BaseException:
            ours.close()
            raise
        finally:
            del self._forks[ticket]

    def _end(self, reader: ParserReader) -> None:
        """Safe to call twice."""
        reader.close()
        if self._readers.pop(reader.pid, None) is not None:
            self._host.end_reader(reader.pid)
            self._count -= 1
            self._wake_one()

    def _wake_one(self) -> None:
        """There is room for another reader."""
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_result(Given.ROOM)
                return

    def _wake_all(self) -> None:
        while self._waiting:
            self._wake_one()

    def _on_report(self) -> None:
        reports = self._host.receive()
        if reports is None:
            self._lose_host()
            return
        for report in reports:
            self._note(report)

    def _note(self, report: dict[str, Any]) -> None:
        if "exited" in report:
            reader = self._readers.get(report["exited"])
            if reader is not None:
                reader.note_exit(report["code"])
            if reader in self._free:
                self._retire(reader)
            return
        future = self._forks.get(report.get("forked") or report.get("failed") or 0)
        if future is None or future.done():
            return
        if "forked" in report:
            future.set_result(report["pid"])
        else:
            future.set_exception(OSError(report["errno"], os.strerror(report["errno"])))

    def _lose_host(self) -> None:
        self.is_gone = True
        asyncio.get_running_loop().remove_reader(self._host.control)
        for future in self._forks.values():
            if not future.done():
                future.set_exception(HostGone())
        self._wake_all()
        self.on_gone()


@contextlib.asynccontextmanager
async def open_pool(host: ParserHost | None, settings: Settings) -> AsyncIterator[ParserPool | None]:
    """None: the run has no parsers."""
    if host is None:
        yield None
        return
    async with ParserPool(host, PoolLimits.build(settings)) as pool:
        yield pool
