"""Exports over HTTP: a thread reads the store and waits whenever the client does not keep up."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import TracebackType
from typing import Self

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from tenax.errors import TenaxError
from tenax.extract.chunks import ChunkSizes
from tenax.record import record
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.queries.export.formats import FLUSH_BYTES, Format, iter_chunks
from tenax.stores.queries.export.item_columns import plan_export
from tenax.stores.queries.export.rows import Noun, iter_rows, split_rows
from tenax.stores.queries.filters import EVERYTHING, Filter
from tenax.telemetry import log

PARQUET = "application/vnd.apache.parquet"

AT_ONCE = 4
FOR_ADMINISTRATORS = 1  # of these: other users' downloads cannot keep administrators out
CHUNKS_AHEAD = 2
# A client that reads less for this long is gone, or keeps others from exporting.
MIN_BYTES_PER_S = 32_000
LONGEST_WAIT_S = 30.0


class TooManyExports(TenaxError):
    """Too many exports are running: try again when one has finished."""


class AnotherExport(TenaxError):
    """You already have a running export: wait until it has finished."""


class DownloadAbandoned(TenaxError):
    """The client no longer reads the download."""


@record
class ExportRequest:
    noun: Noun
    format: Format
    is_raw: bool = False  # CSV cells without protection against formulas
    only: Filter = EVERYTHING
    sizes: ChunkSizes = ChunkSizes()


class Download:
    """Chunks on their way from the thread that reads the store to the response that sends them."""

    def __init__(self) -> None:
        self._chunks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._room = asyncio.Semaphore(CHUNKS_AHEAD)
        self._is_wanted = True
        self._error: BaseException | None = None
        self._first: bytes | None = None
        self._late_s = 0.0  # how far the client is behind the minimum rate

    async def put(self, chunk: bytes) -> None:
        """Wait for room, then add a chunk. Raises DownloadAbandoned if the client reads too slowly or not at
        all; time spent reading the store does not count."""
        started_at = time.monotonic()
        try:
            async with asyncio.timeout(LONGEST_WAIT_S - self._late_s):
                await self._room.acquire()
        except TimeoutError as error:
            raise DownloadAbandoned from error
        if not self._is_wanted:
            raise DownloadAbandoned
        waited_s = time.monotonic() - started_at
        self._late_s = max(0.0, self._late_s + waited_s - len(chunk) / MIN_BYTES_PER_S)
        self._chunks.put_nowait(chunk)

    def end(self, error: BaseException | None) -> None:
        """No more chunks follow."""
        self._error = error
        self._chunks.put_nowait(None)

    async def begin(self) -> None:
        """Wait for the first chunk. Raises the error that prevented it."""
        self._first = await self._take()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Raises an error at the end, so that a partial download is not mistaken for a complete one."""
        chunk = self._first
        while chunk is not None:
            yield chunk
            chunk = await self._take()

    def close(self) -> None:
        """The client has stopped reading. Repeating is safe."""
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
    """Runs a few exports at a time, one per client: each reads the whole store over its own connection."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._threads = ThreadPoolExecutor(AT_ONCE, "export")
        self._active: dict[Download, asyncio.Future[None]] = {}
        self._clients: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for download in self._active:
            download.close()
        await asyncio.gather(*self._active.values(), return_exceptions=True)
        self._threads.shutdown()

    async def start(self, request: ExportRequest, client: str, *, is_admin: bool) -> Download:
        """Start an export. Raises AnotherExport, TooManyExports, or StoreError if the store cannot be
        read."""
        if client in self._clients:
            raise AnotherExport
        if len(self._active) >= (AT_ONCE if is_admin else AT_ONCE - FOR_ADMINISTRATORS):
            raise TooManyExports
        self._clients.add(client)
        download = Download()
        loop = asyncio.get_running_loop()
        reading = loop.run_in_executor(self._threads, self._read, request, download, loop)
        self._active[download] = reading
        reading.add_done_callback(lambda done: self._end(request, client, download, done.exception()))
        try:
            await download.begin()
        except BaseException:
            download.close()
            raise
        return download

    def _end(
        self, request: ExportRequest, client: str, download: Download, error: BaseException | None
    ) -> None:
        del self._active[download]
        self._clients.discard(client)
        if error is not None and not isinstance(error, DownloadAbandoned):
            log.error("export_failed", noun=request.noun, exc_info=error)
        download.end(error)

    def _read(self, request: ExportRequest, download: Download, loop: asyncio.AbstractEventLoop) -> None:
        """Runs in a thread: the store is read for as long as the download takes."""

        def read(connection: Connection) -> None:
            export = plan_export(connection, request.noun, request.only, request.format)
            if request.noun is Noun.CHUNKS:
                export = replace(export, expand=split_rows(request.sizes))
            rows = iter_rows(connection, export, request.only)
            for chunk in even_out(iter_chunks(request.format, export.columns, rows, is_raw=request.is_raw)):
                # The timeout in `put` ends first, unless the loop has died.
                asyncio.run_coroutine_threadsafe(download.put(chunk), loop).result(2 * LONGEST_WAIT_S)

        read_store(self._place, read)


def even_out(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Chunks of equal size, however long a line or row group is: each is compressed on the event loop."""
    pending = bytearray()
    for chunk in chunks:
        pending += chunk
        while len(pending) >= FLUSH_BYTES:
            yield bytes(pending[:FLUSH_BYTES])
            del pending[:FLUSH_BYTES]
    if pending:
        yield bytes(pending)


class DownloadResponse(StreamingResponse):
    """Stops reading the store however the response ends."""

    def __init__(self, download: Download, name: str, media_type: str) -> None:
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        super().__init__(aiter(download), media_type=media_type, headers=headers)
        self._download = download

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._download.close()
