"""A store's clock, which waits, leases and the frontier are measured by: the same for all workers of a store.

It follows a machine's uptime, so that it cannot be set: the store records what it said when the machine's
uptime was zero. Its instants are close to the calendar's until that is set; from then on they differ by
`drift_s`, and everything that users read is dated by `wall`.
"""

from tenax.clock import Clock, Instant, MachineClock
from tenax.record import record

# A store records the time periodically: what is written in between is not much later.
NOTE_EVERY_S = 10.0
# A smaller difference is no clock that was set, but the error of reading two.
LEAST_DRIFT_S = 1.0


@record
class ClockAnchor:
    """What a store knows of its clock since a machine was started."""

    offset_s: float  # from the machine's uptime to the store's clock
    since: Instant  # the age of earlier requests is not known for sure


def begin(*, wall: Instant, uptime: float, seen_at: Instant | None) -> ClockAnchor:
    """The anchor for a machine that was started since the store was last used. The calendar says how long it
    was off, unless that would set the clock back. `seen_at`: what it said when it was last recorded, None:
    the store is new."""
    if seen_at is None:
        return ClockAnchor(offset_s=wall - uptime, since=0.0)
    now = wall if wall >= seen_at else seen_at + NOTE_EVERY_S
    return ClockAnchor(offset_s=now - uptime, since=now)


class StoreClock:
    """The clock of a store that is used on one machine only."""

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
        """A domain that was requested before this instant rests from then on."""
        return self._anchor.since

    def now(self) -> Instant:
        return self._machine.uptime() + self._anchor.offset_s

    @property
    def drift_s(self) -> float:
        """How far the calendar is ahead."""
        drift_s = self._read_wall() - self.now()
        return drift_s if abs(drift_s) >= LEAST_DRIFT_S else 0.0

    def wall(self) -> Instant:
        return self.now() + self.drift_s

    def _read_wall(self) -> Instant:
        return self._machine.wall()


class Calendar:
    """The calendar, which users read and plan by, for code that needs no other time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def now(self) -> Instant:
        return self._clock.wall()

    def wall(self) -> Instant:
        return self._clock.wall()
