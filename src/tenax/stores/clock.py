"""A store's clock: what waits, leases and the frontier are measured by, the same for all who work on a store.

It goes by a machine's uptime, so that nobody can set it: the store notes what it said when the machine's
uptime was nought. Its instants are near the calendar's until somebody sets that; from then on `drift_s` is
between them, and whatever is kept for people to read is dated by `wall`.
"""

from tenax.clock import Clock, Instant, MachineClock
from tenax.record import record

# A store notes the time now and then: what is written in between is not much later.
NOTE_EVERY_S = 10.0
# Less is no clock that was set, but the error of looking at two.
LEAST_DRIFT_S = 1.0


@record
class ClockAnchor:
    """What a store knows of its clock since a machine was started."""

    offset_s: float  # from the machine's uptime to the store's clock
    since: Instant  # how long requests before it lie back is not known for sure


def begin(*, wall: Instant, uptime: float, seen_at: Instant | None) -> ClockAnchor:
    """The anchor for a machine that was started since the store was last used. The calendar says how long it
    was switched off, unless that would set the clock back. `seen_at`: what it said when it was last noted,
    None: the store is new."""
    if seen_at is None:
        return ClockAnchor(offset_s=wall - uptime, since=0.0)
    now = wall if wall >= seen_at else seen_at + NOTE_EVERY_S
    return ClockAnchor(offset_s=now - uptime, since=now)


class StoreClock:
    """Of a store that is used on one machine only."""

    def __init__(self, machine: MachineClock) -> None:
        self._machine = machine
        self._anchor = ClockAnchor(offset_s=machine.now() - machine.uptime(), since=0.0)

    def anchor(self, anchor: ClockAnchor) -> None:
        self._anchor = anchor

    @property
    def machine(self) -> MachineClock:
        return self._machine

    @property
    def since(self) -> Instant:
        """A domain that was asked before it rests from then on."""
        return self._anchor.since

    def now(self) -> Instant:
        return self._machine.uptime() + self._anchor.offset_s

    @property
    def drift_s(self) -> float:
        """What the calendar is ahead."""
        drift_s = self._read_wall() - self.now()
        return drift_s if abs(drift_s) >= LEAST_DRIFT_S else 0.0

    def wall(self) -> Instant:
        return self.now() + self.drift_s

    def _read_wall(self) -> Instant:
        return self._machine.wall()


class Calendar:
    """What people read and plan by, for whoever asks for no other time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> Instant:
        return self._clock.wall()

    def wall(self) -> Instant:
        return self._clock.wall()
