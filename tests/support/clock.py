"""A clock that stands still until a test moves it."""

from collections.abc import Callable

from tenax.clock import Instant

START: Instant = 1_750_000_000.0


class FakeClock:
    """Of a machine that was started at the epoch: its uptime is the time, unless its calendar is set."""

    def __init__(self, now: Instant = START) -> None:
        self.boot = "the first"
        self.ahead_s = 0.0
        self._now = now
        self._followers: list[Callable[[Instant], None]] = []

    def now(self) -> Instant:
        return self._now

    def uptime(self) -> float:
        return self._now

    def wall(self) -> Instant:
        return self._now + self.ahead_s

    def advance(self, seconds: float) -> Instant:
        """Negative seconds set back whatever goes by it."""
        self._now += seconds
        for follow in self._followers:
            follow(self.wall())
        return self._now

    def set_calendar(self, seconds: float) -> None:
        """So much later than it is; negative: earlier. No time passes."""
        self.ahead_s += seconds
        for follow in self._followers:
            follow(self.wall())

    def follow(self, follower: Callable[[Instant], None]) -> None:
        """Whoever keeps a calendar of its own is told every move."""
        self._followers.append(follower)
