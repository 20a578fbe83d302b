"""A network in front of a server that delays data, loses it or is slow. Runs in a thread.

with Network(server.port) as network:
    crawl(store=f"postgresql://tenax@127.0.0.1:{network.port}/postgres")
    network.hold()
    network.resume()
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit


def lead(url: str, network: "Network") -> str:
    """The address of the same database through the network."""
    parts = urlsplit(url)
    assert parts.port is not None
    network.to_port = parts.port
    return parts._replace(netloc=f"{parts.username}@127.0.0.1:{network.port}").geturl()


class Network:
    """Forwards bytes on loopback."""

    def __init__(self, to_port: int = 0, *, latency_s: float = 0.0) -> None:
        self.to_port = to_port
        self.port = 0
        self._latency_s = latency_s
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="network")
        self._is_open = asyncio.Event()
        self._is_open.set()
        self._is_cut = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._clients: set[asyncio.StreamWriter] = set()
        self._servers: set[asyncio.StreamWriter] = set()

    def __enter__(self) -> Self:
        self._thread.start()
        self._wait(self._listen())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wait(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def hold(self) -> None:
        """Hold all data back, in both directions. It is not lost."""
        self._call(self._is_open.clear)

    def resume(self) -> None:
        """Deliver what was held back."""
        self._call(self._is_open.set)

    def cut(self) -> None:
        """Lose everything that is sent from now on. The server is notified that its clients are gone, they
        are not."""
        self._call(self._cut)

    def mend(self) -> None:
        """Forward new connections again; earlier ones are lost."""
        self._call(self._mend)

    # --- in the loop -----------------------------------------------------------------------------

    async def _listen(self) -> None:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        self._listener.close()
        self._abort(self._servers)
        self._abort(self._clients)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _cut(self) -> None:
        self._is_cut = True
        self._abort(self._servers)

    def _mend(self) -> None:
        self._is_cut = False
        self._abort(self._clients)

    def _abort(self, writers: set[asyncio.StreamWriter]) -> None:
        for writer in writers:
            writer.transport.abort()
        writers.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients.add(writer)
        if self._is_cut:
            return
        await self._is_open.wait()
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self.to_port)
        except OSError:
            writer.transport.abort()
            return
        self._servers.add(back)
        for way in (self._carry(reader, back), self._carry(there, writer)):
            task = self._loop.create_task(way)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                if self._latency_s:
                    await asyncio.sleep(self._latency_s)
                await self._is_open.wait()
                writer.write(data)
        # The client must not notice that the server disconnects because of a cut.
        if not self._is_cut:
            writer.close()

    # --- from the test's thread ------------------------------------------------------------------

    def _wait(self, coroutine: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10)

    def _call(self, act: Callable[[], None]) -> None:
        async def call() -> None:
            act()

        self._wait(call())
