"""One connection to Redis: commands are sent at once, replies arrive in the same order."""

import asyncio
import ssl
from collections import deque
from typing import Any, cast

from tenax.coordination.address import RedisAddress

Word = str | bytes | int | float


class Refusal(Exception):
    """The server understood the command and refused it. It is alive."""


class Wire(asyncio.Protocol):
    def __init__(self) -> None:
        # Imported late: a crawl without Redis does not need it.
        import hiredis

        self._reader = hiredis.Reader(protocolError=ConnectionError, replyError=Refusal)
        self._pack: Any = hiredis.pack_command
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._transport: asyncio.Transport | None = None
        self._loop = asyncio.get_running_loop()
        self.lost = asyncio.Event()

    def start(self, *words: Word) -> asyncio.Future[Any]:
        """Send a command. The future gets the reply, a Refusal, or a ConnectionError; it may be cancelled."""
        future = self._loop.create_future()
        if self._transport is None:
            future.set_exception(ConnectionError("the connection is closed"))
        else:
            self._waiting.append(future)
            self._transport.write(self._pack(words))
        return future

    def close(self) -> None:
        """Close the connection. Waiting calls get a ConnectionError. Repeating is safe."""
        if self._transport is not None:
            self._transport.abort()
            self._disconnect(None)

    # --- asyncio.Protocol ------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not False:
                self._deliver(reply)
        except (ConnectionError, IndexError):
            # The other side does not speak the Redis protocol.
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._disconnect(error)

    def _deliver(self, reply: Any) -> None:
        future = self._waiting.popleft()
        if future.done():
            return
        if isinstance(reply, Refusal):
            future.set_exception(reply)
        else:
            future.set_result(reply)

    def _disconnect(self, error: Exception | None) -> None:
        self._transport = None
        self.lost.set()
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(ConnectionError(str(error or "the connection was closed")))


async def connect(address: RedisAddress) -> Wire:
    """Open a connection and check that it works. Raises OSError or Refusal."""
    loop = asyncio.get_running_loop()
    if address.path is not None:
        _, wire = await loop.create_unix_connection(Wire, address.path)
    else:
        context = ssl.create_default_context() if address.is_tls else None
        _, wire = await loop.create_connection(Wire, address.host, address.port, ssl=context)
    try:
        if address.password is not None:
            credentials = (address.username, address.password) if address.username else (address.password,)
            await wire.start("AUTH", *credentials)
        if address.database:
            await wire.start("SELECT", address.database)
        await wire.start("PING")
    except BaseException:
        wire.close()
        raise
    return wire
