"""The rate limits of one process. Bounded, and gone when the process ends. See gate.py."""

from collections import OrderedDict, deque
from collections.abc import Sequence
from math import ceil

from tenax.clock import Clock, Instant
from tenax.coordination.gate import FIRST_WAIT_S, LONGEST_WAIT_S, REMEMBERED_S, LoginSubject, RateHit
from tenax.record import record

ENTRIES = 10_000
CLEARED = ENTRIES // 10  # how many are dropped when there are too many


@record
class Failures:
    number: int
    until: Instant

    @property
    def forgotten_at(self) -> Instant:
        return self.until + REMEMBERED_S


class MemoryGate:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._hits: OrderedDict[str, deque[Instant]] = OrderedDict()
        self._failures: dict[str, Failures] = {}

    def hit(self, key: str, limit: int, window_s: float) -> RateHit:
        now = self._clock.now()
        counted = self._find_hits(key)
        while counted and not now - window_s < counted[0] <= now:
            counted.popleft()
        is_allowed = len(counted) < limit
        if is_allowed:
            counted.append(now)
        # There may be more than the limit: a user who was an administrator a moment ago had a higher one.
        next_free_s = 0.0 if is_allowed else counted[len(counted) - limit] + window_s - now
        return RateHit(
            allowed=is_allowed,
            limit=limit,
            remaining=max(limit - len(counted), 0),
            reset_s=ceil(counted[-1] + window_s - now),
            retry_after_s=ceil(next_free_s),
        )

    def attempt(self, subjects: Sequence[LoginSubject]) -> float:
        """Seconds to wait; 0: proceed, and the attempt counts as failed until it is cleared or undone."""
        now = self._clock.now()
        wait_s = max(self._find_failures(each.key, now).until - now for each in subjects)
        if wait_s > 0:
            return wait_s
        for each in subjects:
            number = self._find_failures(each.key, now).number + 1
            rest_s = 0.0
            if number >= each.free:
                rest_s = min(FIRST_WAIT_S * 2.0 ** (number - each.free), LONGEST_WAIT_S)
            self._failures[each.key] = Failures(number=number, until=now + rest_s)
        self._clear()
        return 0.0

    def clear_failures(self, key: str) -> None:
        self._failures.pop(key, None)

    def undo_attempt(self, key: str) -> None:
        """The last attempt was not a failure."""
        known = self._failures.pop(key, None)
        if known is not None and known.number > 1:
            self._failures[key] = Failures(number=known.number - 1, until=self._clock.now())

    def _find_hits(self, key: str) -> deque[Instant]:
        found = self._hits.setdefault(key, deque())
        self._hits.move_to_end(key)
        if len(self._hits) > ENTRIES:
            self._hits.popitem(last=False)
        return found

    def _find_failures(self, key: str, now: Instant) -> Failures:
        found = self._failures.get(key)
        return found if found is not None and found.forgotten_at > now else Failures(number=0, until=now)

    def _clear(self) -> None:
        """Drop the entries with the shortest waits: filling the memory with other names does not end a
        wait."""
        if len(self._failures) <= ENTRIES:
            return
        for key in sorted(self._failures, key=lambda key: self._failures[key].until)[:CLEARED]:
            del self._failures[key]
