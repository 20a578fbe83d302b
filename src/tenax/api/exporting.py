"""Exports over HTTP: a thread reads the store and waits whenever whoever downloads does not keep up."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tenax.errors import TenaxError
from tenax.record import record
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.export.formats import FLUSH_BYTES, Format, iter_chunks
from tenax.stores.queries.export.rows import EXPORTS, Noun, iter_rows
from tenax.stores.queries.filters import EVERYTHING, Filter
from tenax.telemetry import log

PARQUET = "application/vnd.apache.parquet"

AT_ONCE = 4
FOR_ADMINISTRATORS = 1  # of these: nobody else's downloads keep them out
CHUNKS_AHEAD = 2
# Whoever takes less for so long has gone, or keeps others from exporting.
MIN_BYTES_PER_S = 32_000
PATIENCE_S = 30.0


class TooManyExports(TenaxError):
    """As many exports as allowed are under way: try again when one has ended."""


class AnotherExport(TenaxError):
    """You have an export under way: one at a time."""


class DownloadAbandoned(TenaxError):
    """Nobody takes what is read."""


@record
class ExportRequest:
    noun: Noun
    format: Format
    is_raw: bool = False  # cells of CSV as they are
    only: Filter = EVERYTHING


class Download:
    """Chunks on their way from the thread that reads them to whoever sends them."""

    def __init__(self) -> None:
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(CHUNKS_AHEAD)
        self._is_wanted = True
        self._error: BaseException | None = None
        self._first: bytes | None = None
        self._late_s = 0.0  # how far whoever downloads is behind the least rate

    async def put(self, chunk: bytes) -> None:
        """Waits until there is room. Raises Unwanted when it is taken too slowly, or not at all; time in
        which the store is read does not count."""
        started_at = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE_S - self._late_s):
                await self._room.acquire()
        except TimeoutError as error:
            raise DownloadAbandoned from error
        if not self._is_wanted:
            raise DownloadAbandoned
        waited_s = time.monotonic() - started_at
        self._late_s = max(0.0, self._late_s + waited_s - len(chunk) / MIN_BYTES_PER_S)
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
    """Few at a time, and one of each client: each reads the whole store, over a connection of its own."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._threads = ThreadPoolExecutor(AT_ONCE, "export")
        self._under_way: dict[Download, asyncio.Future[None]] = {}
        self._clients: set[str] = set()

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

    async def start(self, request: ExportRequest, who: str, *, is_admin: bool) -> Download:
        """Raises AnotherExport, TooManyExports, or StoreError where the store cannot be read."""
        if who in self._clients:
            raise AnotherExport
        if len(self._under_way) >= (AT_ONCE if is_admin else AT_ONCE - FOR_ADMINISTRATORS):
            raise TooManyExports
        self._clients.add(who)
        download = Download()
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self._threads, self._read, request, download, loop)
        self._under_way[download] = reading
        reading.add_done_callback(lambda done: self._end(request, who, download, done.exception()))
        try:
            await download.begin()
        except BaseException:
            download.close()
            raise
        return download

    def _end(self, request: ExportRequest, who: str, download: Download, error: BaseException | None) -> None:
        del self._under_way[download]
        self._clients.discard(who)
        if error is not None and not isinstance(error, DownloadAbandoned):
            log.error("export_failed", noun=request.noun, exc_info=error)
        download.end(error)

    def _read(self, request: ExportRequest, download: Download, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own: the store is read for as long as the download takes."""
        export = EXPORTS[request.noun]

        def read(connection: Connection) -> None:
            rows = iter_rows(connection, export, request.only)
            for chunk in even_out(iter_chunks(request.format, export.columns, rows, is_raw=request.is_raw)):
                # Its own patience ends first, unless the loop has died.
                asyncio.run_coroutine_threadsafe(download.put(chunk), loop).result(2 * PATIENCE_S)

        read_store(self._place, read)


def even_out(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks of one size, however long a line or a row group is: each is compressed on the loop."""
    pending = bytearray()
    for chunk in chunks:
        pending += chunk
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
