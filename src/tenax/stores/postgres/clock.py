"""The database's clock on this machine: leases, politeness and due urls mean one thing to all workers."""

from tenax.clock import Clock, Instant

# An answer that took longer says too little about when the database read its clock.
LONGEST_TRIP_S = 1.0


class StoreClock:
    """This machine's clock plus its distance to the database's, measured now and then."""

    def __init__(self, local: Clock) -> None:
        self.local = local
        self._offset_s = 0.0

    def now(self) -> Instant:
        return self.local.now() + self._offset_s

    def adjust(self, *, asked_at: Instant, answered_at: Instant, theirs: Instant) -> None:
        """`theirs` was read by the database between two instants of the local clock."""
        if 0 <= answered_at - asked_at <= LONGEST_TRIP_S:
            self._offset_s = theirs - (asked_at + answered_at) / 2
