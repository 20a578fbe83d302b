"""Whether the dates of a sitemap say when its pages changed.

Many sitemaps are made for each request or once a day and date every page by that. Such dates would make all
pages due at each reading, so they are ignored: the pages are then visited again by their own plans.
"""

from typing import Final

from tenax.clock import Instant
from tenax.record import record
from tenax.records.sitemaps import LastmodTrust

LEAST_DATES: Final = 3  # fewer may be the same by chance, and cost little
FRESH_S: Final = 86_400.0
SPREAD_S: Final = 60.0  # how far dates that were made together are apart
FRESH_SHARE: Final = 0.9
MOST_FRESH_READS: Final = 2


class Lastmods:
    """Gathers the dates of one sitemap while it is read."""

    __slots__ = ("_fresh", "_fresh_from", "_newest", "_number", "_oldest")

    def __init__(self, read_at: Instant) -> None:
        self._fresh_from = read_at - FRESH_S
        self._number = self._fresh = 0
        self._oldest, self._newest = float("inf"), float("-inf")

    def add(self, at: Instant) -> None:
        self._number += 1
        self._fresh += at >= self._fresh_from
        self._oldest, self._newest = min(self._oldest, at), max(self._newest, at)

    def judge(self, fresh_reads: int) -> "LastmodVerdict":
        """`fresh_reads`: how often in a row nearly all dates were of the last day, before this reading."""
        if not self._number:
            return LastmodVerdict(trust=LastmodTrust.NONE, fresh_reads=0)
        is_fresh = self._fresh >= FRESH_SHARE * self._number
        fresh_reads = fresh_reads + 1 if is_fresh else 0
        is_made_together = (
            is_fresh and self._number >= LEAST_DATES and self._newest - self._oldest <= SPREAD_S
        )
        is_ignored = is_made_together or fresh_reads >= MOST_FRESH_READS
        trust = LastmodTrust.IGNORED if is_ignored else LastmodTrust.TRUSTED
        return LastmodVerdict(trust=trust, fresh_reads=fresh_reads)


@record
class LastmodVerdict:
    trust: LastmodTrust
    fresh_reads: int
