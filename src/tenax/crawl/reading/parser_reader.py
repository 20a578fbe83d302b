"""A reader with parsers, as its worker sees it."""

import asyncio
import signal
from typing import Final, Self, cast

from tenax.crawl.reading.messages import LENGTH

EXIT_WAIT_S: Final = 5.0
LAST_WORDS_S: Final = 0.5
UNASKED_BYTES: Final = 1 << 20  # are taken from it before somebody waits for them


def describe_code(code: int) -> str:
    """How a process ended. `code`: negative for a signal."""
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
    return f"was ended by {name}"


class ParserReader(asyncio.Protocol):
    """Messages are cut from what has arrived, and one timer guards the one that is waited for: with streams
    and a timeout for each, they cost a worker twice as much."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.idling: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._most_bytes = 0  # of the message that is waited for
        self._arrival: asyncio.Future[bool] | None = None  # False: it is late
        self._is_over = False
        self._is_paused = False
        self._exit: asyncio.Future[int] = self._loop.create_future()

    def keep(self) -> Self:
        """It has something to do."""
        if self.idling is not None:
            self.idling.cancel()
        return self

    def send(self, *parts: bytes) -> None:
        """What does not fit waits: a reader has one page at a time. A missing answer shows errors."""
        if self._transport is not None and not self._is_over:
            self._transport.writelines(parts)

    async def receive(self, most_bytes: int, timeout_s: float) -> bytes | None:
        """None: the process is gone, or its message is longer. Raises TimeoutError."""
        self._most_bytes = most_bytes
        if self._is_paused and self._transport is not None:
            self._is_paused = False
            self._transport.resume_reading()
        if not self._is_decided():
            await self._wait(timeout_s)
        return self._take()

    def note_exit(self, code: int) -> None:
        if not self._exit.done():
            self._exit.set_result(code)
        # A process that it left behind may hold its end of the channel open. What it has sent before it
        # exited is on its way.
        self._loop.call_later(LAST_WORDS_S, self._abort)

    async def describe_end(self) -> str:
        done, _ = await asyncio.wait([self._exit], timeout=EXIT_WAIT_S)
        if not done:
            return "closed its channel"
        return describe_code(self._exit.result())

    def close(self) -> None:
        if self.idling is not None:
            self.idling.cancel()
        if self._transport is not None:
            self._transport.close()
        if not self._exit.done():
            self._exit.cancel()

    # --- called by the loop --------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's is none of asyncio's classes.
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        if self._is_decided():
            self._end_wait(is_in_time=True)
        if len(self._received) > self._most_bytes + UNASKED_BYTES and not self._is_paused:
            assert self._transport is not None
            self._is_paused = True
            self._transport.pause_reading()

    def connection_lost(self, error: Exception | None) -> None:
        self._is_over = True
        self._end_wait(is_in_time=True)

    # --- messages ------------------------------------------------------------------------------------

    async def _wait(self, timeout_s: float) -> None:
        self._arrival = self._loop.create_future()
        timer = self._loop.call_later(timeout_s, self._expire)
        try:
            if not await self._arrival:
                raise TimeoutError
        finally:
            timer.cancel()
            self._arrival = None

    def _expire(self) -> None:
        self._end_wait(is_in_time=False)

    def _end_wait(self, *, is_in_time: bool) -> None:
        if self._arrival is not None and not self._arrival.done():
            self._arrival.set_result(is_in_time)

    def _is_decided(self) -> bool:
        """A whole message is there, or never will be."""
        if self._is_over:
            return True
        if len(self._received) < LENGTH.size:
            return False
        length: int = LENGTH.unpack_from(self._received)[0]
        return length > self._most_bytes or len(self._received) >= LENGTH.size + length

    def _take(self) -> bytes | None:
        if len(self._received) < LENGTH.size:
            return None
        (length,) = LENGTH.unpack_from(self._received)
        end = LENGTH.size + length
        if length > self._most_bytes or len(self._received) < end:
            return None
        self._most_bytes = 0
        with memoryview(self._received) as received:
            message = bytes(received[LENGTH.size : end])
        del self._received[:end]
        return message

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()
