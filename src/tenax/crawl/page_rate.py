"""How fast pages are fetched."""

from collections import deque

from tenax.clock import Instant

RATE_WINDOW_S = 10.0


class PageRate:
    """Pages per second, over the last few seconds."""

    def __init__(self, now: Instant, window_s: float = RATE_WINDOW_S) -> None:
        self._window_s = window_s
        self._marks: deque[tuple[Instant, int]] = deque([(now, 0)])

    def measure(self, now: Instant, pages: int) -> float:
        self._marks.append((now, pages))
        while len(self._marks) > 2 and self._marks[0][0] < now - self._window_s:
            self._marks.popleft()
        since, then = self._marks[0]
        return (pages - then) / (now - since) if now > since else 0.0
