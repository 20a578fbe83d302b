"""A clock that does not move unless a test moves it."""

from collections.abc import Callable

from tenax.clock import Instant

START: Instant = 1_750_000_000.0


class FakeClock:
    """The clock of a machine that was booted at the epoch: its uptime is the time, unless the clock is
    set."""

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
        """Move the clock; negative seconds move it back."""
        self._now += seconds
        for follow in self._followers:
            follow(self.wall())
        return self._now

    def set_calendar(self, seconds: float) -> None:
        """Set the wall clock forward, or back if negative. No time passes."""
        self.ahead_s += seconds
        for follow in self._followers:
            follow(self.wall())

    def follow(self, follower: Callable[[Instant], None]) -> None:
        """Call `follower` with every change."""
        self._followers.append(follower)
