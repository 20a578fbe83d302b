"""Exports over HTTP: a thread reads the store and waits whenever whoever downloads does not keep up."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tenax.errors import TenaxError
from tenax.stores.exports import EXPORTS, Noun, iter_rows
from tenax.stores.formats import FLUSH_BYTES, Format, iter_lines
from tenax.stores.place import Place
from tenax.stores.reading import read_store
from tenax.telemetry import log

AT_ONCE = 2
CHUNKS_AHEAD = 2
# Whoever takes nothing for so long has gone, or keeps others from exporting.
PATIENCE_S = 60.0


class TooManyExports(TenaxError):
    """As many exports as allowed are under way: try again when one has ended."""


class Unwanted(TenaxError):
    """Nobody takes what is read."""


class Download:
    """Chunks on their way from the thread that reads them to whoever sends them."""

    def __init__(self) -> None:
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(CHUNKS_AHEAD)
        self._is_wanted = True
        self._error: BaseException | None = None
        self._first: bytes | None = None

    async def put(self, chunk: bytes) -> None:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await self._room.acquire()
        except TimeoutError as error:
            raise Unwanted from error
        if not self._is_wanted:
            raise Unwanted
        self._chunks.put_nowait(chunk)

    def end(self, error: BaseException | None) -> None:
        """Nothing more is put."""
        self._error = error
        self._chunks.put_nowait(None)

    async def begin(self) -> None:
        """Wait for the first chunk. Raises what kept it from coming."""
        self._first = await self._take()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """An error is raised at its end, so that nobody takes a part for the whole."""
        chunk = self._first
        while chunk is not None:
            yield chunk
            chunk = await self._take()

    def close(self) -> None:
        """Nobody takes any more. Repeating is safe."""
        self._is_wanted = False
        self._room.release()

    async def _take(self) -> bytes | None:
        chunk = await self._chunks.get()
        if chunk is not None:
            self._room.release()
        elif self._error is not None:
            raise self._error
        return chunk


class Exporter:
    """Few at a time: each reads the whole store."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._threads = ThreadPoolExecutor(AT_ONCE, "export")
        self._under_way: dict[Download, asyncio.Future[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for download in self._under_way:
            download.close()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        self._threads.shutdown()

    async def start(self, noun: Noun, format: Format) -> Download:
        """Raises TooManyExports, or StoreError where the store cannot be read."""
        if len(self._under_way) >= AT_ONCE:
            raise TooManyExports
        download = Download()
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self._threads, self._read, noun, format, download, loop)
        self._under_way[download] = reading
        reading.add_done_callback(lambda done: self._end(noun, download, done.exception()))
        try:
            await download.begin()
        except BaseException:
            download.close()
            raise
        return download

    def _end(self, noun: Noun, download: Download, error: BaseException | None) -> None:
        del self._under_way[download]
        if error is not None and not isinstance(error, Unwanted):
            log.error("export_failed", noun=noun, exc_info=error)
        download.end(error)

    def _read(self, noun: Noun, format: Format, download: Download, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own: the store is read for as long as the download takes."""
        export = EXPORTS[noun]

        def read(connection: Any) -> None:
            for chunk in join_lines(iter_lines(format, export.columns, iter_rows(connection, export))):
                # Its own patience ends first, unless the loop has died.
                asyncio.run_coroutine_threadsafe(download.put(chunk), loop).result(2 * PATIENCE_S)

        read_store(self._place, read)


def join_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks of one size, however long a line is: each is compressed on the loop."""
    pending = bytearray()
    for line in lines:
        pending += line
        while len(pending) >= FLUSH_BYTES:
            yield bytes(pending[:FLUSH_BYTES])
            del pending[:FLUSH_BYTES]
    if pending:
        yield bytes(pending)


class DownloadResponse(StreamingResponse):
    """Ends the reading however the sending ends."""

    def __init__(self, download: Download, name: str, media_type: str) -> None:
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        super().__init__(aiter(download), media_type=media_type, headers=headers)
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._download.close()
