"""What becomes of pages that were visited again, as the values of rows: the same for every database. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any

from tenax.clock import Instant
from tenax.config import RefreshSettings
from tenax.policy.revisit import Revisit, find_change, is_unwanted, plan_revisit
from tenax.records import (
    ChangeKind,
    Failed,
    Fetched,
    Gone,
    Outcome,
    Redirected,
    Refused,
    Skipped,
    Unchanged,
    Visit,
)
from tenax.stores.base import DomainWork
from tenax.stores.outcomes import iter_visits

# Of a url with a page: what it was found to be stands. Whatever else it was when it was queued, its page is
# stored. Every expression sees the row as it was before.
KEEP_FATE = (
    "fate = CASE WHEN {u}fate IN ('duplicate', 'gone', 'redirected', 'skipped') THEN {u}fate"
    "   ELSE 'fetched' END,"
    " reason = CASE WHEN {u}fate IN ('duplicate', 'skipped') THEN {u}reason END,"
    " to_url = CASE WHEN {u}fate IN ('duplicate', 'redirected') THEN {u}to_url END"
)

# When a url with a page is next wanted. One that was never planned, as refreshing was switched off or not
# known yet, is wanted since it was fetched.
NEXT_VISIT = (
    "CASE WHEN due_at IS NULL AND (revisit_at IS NOT NULL OR fate IN ('fetched', 'duplicate'))"
    " THEN coalesce(revisit_at, fetched_at) END"
)

# Which domains are refreshed first: those that repay it most, then those that were left alone for longest.
# This is the one place that knows what repays: changes seen per page, until something better is counted.
CANDIDATES = "status = 'exhausted' AND claimed_by IS NULL AND pages_crawled > 0"
CANDIDATES_ORDER = "pages_changed * 1.0 / pages_crawled DESC, last_crawled_at, id"

Revisits = dict[int, Revisit]  # by the id of the url


def plan_revisits(works: Sequence[DomainWork], settings: RefreshSettings) -> Revisits:
    return {visit.target.id: plan_revisit(visit, settings) for _, visit in iter_visits(works)}


def find_earliest(work: DomainWork, revisits: Revisits) -> Instant | None:
    """The first revisit that the work has planned."""
    planned = [at for visit in work.visits if (at := revisits[visit.target.id].at) is not None]
    return min(planned, default=None)


def kept_values(visit: Visit, revisit: Revisit) -> tuple[Any, ...]:
    """Of a url whose page stays as it is: (due_at, detail, attempts, fetched_at, revisit_at, unchanged,
    misses, id)"""
    target, outcome = visit.target, visit.outcome
    due_at, attempts = None, 0
    if isinstance(outcome, Failed) and outcome.retry_at is not None:
        due_at, attempts = outcome.retry_at, target.attempts + outcome.counts_as_attempt
    fetched_at = visit.at if isinstance(outcome, Unchanged) else None
    later = (revisit.at, revisit.unchanged_count, revisit.misses)
    return (due_at, _describe_trouble(outcome), attempts, fetched_at, *later, target.id)


def _describe_trouble(outcome: Outcome) -> str | None:
    """Why the last visit did not find the page as it should be; None: it did."""
    match outcome:
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
        case Fetched() | Unchanged():
            return None


def change_rows(run_id: int, works: Sequence[DomainWork]) -> list[tuple[Any, ...]]:
    """What a revisit found out, to be joined with the page before it is replaced: (run, at, kind, new hash,
    new bytes, title, url id)"""
    return [
        (run_id, visit.at, kind.value, *_new_values(visit.outcome), visit.target.id)
        for _, visit in iter_revisits(works)
        if (kind := find_change(visit)) is not None
    ]


def _new_values(outcome: Outcome) -> tuple[int | None, int | None, str | None]:
    if isinstance(outcome, Fetched):
        return outcome.page.content_hash, outcome.body_bytes, outcome.page.title
    return None, None, None


def iter_revisits(works: Sequence[DomainWork]) -> Iterator[tuple[DomainWork, Visit]]:
    for work, visit in iter_visits(works):
        if visit.target.content_hash is not None:
            yield work, visit


def list_unwanted(works: Sequence[DomainWork]) -> list[int]:
    """Ids of urls whose stored page asks not to be kept."""
    return [visit.target.id for _, visit in iter_revisits(works) if is_unwanted(visit)]


def count_changes(work: DomainWork) -> int:
    """Pages that were found changed or gone."""
    told = (ChangeKind.CHANGED, ChangeKind.GONE)
    return sum(find_change(visit) in told for _, visit in iter_revisits([work]))
