"""A reader with parsers, as its worker sees it."""

import asyncio
import contextlib
import signal
from typing import Final, Self

from tenax.crawl.reading.messages import LENGTH

EXIT_WAIT_S: Final = 5.0
LAST_WORDS_S: Final = 0.5


class ParserReader:
    def __init__(self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.pid = pid
        self.idling: asyncio.TimerHandle | None = None
        self._reader = reader
        self._writer = writer
        self._exit: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def keep(self) -> Self:
        """It has something to do."""
        if self.idling is not None:
            self.idling.cancel()
        return self

    async def send(self, message: bytes) -> None:
        """Errors are ignored: a missing answer shows them."""
        with contextlib.suppress(ConnectionError):
            self._writer.write(message)
            await self._writer.drain()

    async def receive(self, most_bytes: int) -> bytes | None:
        """None: the process is gone."""
        try:
            (length,) = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))
            return await self._reader.readexactly(length) if length <= most_bytes else None
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    def note_exit(self, code: int) -> None:
        if not self._exit.done():
            self._exit.set_result(code)
        # A process that it left behind may hold its end of the channel open. What it has sent before it
        # exited is on its way.
        asyncio.get_running_loop().call_later(LAST_WORDS_S, self._writer.transport.abort)

    async def describe_end(self) -> str:
        done, _ = await asyncio.wait([self._exit], timeout=EXIT_WAIT_S)
        if not done:
            return "closed its channel"
        code = self._exit.result()
        if code >= 0:
            return f"ended with exit code {code}"
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        return f"was ended by {name}"

    def close(self) -> None:
        if self.idling is not None:
            self.idling.cancel()
        self._writer.close()
        if not self._exit.done():
            self._exit.cancel()
