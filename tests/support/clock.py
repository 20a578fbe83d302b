"""A clock that stands still until a test moves it."""

from tenax.clock import Instant

START: Instant = 1_750_000_000.0


class FakeClock:
    def __init__(self, now: Instant = START) -> None:
        self._now = now

    def now(self) -> Instant:
        return self._now

    def advance(self, seconds: float) -> Instant:
        """Negative seconds set the clock back, as machines do."""
        self._now += seconds
        return self._now
