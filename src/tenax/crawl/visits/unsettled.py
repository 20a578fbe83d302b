"""What has ended and is not durable yet, counted; and when it is time to settle it."""

from tenax.clock import Instant
from tenax.config.worker import WorkerSettings

SHORT_BATCH_S = 0.1
_KEPT_BYTES = 10_000  # of a document that waits, beside its body


class UnsettledVisits:
    def __init__(self, settings: WorkerSettings, room_bytes: int, now: Instant) -> None:
        self._settings = settings
        self._room_bytes = room_bytes
        self._pages = self._settling_pages = 0
        self._bytes = self._settling_bytes = 0
        self._settled_at = now
        self._visits = 0
        self._kept_bytes = 0
        self.is_urgent = False  # a successor must know it, or a domain can only go on afterwards

    def add(self, weight_bytes: int = 0, *, is_page: bool = False) -> None:
        """One more visit."""
        self._visits += 1
        self._pages += is_page
        self._bytes += weight_bytes

    def keep(self, body_bytes: int) -> bool:
        """A document waits until it is read elsewhere. False: those that wait take half of the room already,
        and what has ended needs the rest. There is always room for one."""
        weight_bytes = body_bytes + _KEPT_BYTES
        if self._kept_bytes and 2 * (self._kept_bytes + weight_bytes) > self._room_bytes:
            return False
        self._kept_bytes += weight_bytes
        return True

    def let_go(self, body_bytes: int) -> None:
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
    def pages(self) -> int:
        return self._pages + self._settling_pages

    @property
    def bytes(self) -> int:
        return self._bytes + self._settling_bytes + self._kept_bytes

    @property
    def is_heavy(self) -> bool:
        """It takes all the memory that it may."""
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
        """`commit_at`: when a domain could go on if it were settled. With enough else to do it waits:
        small batches cost more per page."""
        latest = self._settled_at + self._settings.batch_s
        if commit_at is None:
            return latest
        return min(latest, max(commit_at, self._settled_at + SHORT_BATCH_S) if is_busy else commit_at)
