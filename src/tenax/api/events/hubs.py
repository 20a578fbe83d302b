"""All event streams of a server, and their subscribers."""

from collections import Counter
from collections.abc import AsyncIterator

from tenax.api.events.hub import Hub


class Hubs:
    def __init__(self, *, crawler: Hub, health: Hub, metrics: Hub, items: Hub) -> None:
        self.crawler = crawler
        self.health = health
        self.metrics = metrics
        self.items = items
        self._listeners: Counter[str] = Counter()
        self.is_closed = False

    async def count_in(self, name: str, events: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
        """Count a subscriber while it reads the events."""
        self._listeners[name] += 1
        try:
            async for text in events:
                yield text
        finally:
            self._listeners[name] -= 1
            self._listeners += Counter()  # drop names without subscribers

    def count(self) -> int:
        return self._listeners.total()

    def count_of(self, name: str) -> int:
        return self._listeners[name]

    def close(self) -> None:
        """End all streams."""
        self.is_closed = True
        for hub in (self.crawler, self.health, self.metrics, self.items):
            hub.close()
