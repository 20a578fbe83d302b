"""The program's end of a crawl: reads the items that its process sends, and stops it."""

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from typing import Any

from tenax.crawler.items import StoredItem, parse_item
from tenax.crawler.messages import LENGTH, STOP, parse_message, receive_message
from tenax.crawler.process import Work, start_process
from tenax.errors import CrawlError

ITEM_BYTES = 1 << 26  # what asyncio may hold of one message


class ItemStream:
    """Read by `iterate` or by `iterate_async`, once. When the reader leaves early, however that happens, the
    crawl is stopped and saves everything; a second interrupt does not wait for that."""

    def __init__(self, work: Work) -> None:
        self._pid, self._channel = start_process(work)
        self._is_closed = False
        self.ended: dict[str, Any] | None = None  # what the process said at its end
        self.notes: list[str] = []  # and what the program should know

    def iterate(self) -> Iterator[StoredItem]:
        try:
            while (message := receive_message(self._channel)) is not None:
                if (item := self._read(message)) is not None:
                    yield item
            self._check_end()
        finally:
            self.close()

    async def iterate_async(self) -> AsyncGenerator[StoredItem, None]:
        reader, writer = await asyncio.open_unix_connection(sock=self._channel, limit=ITEM_BYTES)
        try:
            while (message := await _receive_async(reader)) is not None:
                if (item := self._read(message)) is not None:
                    yield item
            self._check_end()
        finally:
            await self._close_async(reader, writer)

    def close(self) -> None:
        """Stop it if it has not ended, and wait for its end. Safe to call twice."""
        if self._is_closed:
            return
        self._is_closed = True
        try:
            with contextlib.suppress(OSError):
                self._channel.send(STOP)
                while self._channel.recv(1 << 16):
                    pass
        except BaseException:
            self._abandon()
            raise
        finally:
            self._channel.close()
            self._reap()

    async def _close_async(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_closed:
            return
        self._is_closed = True
        try:
            with contextlib.suppress(OSError):
                writer.write(STOP)
                while await reader.read(1 << 16):
                    pass
        except BaseException:
            self._abandon()
            raise
        finally:
            writer.close()
            self._reap()

    def _read(self, message: dict[str, Any]) -> StoredItem | None:
        if "item" in message:
            return parse_item(message["item"])
        if "error" in message:
            raise CrawlError(message["error"])
        self.ended, self.notes = message["ended"], message.get("notes", [])
        return None

    def _check_end(self) -> None:
        if self.ended is None:
            raise CrawlError("The process of the crawl was killed; run the same program to continue.")

    def _abandon(self) -> None:
        """The crawl notices that its parent is dead, and saves everything in the background."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGKILL)

    def _reap(self) -> None:
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


async def _receive_async(reader: asyncio.StreamReader) -> dict[str, Any] | None:
    try:
        head = await reader.readexactly(LENGTH.size)
        return parse_message(await reader.readexactly(LENGTH.unpack(head)[0]))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
