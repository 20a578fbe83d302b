"""When a page is visited again, and what a visit has found out about it. Pages that do not change are visited
rarely, missing ones soon.

A url has a page if its `content_hash` is known, unless it is a sitemap, which is visited again like a page.
It loses the page only if that is certain: the page asks not to be kept, or two visits in a row find none.
After any other failure the page stays.

If parsers made items of a page, its items decide whether it changed. As long as they change, it is due ever
sooner.
"""

import math
from collections.abc import Sequence
from typing import Final

from tenax.clock import Instant
from tenax.config.refresh import RefreshRule, RefreshSettings
from tenax.policy.shown_items import compare_shown, list_kinds
from tenax.record import record
from tenax.records.pages import ChangeKind
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Merged,
    Read,
    Redirected,
    Refused,
    Skipped,
    Unchanged,
    Visit,
)
from tenax.web.url_patterns import matches

MISSES_UNTIL_GONE: Final = 2
# Fraction of an interval that the url's key may shorten it by: pages crawled in the same minute are not all
# due in the same minute.
JITTER: Final = 0.1
_JITTER_STEP: Final = JITTER / 0x10000
_MAX_DOUBLINGS: Final = 40
_HOUR_S: Final = 3600.0


# New (at, unchanged_count, misses) of a url; at None: never, or it is queued. Every page has one, and a plain
# tuple is stored as it is.
Revisit = tuple[Instant | None, int, int]
_NEVER: Final[Revisit] = (None, 0, 0)


@record
class RevisitPlanner:
    """Plans revisits according to the settings."""

    is_enabled: bool
    first_s: float
    min_s: float
    max_s: float
    least_count: int  # visits in a row with other items, negative, until the interval is the shortest
    every: tuple[RefreshRule, ...] = ()

    @classmethod
    def build(cls, settings: RefreshSettings) -> "RevisitPlanner":
        max_s = max(settings.max_s, settings.min_s)
        first_s = min(max(settings.first_s, settings.min_s), max_s)
        return cls(
            is_enabled=settings.enabled,
            first_s=first_s,
            min_s=settings.min_s,
            max_s=max_s,
            least_count=-math.ceil(math.log2(first_s / settings.min_s)),
            every=settings.every,
        )

    def plan(self, visit: Visit) -> Revisit:
        """Plan when the visited url is due again."""
        if visit.target.content_hash is not None:
            return self._plan_again(visit)
        if isinstance(visit.outcome, Fetched | Read):
            return self._plan_page(visit, 0), 0, 0
        return _NEVER

    def find_interval_s(self, unchanged_count: int) -> float:
        """The interval, which doubles with every visit that finds the page unchanged. A negative count:
        visits in a row that found other items, each of which halves it."""
        interval_s = self.first_s * 2.0 ** min(unchanged_count, _MAX_DOUBLINGS)
        return min(max(interval_s, self.min_s), self.max_s)

    def _plan_again(self, visit: Visit) -> Revisit:
        target, outcome = visit.target, visit.outcome
        unchanged, misses = target.unchanged_count, target.misses
        if ends_revisits(visit):
            return _NEVER
        if find_next_try(visit) is not None:
            return None, unchanged, misses
        if isinstance(outcome, Fetched | Read):
            unchanged = self._count_unchanged(visit)
            return self._plan_page(visit, unchanged), unchanged, 0
        if is_miss(visit):
            misses = min(misses + 1, MISSES_UNTIL_GONE)
        if misses >= MISSES_UNTIL_GONE:
            return self._find_at(visit, self.max_s), 0, misses
        if isinstance(outcome, Unchanged):
            return self._plan_page(visit, unchanged + 1), unchanged + 1, 0
        # Missing once, or a failure that says nothing about the page.
        interval_s = self.min_s if is_miss(visit) else self.first_s
        return self._find_at(visit, interval_s), unchanged, misses

    def _count_unchanged(self, visit: Visit) -> int:
        count = visit.target.unchanged_count
        is_same = compare_shown(visit)
        if is_same is None:
            is_same = isinstance(visit.outcome, Fetched) and find_change(visit) is None
            return count + 1 if is_same else 0
        return count + 1 if is_same else max(min(count - 1, 0), self.least_count)

    def _plan_page(self, visit: Visit, unchanged: int) -> Instant | None:
        if self.every and (rule := find_rule(self.every, visit.target.url, list_kinds(visit))) is not None:
            return self._spread(visit, rule.hours * _HOUR_S)
        return self._find_at(visit, self.find_interval_s(unchanged))

    def _find_at(self, visit: Visit, interval_s: float) -> Instant | None:
        spread_at = self._spread(visit, interval_s)
        return None if spread_at is None else max(spread_at, visit.at + self.min_s)

    def _spread(self, visit: Visit, interval_s: float) -> Instant | None:
        if not self.is_enabled:
            return None
        return visit.at + interval_s * (1.0 - _JITTER_STEP * (visit.target.key & 0xFFFF))


def find_rule(rules: Sequence[RefreshRule], url: str, kinds: Sequence[str]) -> RefreshRule | None:
    """Find the first rule that applies to a page that shows items of these kinds."""
    return next((rule for rule in rules if _applies(rule, url, kinds)), None)


def _applies(rule: RefreshRule, url: str, kinds: Sequence[str]) -> bool:
    return rule.kind in kinds if rule.pattern is None else matches((rule.pattern,), url)


def find_change(visit: Visit) -> ChangeKind | None:
    """Find how the page has changed; None: it has not, or it is a sitemap."""
    target, outcome = visit.target, visit.outcome
    if target.is_sitemap and not isinstance(outcome, Fetched):
        return None
    if isinstance(outcome, Fetched):
        if target.content_hash is None or was_gone(target):
            return ChangeKind.NEW
        return ChangeKind.CHANGED if outcome.page.content_hash != target.content_hash else None
    if target.content_hash is None or was_gone(target):
        return None
    is_gone = is_miss(visit) and target.misses + 1 >= MISSES_UNTIL_GONE
    return ChangeKind.GONE if is_gone or is_unwanted(visit) else None


def keeps_fate(visit: Visit) -> bool:
    """Whether the visit changes neither the stored page nor the fate of the url."""
    if visit.target.content_hash is None or isinstance(visit.outcome, Fetched | Read) or ends_revisits(visit):
        return False
    return not is_miss(visit) or visit.target.misses + 1 < MISSES_UNTIL_GONE


def was_gone(target: Target) -> bool:
    return target.misses >= MISSES_UNTIL_GONE


def find_next_try(visit: Visit) -> Instant | None:
    """When the url is visited again to complete this visit; None: it is complete."""
    match visit.outcome:
        case Failed(retry_at=retry_at):
            return retry_at
        case Redirected(asked_again_at=asked_again_at):
            return asked_again_at
    return None


def is_miss(visit: Visit) -> bool:
    """Whether the server responded, but not with a page."""
    return isinstance(visit.outcome, Gone | Redirected | Skipped) and find_next_try(visit) is None


def is_unwanted(visit: Visit) -> bool:
    """Whether the page asks not to be kept."""
    return isinstance(visit.outcome, Refused) and visit.outcome.reason is RefusalReason.NOINDEX


def ends_revisits(visit: Visit) -> bool:
    """Whether the url is never requested again: it asks not to be kept, reading it crashes, or another url
    represents it."""
    is_crash = isinstance(visit.outcome, Failed) and visit.outcome.kind is FailureKind.CRASH
    return is_unwanted(visit) or is_crash or isinstance(visit.outcome, Merged)
