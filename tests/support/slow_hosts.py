"""Hosts that keep their clients waiting, in different ways. Runs in a thread.

with SlowHosts() as silence:
    crawl(silence.seeds(500))       # resolve every host to 127.0.0.1, allow private addresses
"""

import asyncio
import contextlib
import itertools
import threading
from types import TracebackType
from typing import Self

# The first part of a host's name determines what it does.
MUTE = "mute"  # sends nothing
CUT = "cut"  # sends its headers and no body
DRIP = "drip"  # sends a byte a second
LURE = "lure"  # has a robots.txt, and nothing else
KINDS = (MUTE, CUT, DRIP, LURE)

_DRIP_S = 1.0


class SlowHosts:
    def __init__(self) -> None:
        self.port = 0
        self.asked = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="silence")
        self._serving: set[asyncio.Task[None]] = set()

    def seeds(self, count: int) -> list[str]:
        """The same number of seeds of each kind."""
        kinds = itertools.cycle(KINDS)
        return [f"http://{next(kinds)}{number}.test:{self.port}/" for number in range(count)]

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _listen(self) -> None:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, backlog=1024)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.gather(*self._serving, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = self._loop.create_task(self._serve(reader, writer))
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, EOFError, asyncio.IncompleteReadError):
            try:
                while True:
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.asked += 1
                    await self._keep_waiting(head.decode("latin-1"), reader, writer)
            finally:
                writer.close()

    async def _keep_waiting(
        self, head: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        host = head.lower().partition("\r\nhost: ")[2]
        if host.startswith(LURE) and head.startswith("GET /robots.txt"):
            writer.write(b"HTTP/1.1 404 -\r\nContent-Length: 0\r\n\r\n")
            return
        if host.startswith(CUT):
            writer.write(b"HTTP/1.1 200 -\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n")
        elif host.startswith(DRIP):
            await self._drip(writer)
        await reader.read(1)  # until the client disconnects

    async def _drip(self, writer: asyncio.StreamWriter) -> None:
        for byte in b"HTTP/1.1 200 -\r\nContent-Length: 9000\r\n\r\n" + b"x" * 9000:
            writer.write(bytes([byte]))
            await writer.drain()
            await asyncio.sleep(_DRIP_S)
