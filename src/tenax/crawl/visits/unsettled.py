"""Visits that are not durable yet, counted; and when it is time to settle them."""

from tenax.clock import Instant
from tenax.config.worker import WorkerSettings

SHORT_BATCH_S = 0.1
_KEPT_BYTES = 10_000  # of a document that waits to be read, besides its body


class UnsettledVisits:
    def __init__(self, settings: WorkerSettings, room_bytes: int, now: Instant) -> None:
        self._settings = settings
        self._room_bytes = room_bytes
        self._pages = self._settling_pages = 0
        self._bytes = self._settling_bytes = 0
        self._settled_at = now
        self._visits = 0
        self._kept_bytes = 0
        self.in_flight = 0  # visits that have started and not ended; requests for robots.txt do not count
        self.is_urgent = False  # a successor must know of it, or a domain can only go on afterwards

    def add(self, weight_bytes: int = 0, *, is_page: bool = False) -> None:
        """Count one more visit that has ended."""
        self._visits += 1
        self._pages += is_page
        self._bytes += weight_bytes

    def keep(self, body_bytes: int) -> bool:
        """Make room for a document that waits to be read in another process. False: waiting documents take
        half of the room already, and ended visits need the rest. There is always room for one."""
        weight_bytes = body_bytes + _KEPT_BYTES
        if self._kept_bytes and 2 * (self._kept_bytes + weight_bytes) > self._room_bytes:
            return False
        self._kept_bytes += weight_bytes
        return True

    def let_go(self, body_bytes: int) -> None:
        """A document that was kept is read."""
        self._kept_bytes -= body_bytes + _KEPT_BYTES

    def begin_settling(self, now: Instant) -> None:
        self._settled_at = now
        self.is_urgent = False
        self._settling_pages, self._settling_bytes = self._pages, self._bytes
        self._visits = self._pages = self._bytes = 0

    def end_settling(self, now: Instant) -> None:
        self._settled_at = now
        self._settling_pages = self._settling_bytes = 0

    @property
    def possible_pages(self) -> int:
        """Pages that are not settled yet. Visits in flight count: each may become one."""
        return self._pages + self._settling_pages + self.in_flight

    @property
    def bytes(self) -> int:
        return self._bytes + self._settling_bytes + self._kept_bytes

    @property
    def is_heavy(self) -> bool:
        """They take all the memory that they may."""
        return self.bytes >= self._room_bytes

    @property
    def is_too_long(self) -> bool:
        """The store is behind by more than a batch."""
        return self._visits >= 2 * self._settings.batch_pages

    @property
    def is_empty(self) -> bool:
        return not (self._visits or self.is_urgent)

    def is_due(self, now: Instant, due_at: Instant) -> bool:
        is_whole_batch = self._visits >= self._settings.batch_pages or 2 * self._bytes >= self._room_bytes
        return self.is_urgent or is_whole_batch or now >= due_at

    def due_at(self, commit_at: Instant | None, *, is_busy: bool) -> Instant:
        """`commit_at`: when a domain could go on if it were settled. A worker with enough else to do lets it
        wait: small batches cost more per page."""
        latest = self._settled_at + self._settings.batch_s
        if commit_at is None:
            return latest
        return min(latest, max(commit_at, self._settled_at + SHORT_BATCH_S) if is_busy else commit_at)
