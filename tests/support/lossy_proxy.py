"""A proxy that loses responses: requests arrive, their responses do not."""

import asyncio
from types import TracebackType
from typing import Self


class LossyProxy:
    """Forwards bytes on loopback. Once armed with a word, it cuts the connection that sends this word to the
    server as soon as the server has responded."""

    def __init__(self, host: str, port: int) -> None:
        self._server_address = (host, port)
        self._word: bytes | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.cuts = 0
        self.port = 0

    async def __aenter__(self) -> Self:
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def arm(self, word: bytes) -> None:
        self._word = word

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_connection(*self._server_address)
        is_doomed = asyncio.Event()
        for task in (
            asyncio.create_task(self._carry(reader, back, is_doomed)),
            asyncio.create_task(self._return(there, writer, is_doomed)),
        ):
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_doomed: asyncio.Event
    ) -> None:
        while data := await reader.read(65_536):
            if self._word is not None and self._word in data:
                self._word = None
                is_doomed.set()
            writer.write(data)
        writer.close()

    async def _return(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_doomed: asyncio.Event
    ) -> None:
        while data := await reader.read(65_536):
            if is_doomed.is_set():
                self.cuts += 1
                break
            writer.write(data)
        writer.close()
