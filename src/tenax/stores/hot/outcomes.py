"""The results of visits as values of rows: the same for every database. Pure."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import orjson

from tenax.clock import Instant
from tenax.policy.domain_states import RESTING, move
from tenax.policy.revisit import Revisit, find_next_try, is_unwanted, keeps_fate
from tenax.record import replace
from tenax.records.domains import Cause, DomainState, DomainStatus, RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.urls import Fate, FoundBy, NewUrl, Target
from tenax.records.visits import (
    Failed,
    Fetched,
    Gone,
    Merged,
    Read,
    Redirected,
    Refused,
    Rejected,
    Skipped,
    Trapped,
    Unchanged,
    Visit,
)
from tenax.stores.contracts.batches import Batch, DomainWork, Release, RobotsVisit
from tenax.web.identity import url_key

# Shorter texts are error pages, shells and stubs: similar without being copies of each other.
LEAST_DUPLICATE_CHARS = 200
# The reason of a url that a merge rule merges into another.
MERGED = "merged"
# The reason of a url whose page was not stored because it nearly repeats another.
NEAR = "near"
# A page is only a copy of a page that is no copy itself: otherwise two copies that are visited again would
# name each other.
IS_ORIGINAL = "u.fate = 'fetched'"


def iter_visits(works: Sequence[DomainWork]) -> Iterator[tuple[DomainWork, Visit]]:
    for work in works:
        for visit in work.visits:
            yield work, visit


def date_works(works: list[DomainWork], drift_s: float) -> list[DomainWork]:
    """The works with their visits dated by the calendar, which is this far ahead of the store's clock."""
    if not drift_s:
        return works
    return [
        replace(
            work,
            visits=[replace(visit, at=visit.at + drift_s) for visit in work.visits],
            robots=[replace(robots, at=robots.at + drift_s) for robots in work.robots],
        )
        for work in works
    ]


def iter_discovered(works: Sequence[DomainWork]) -> Iterator[NewUrl]:
    for work in works:
        yield from work.found
        for visit in work.visits:
            yield from visit.discovered
        yield from work.guessed


def list_probes(works: Sequence[DomainWork]) -> list[tuple[int, int]]:
    """Invented addresses that were found in their own domain: (domain id, key). A visit has at most one, and
    it is the last of its urls."""
    return [
        (work.lease.domain_id, visit.discovered[-1].key)
        for work, visit in iter_visits(works)
        if visit.discovered and visit.discovered[-1].found_by is FoundBy.PROBE
    ]


def url_values(
    visit: Visit, duplicates: Mapping[int, str], unkept: Mapping[int, str], revisit: Revisit
) -> tuple[Any, ...]:
    """(due_at, fate, reason, detail, to_url, attempts, status, fetched_at, etag, modified, hash, revisit_at,
    unchanged, misses, id). `unkept`: urls whose page is not stored, and the url of the page that it nearly
    repeats."""
    target, at = visit.target, visit.at
    later = (*revisit, target.id)
    # A page that is gone is fetched in full if it ever comes back.
    left = (None, None, target.content_hash)
    match visit.outcome:
        case Fetched() as page if target.id in unkept:
            near_to = (NEAR, None, unkept[target.id])
            return (None, Fate.DUPLICATE, *near_to, 0, page.status, at, None, None, None, *later)
        case Fetched() as page:
            fate, reason, to_url = find_fetched_fate(target, page, duplicates)
            memory = (page.etag, page.last_modified, page.page.content_hash)
            return (None, fate.value, reason, None, to_url, 0, page.status, at, *memory, *later)
        case Read(status=status, report=report) as read:
            memory = (read.etag, read.last_modified, read.content_hash)
            return (None, Fate.READ.value, None, report.error, None, 0, status, at, *memory, *later)
        case Unchanged():
            return (None, Fate.FETCHED, None, None, None, 0, None, at, *left, *later)
        case Redirected(status=status, asked_again_at=float() as due_at):
            return (due_at, Fate.QUEUED, None, None, None, target.attempts, status, None, *left, *later)
        case Redirected(status=status, to_url=to_url, is_merged=is_merged):
            reason = MERGED if is_merged else None
            return (None, Fate.REDIRECTED, reason, None, to_url, 0, status, at, *left, *later)
        case Skipped(status=status, content_type=kind):
            return (None, Fate.SKIPPED, "type", kind, None, 0, status, at, *left, *later)
        case Gone(status=status, reason=why, detail=detail):
            return (None, Fate.GONE, why, detail, None, 0, status, at, *left, *later)
        case Rejected(status=status, reason=why, detail=detail):
            return (None, Fate.REJECTED, why, detail, None, 0, status, at, *left, *later)
        case Refused(reason=why, detail=detail):
            return (None, Fate.REFUSED, why, detail, None, 0, None, None, None, None, None, *later)
        case Merged(to_url=to_url, rule=rule):
            return (None, Fate.DUPLICATE, MERGED, rule, to_url, 0, None, None, *left, *later)
        case Trapped(shape=shape, rule=rule):
            return (None, Fate.TRAPPED, rule, shape, None, 0, None, None, *left, *later)
        case Failed() as failed:
            attempts = target.attempts + failed.counts_as_attempt
            common = (failed.kind, failed.detail, None, attempts, failed.status, None)
            return (failed.retry_at, _failed_fate(failed), *common, *left, *later)


def find_fetched_fate(
    target: Target, fetched: Fetched, duplicates: Mapping[int, str]
) -> tuple[Fate, str | None, str | None]:
    """(fate, reason, what it is a duplicate of)"""
    canonical = fetched.page.canonical
    is_own = fetched.is_own_canonical or canonical == target.url
    if canonical is not None and not is_own and url_key(canonical) != url_key(target.url):
        return Fate.DUPLICATE, "canonical", canonical
    if target.id in duplicates:
        return Fate.DUPLICATE, "content", duplicates[target.id]
    return Fate.FETCHED, None, None


def list_readdressed(works: Sequence[DomainWork]) -> list[tuple[str, int]]:
    """Urls that are requested at another address from now on: (address, id)"""
    return [
        (outcome.to_url, visit.target.id)
        for _, visit in iter_visits(works)
        if isinstance(outcome := visit.outcome, Redirected) and outcome.asked_again_at is not None
    ]


def header_rows(works: Sequence[DomainWork]) -> list[tuple[str | None, int]]:
    """The stored headers of each answer whose status is stored: (JSON, url id)"""
    return [
        (orjson.dumps(visit.headers).decode() if visit.headers else None, visit.target.id)
        for _, visit in iter_visits(works)
        if visit.headers is not None and not keeps_fate(visit) and _has_status(visit)
    ]


def _has_status(visit: Visit) -> bool:
    return getattr(visit.outcome, "status", None) is not None


def is_as_before(visit: Visit, fetched: Fetched) -> bool:
    return visit.target.content_hash == fetched.page.content_hash


def _failed_fate(failed: Failed) -> Fate:
    if failed.retry_at is not None:
        return Fate.RETRYING
    return Fate.QUARANTINED if failed.kind is FailureKind.CRASH else Fate.DEAD


def page_values(
    domain_id: int, visit: Visit, fetched: Fetched, marks: tuple[int | None, ...]
) -> tuple[Any, ...]:
    """`marks`: see NearPages.mark_values."""
    page = fetched.page
    return (
        visit.target.id,
        domain_id,
        fetched.status,
        fetched.content_type,
        page.charset,
        page.language,
        fetched.body_bytes,
        page.title,
        page.description,
        page.canonical,
        page.content_hash,
        page.content,
        page.links_count,
        b"",  # links and, below, images are part of the content
        visit.at,
        visit.at,
        visit.at,
        page.images_count,
        None,
        *marks,
    )


def visit_rows(batch: Batch, works: Sequence[DomainWork]) -> list[tuple[Any, ...]]:
    """One row per request: (run, worker, domain, url, at, duration, outcome, status, bytes, kind, detail)"""
    rows = [
        (batch.run_id, batch.worker_id, work.lease.domain_id, *_visit_values(visit))
        for work, visit in iter_visits(works)
        if visit.made_request
    ]
    rows += [
        (batch.run_id, batch.worker_id, work.lease.domain_id, *_robots_visit_values(robots))
        for work in works
        for robots in work.robots
        if robots.made_request
    ]
    return rows


def _visit_values(visit: Visit) -> tuple[Any, ...]:
    outcome = visit.outcome
    status = getattr(outcome, "status", None)
    kind: str | None = None
    detail: str | None = None
    if isinstance(outcome, Failed):
        kind, detail = outcome.kind, outcome.detail
    elif isinstance(outcome, Refused | Rejected | Gone):
        kind, detail = outcome.reason, outcome.detail
    elif isinstance(outcome, Unchanged):
        status = 304
    name = type(outcome).__name__.lower()
    return (
        visit.target.id, visit.at, visit.duration_s, name, status, visit.wire_bytes, kind, detail
    )  # fmt: skip


def _robots_visit_values(robots: RobotsVisit) -> tuple[Any, ...]:
    return (
        None, robots.at, robots.duration_s, "robots", robots.status, robots.wire_bytes,
        "robots" if robots.error else None, robots.error,
    )  # fmt: skip


def robots_values(domain_id: int, record: RobotsRecord) -> tuple[Any, ...]:
    return (
        record.origin,
        domain_id,
        record.status,
        record.body,
        record.fetched_at,
        record.expires_at,
        record.error,
    )


def plan_release(
    release: Release, next_due: Instant | None, now: Instant
) -> tuple[Instant | None, DomainState]:
    """The instant from which a released domain may be claimed, None: not in this run; and its state.
    `next_due`: when its first url is due."""
    state = release.state
    if next_due is None and state.status in (DomainStatus.PENDING, DomainStatus.ACTIVE):
        detail = "every known url is done"
        state = move(state, DomainStatus.EXHAUSTED, Cause.ALL_DONE, detail=detail, at=now)
    is_blocked = state.status in RESTING and state.next_crawl_after is None
    is_idle = next_due is None or release.is_parked or is_blocked
    return None if is_idle else max(release.ready_at, next_due or 0.0), state


def sum_works(works: Sequence[DomainWork]) -> tuple[int, int, int, int, int]:
    """What a batch adds to its run: (requests, bytes, pages, visits, failed)"""
    requests = wire_bytes = pages = visits = failed = 0
    for work in works:
        counts = count_work(work)
        requests += counts[2]
        wire_bytes += counts[3]
        pages += sum(isinstance(visit.outcome, Fetched) for visit in work.visits)
        visits += len(work.visits)
        failed += counts[4]
    return requests, wire_bytes, pages, visits, failed


def count_work(
    work: DomainWork, revived: int = 0, unkept: Collection[int] = ()
) -> tuple[int, int, int, int, int, int, Instant | None]:
    """(pages, no longer queued, requests, bytes, errors, depth, last crawled). `revived`: its urls that were
    queued again; `unkept`: ids of urls whose page is not stored."""
    visits = work.visits
    fetched = [visit for visit in visits if isinstance(visit.outcome, Fetched)]
    failed = [visit for visit in visits if isinstance(visit.outcome, Failed)]
    again = sum(find_next_try(visit) is not None for visit in visits)
    requests = sum(visit.made_request for visit in visits)
    requests += sum(robots.made_request for robots in work.robots)
    wire_bytes = sum(visit.wire_bytes for visit in visits)
    wire_bytes += sum(robots.wire_bytes for robots in work.robots)
    # A page that is fetched again is not new, and one that asks not to be stored is no longer a page.
    new_pages = sum(visit.target.content_hash is None for visit in fetched)
    new_pages -= sum(visit.target.content_hash is not None and is_unwanted(visit) for visit in visits)
    if unkept:
        new_pages -= sum(visit.target.id in unkept for visit in fetched)
    return (
        new_pages,
        len(visits) - again - revived,
        requests,
        wire_bytes,
        len(failed),
        max((visit.target.depth for visit in fetched), default=0),
        max((visit.at for visit in visits if visit.made_request), default=None),
    )
