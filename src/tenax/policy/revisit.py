"""When a page is visited again: rarely what stays the same, soon what is missing; and what a visit found out.

A url has a page when its `content_hash` is known. It loses it only to what is certain: a page that asks not
to be kept, or two visits in a row that find none. Whatever else goes wrong, the page stays.
"""

from typing import Final

from tenax.clock import Instant
from tenax.config import RefreshSettings
from tenax.records import (
    ChangeKind,
    Failed,
    FailureKind,
    Fetched,
    Gone,
    Redirected,
    RefusalReason,
    Refused,
    Skipped,
    Target,
    Unchanged,
    Visit,
)
from tenax.values import record

MISSES_UNTIL_GONE: Final = 2
# A share of the interval that the url's key takes off it: a site that was crawled in a minute is not due
# again in one.
JITTER: Final = 0.1
_MOST_DOUBLINGS: Final = 40


@record(frozen=True, slots=True, kw_only=True)
class Revisit:
    at: Instant | None  # None: never, or it is queued
    unchanged_count: int = 0
    misses: int = 0


_NEVER: Final = Revisit(at=None)


def plan_revisit(visit: Visit, settings: RefreshSettings) -> Revisit:
    """When the visited url is due again."""
    if visit.target.content_hash is not None:
        return _plan_again(visit, settings)
    if isinstance(visit.outcome, Fetched):
        return Revisit(at=_plan_at(visit, find_interval_s(0, settings), settings))
    return _NEVER


def _plan_again(visit: Visit, settings: RefreshSettings) -> Revisit:
    target, outcome = visit.target, visit.outcome
    unchanged, misses = target.unchanged_count, target.misses
    if ends_revisits(visit):
        return _NEVER
    if isinstance(outcome, Failed) and outcome.retry_at is not None:
        return Revisit(at=None, unchanged_count=unchanged, misses=misses)
    if isinstance(outcome, Fetched):
        unchanged = unchanged + 1 if find_change(visit) is None else 0
        return _plan(visit, unchanged, 0, find_interval_s(unchanged, settings), settings)
    if is_miss(visit):
        misses = min(misses + 1, MISSES_UNTIL_GONE)
    if misses >= MISSES_UNTIL_GONE:
        return _plan(visit, 0, misses, settings.max_s, settings)
    if isinstance(outcome, Unchanged):
        return _plan(visit, unchanged + 1, 0, find_interval_s(unchanged + 1, settings), settings)
    if is_miss(visit):
        return _plan(visit, 0, misses, settings.min_s, settings)
    interval_s = min(find_interval_s(unchanged, settings), find_interval_s(0, settings))
    return _plan(visit, unchanged, misses, interval_s, settings)


def _plan(
    visit: Visit, unchanged_count: int, misses: int, interval_s: float, settings: RefreshSettings
) -> Revisit:
    at = _plan_at(visit, interval_s, settings)
    return Revisit(at=at, unchanged_count=unchanged_count, misses=misses)


def _plan_at(visit: Visit, interval_s: float, settings: RefreshSettings) -> Instant | None:
    if not settings.enabled:
        return None
    share = (visit.target.key & 0xFFFF) / 0x10000
    return visit.at + max(interval_s * (1 - JITTER * share), settings.min_s)


def find_interval_s(unchanged_count: int, settings: RefreshSettings) -> float:
    """Doubles with every visit that finds the page as it was."""
    interval_s = settings.first_s * 2.0 ** min(unchanged_count, _MOST_DOUBLINGS)
    return max(min(interval_s, settings.max_s), settings.min_s)


def find_change(visit: Visit) -> ChangeKind | None:
    """What the visit has found out about the page; None: nothing."""
    target, outcome = visit.target, visit.outcome
    if isinstance(outcome, Fetched):
        if target.content_hash is None or was_gone(target):
            return ChangeKind.NEW
        return ChangeKind.CHANGED if outcome.page.content_hash != target.content_hash else None
    if target.content_hash is None or was_gone(target):
        return None
    is_gone = is_miss(visit) and target.misses + 1 >= MISSES_UNTIL_GONE
    return ChangeKind.GONE if is_gone or is_unwanted(visit) else None


def keeps_fate(visit: Visit) -> bool:
    """The visit leaves the page that is stored as it is, and the url what it was."""
    if visit.target.content_hash is None or isinstance(visit.outcome, Fetched) or ends_revisits(visit):
        return False
    return not is_miss(visit) or visit.target.misses + 1 < MISSES_UNTIL_GONE


def was_gone(target: Target) -> bool:
    return target.misses >= MISSES_UNTIL_GONE


def is_miss(visit: Visit) -> bool:
    """The server answered, and not with a page."""
    return isinstance(visit.outcome, Gone | Redirected | Skipped)


def is_unwanted(visit: Visit) -> bool:
    """The page asks not to be kept."""
    return isinstance(visit.outcome, Refused) and visit.outcome.reason is RefusalReason.NOINDEX


def ends_revisits(visit: Visit) -> bool:
    """It is not asked for again: it asks not to be kept, or reading it kills."""
    is_crash = isinstance(visit.outcome, Failed) and visit.outcome.kind is FailureKind.CRASH
    return is_unwanted(visit) or is_crash
