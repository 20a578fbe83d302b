"""A stream of events for all subscribers: collected once, kept for a while, and sent to each from its
position.

An event id starts with the event's time by the store's clock, so it means the same to every server on a
store: a subscriber that reconnects, to this server or another, receives what came after its last event.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

from pydantic import BaseModel

from tenax.clock import Instant
from tenax.errors import TenaxError
from tenax.record import record
from tenax.telemetry import log

KEPT = 1000
HEARTBEAT_S = 10.0
RETRY_MS = 2000
# Subscribers have to reconnect after this long, so that their access is checked again.
LONGEST_S = 900.0
MOST_LISTENERS = 1000
PREAMBLE = f"retry: {RETRY_MS}\n\n".encode()
HEARTBEAT = b": still here\n\n"

EventId = tuple[int, int]


@record
class NewEvent:
    """An event to publish."""

    kind: str
    at: Instant
    data: BaseModel


@record
class StreamEvent:
    id: EventId
    text: bytes  # as it is sent


class Hub:
    """`collect` returns new events; it is called every `every_s` while there are subscribers."""

    def __init__(self, collect: Callable[[], Awaitable[Sequence[NewEvent]]], every_s: float) -> None:
        self._collect = collect
        self._every_s = every_s
        self._events: deque[StreamEvent] = deque(maxlen=KEPT)
        self._last: EventId = (0, 0)
        self._more = asyncio.Event()
        self._collector: asyncio.Task[None] | None = None
        self._is_closed = False
        self.listeners = 0

    async def listen(self, after: str | None) -> AsyncIterator[bytes]:
        """Stream the events after that id; without one, from the newest on."""
        self.listeners += 1
        if self._collector is None or self._collector.done():
            self._collector = asyncio.create_task(self._collect_repeatedly())
        try:
            yield PREAMBLE
            position = parse_id(after) if after else None
            ends_at = time.monotonic() + LONGEST_S
            while not self._is_closed and time.monotonic() < ends_at:
                more = self._more
                for event in self._list_after(position):
                    position = event.id
                    yield event.text
                if not await _wait_for_event(more):
                    yield HEARTBEAT
        finally:
            self.listeners -= 1

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._more.set()
        if self._collector is not None:
            self._collector.cancel()

    def publish(self, event: NewEvent) -> None:
        number = (max(int(event.at * 1000), self._last[0]), 0)
        if number[0] == self._last[0]:
            number = (number[0], self._last[1] + 1)
        self._last = number
        self._events.append(StreamEvent(id=number, text=format_event(number, event)))
        more, self._more = self._more, asyncio.Event()
        more.set()

    def _list_after(self, position: EventId | None) -> list[StreamEvent]:
        if position is None:
            return list(self._events)[-1:]
        return [event for event in self._events if event.id > position]

    async def _collect_repeatedly(self) -> None:
        while self.listeners:
            try:
                for event in await self._collect():
                    self.publish(event)
            except TenaxError as error:
                log.warning("events_not_read", error=str(error))
            except Exception as error:
                # A bug that some rows trigger must not silence the stream for as long as somebody listens.
                log.error("events_not_collected", exc_info=error)
            await asyncio.sleep(self._every_s)


async def _wait_for_event(more: asyncio.Event) -> bool:
    """False: there was no event for a while."""
    try:
        async with asyncio.timeout(HEARTBEAT_S):
            await more.wait()
    except TimeoutError:
        return False
    return True


def format_event(number: EventId, event: NewEvent) -> bytes:
    # JSON contains no raw line breaks, so crawled text cannot end the line.
    data = event.data.model_dump_json()
    return f"id: {number[0]}-{number[1]}\nevent: {event.kind}\ndata: {data}\n\n".encode()


def parse_id(text: str) -> EventId | None:
    """None: not an id of ours; the stream starts from the newest event."""
    first, _, second = text.partition("-")
    if not (first.isdecimal() and second.isdecimal() and len(text) < 40):
        return None
    return int(first), int(second)
