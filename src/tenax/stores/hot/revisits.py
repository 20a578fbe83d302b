"""The results of revisits as values of rows: the same for every database. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tenax.clock import Instant
from tenax.config.refresh import RefreshSettings
from tenax.policy.revisit import (
    MISSES_UNTIL_GONE,
    Revisit,
    RevisitPlanner,
    find_change,
    find_next_try,
    is_unwanted,
)
from tenax.record import record
from tenax.records.pages import ChangeKind
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Merged,
    Outcome,
    Read,
    Redirected,
    Refused,
    Rejected,
    Skipped,
    Trapped,
    Unchanged,
    Visit,
)
from tenax.stores.contracts.batches import DomainWork

# A url with a page keeps what it was found to be. Whatever else it was when it was queued, its page is
# stored. Every expression sees the row as it was before.
KEEP_FATE = f"""
    fate = CASE
        WHEN {{u}}fate IN ('duplicate', 'gone', 'read', 'redirected', 'skipped') THEN {{u}}fate
        WHEN {{u}}misses >= {MISSES_UNTIL_GONE} THEN 'gone'
        WHEN {{u}}is_sitemap = 1 THEN 'read'
        ELSE 'fetched'
    END,
    reason = CASE WHEN {{u}}fate IN ('duplicate', 'skipped') THEN {{u}}reason END,
    to_url = CASE WHEN {{u}}fate IN ('duplicate', 'redirected') THEN {{u}}to_url END
"""

# When a url with a page is due again. One that was never planned, as refreshing was switched off or did not
# exist yet, is due since it was fetched.
NEXT_VISIT = """
    CASE
        WHEN due_at IS NULL
            AND merged_key IS NULL
            AND (revisit_at IS NOT NULL OR fate IN ('fetched', 'duplicate'))
            THEN coalesce(revisit_at, fetched_at)
    END
"""

# Which domains are refreshed first: those that yield most, then those that change most, then those that were
# visited longest ago.
CANDIDATES = "status = 'exhausted' AND claimed_by IS NULL AND pages_crawled > 0 AND is_active = 1"
CANDIDATES_ORDER = (
    "coalesce(image_yield_rate, 0) DESC, pages_changed * 1.0 / pages_crawled DESC, last_crawled_at, id"
)
WAKE_DETAIL = "pages of it are to be visited again"

_LOSSES = (ChangeKind.CHANGED, ChangeKind.GONE)


@record
class Revisits:
    """What a batch plans."""

    by_url: dict[int, Revisit]
    earliest: dict[int, Instant | None]  # by domain: the first revisit that is planned
    again: list[Visit]  # visits to urls whose page was stored before
    changed: Counter[int]  # by domain: pages that were found changed or gone
    unkept: Mapping[int, str]  # urls whose page is not stored, and the url that each nearly repeats


def plan_revisits(
    works: Sequence[DomainWork], settings: RefreshSettings, unkept: Mapping[int, str]
) -> Revisits:
    """Plan the next visits in one pass; for first crawls there is nothing else to do here."""
    planner = RevisitPlanner.build(settings)
    plans = Revisits(by_url={}, earliest={}, again=[], changed=Counter(), unkept=unkept)
    for work in works:
        first: Instant | None = None
        for visit in work.visits:
            revisit = plans.by_url[visit.target.id] = planner.plan(visit)
            at = revisit[0]
            if at is not None and (first is None or at < first):
                first = at
            if visit.target.content_hash is not None:
                plans.again.append(visit)
                plans.changed[work.lease.domain_id] += find_change(visit) in _LOSSES
        plans.earliest[work.lease.domain_id] = first
    return plans


def kept_values(visit: Visit, revisit: Revisit) -> tuple[Any, ...]:
    """A url whose page stays as it is: (due_at, detail, attempts, fetched_at, revisit_at, unchanged, misses,
    id)"""
    target, outcome = visit.target, visit.outcome
    due_at, attempts = find_next_try(visit), 0
    if due_at is not None:
        attempts = target.attempts + (isinstance(outcome, Failed) and outcome.counts_as_attempt)
    fetched_at = visit.at if isinstance(outcome, Unchanged) else None
    return (due_at, _describe_trouble(outcome), attempts, fetched_at, *revisit, target.id)


def _describe_trouble(outcome: Outcome) -> str | None:
    """Why the last visit did not find the page as expected; None: it did."""
    match outcome:
        case Gone(detail=str() as detail):
            return detail
        case Rejected(reason=reason, detail=detail):
            return f"its answer was rejected ({reason}): {detail}"
        case Gone(status=status):
            return f"the server answered {status}"
        case Redirected(status=status, to_url=to_url):
            return f"it redirects to {to_url} (status {status})"
        case Skipped(content_type=kind):
            return f"it is no HTML but {kind}"
        case Refused(reason=reason, detail=detail):
            return f"a rule forbids it ({reason}): {detail}"
        case Failed(detail=detail):
            return detail
        case Fetched() | Read() | Unchanged() | Merged() | Trapped():
            return None


def change_rows(run_id: int, again: Sequence[Visit]) -> list[tuple[Any, ...]]:
    """The changes that revisits found, to be joined with the pages before they are replaced: (run, at, kind,
    new hash, new bytes, title, url id)"""
    return [
        (run_id, visit.at, kind.value, *_new_values(visit.outcome), visit.target.id)
        for visit in again
        if (kind := find_change(visit)) is not None
    ]


def _new_values(outcome: Outcome) -> tuple[int | None, int | None, str | None]:
    if isinstance(outcome, Fetched):
        return outcome.page.content_hash, outcome.body_bytes, outcome.page.title
    return None, None, None


def list_unwanted(again: Sequence[Visit]) -> list[int]:
    """Ids of urls whose stored page asks not to be stored."""
    return [visit.target.id for visit in again if is_unwanted(visit)]
