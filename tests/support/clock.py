"""A clock that stands still until a test moves it."""

from collections.abc import Callable

from tenax.clock import Instant

START: Instant = 1_750_000_000.0


class FakeClock:
    def __init__(self, now: Instant = START) -> None:
        self._now = now
        self._followers: list[Callable[[Instant], None]] = []

    def now(self) -> Instant:
        return self._now

    def advance(self, seconds: float) -> Instant:
        """Negative seconds set the clock back, as machines do."""
        self._now += seconds
        for follow in self._followers:
            follow(self._now)
        return self._now

    def follow(self, follower: Callable[[Instant], None]) -> None:
        """Whoever keeps a time of its own is told every move."""
        self._followers.append(follower)
