"""Domains for people: the list, and one in full with its politeness receipt."""

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, func, select

from tenax.clock import Instant
from tenax.config import Settings
from tenax.records import Breaker, BreakerState, DomainStatus, Fate, RobotsRecord
from tenax.stores.reports import count_fates, find_delay, load_last_settings
from tenax.stores.tables import domain_events, domains, robots, visits, workers
from tenax.values import record

LAST_EVENTS = 30
GAP_BOUNDS_S = (0.1, 0.2, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 600.0, 3600.0)


@record(frozen=True, slots=True, kw_only=True)
class DomainSummary:
    name: str
    status: DomainStatus
    block_code: str | None
    block_reason: str | None
    next_crawl_after: Instant | None  # when its rest is over
    revisit_at: Instant | None  # when the first of its pages is wanted again, or earlier
    retries: int  # cooldowns in a row without a page
    urls: int
    pages: int
    queued: int
    requests: int
    wire_bytes: int
    errors: int
    delay_s: float
    delay_source: str
    last_crawled_at: Instant | None
    images_found: int
    images_stored: int
    # as last computed; None: there is no page yet
    image_yield_rate: float | None
    avg_images_per_page: float | None
    error_rate: float | None
    priority_score: int
    priority_computed_at: Instant | None  # None: never
    tier: int
    seed_rank: int | None
    source: str | None


@record(frozen=True, slots=True, kw_only=True)
class DomainEvent:
    """Its status changed."""

    at: Instant
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str
    run_id: int | None  # None: no worker did it


class TopKey(StrEnum):
    """What the best domains are the best in."""

    SCORE = "score"
    YIELD = "yield"
    IMAGES = "images"
    PAGES = "pages"
    QUEUED = "queued"
    ERRORS = "errors"


_TOP_COLUMNS = {
    TopKey.SCORE: domains.c.priority_score,
    TopKey.YIELD: domains.c.image_yield_rate,
    TopKey.IMAGES: domains.c.images_stored,
    TopKey.PAGES: domains.c.pages_crawled,
    TopKey.QUEUED: domains.c.queued,
    TopKey.ERRORS: domains.c.total_errors,
}


@record(frozen=True, slots=True, kw_only=True)
class GapCount:
    """Gaps that are shorter than this, and not shorter than the one before."""

    below_s: float | None  # None: all that are longer
    count: int


@record(frozen=True, slots=True, kw_only=True)
class PolitenessReceipt:
    """How the domain was really asked: every request that was made, robots.txt included."""

    requests: int
    first_at: Instant | None = None
    last_at: Instant | None = None
    smallest_gap_s: float | None = None  # between the starts of two requests in a row
    smallest_gap_at: Instant | None = None  # when the second of them started
    median_gap_s: float | None = None
    gaps: tuple[GapCount, ...] = ()  # a histogram of them


NOT_COUNTED = PolitenessReceipt(requests=0)


@record(frozen=True, slots=True, kw_only=True)
class LeaseHolder:
    uuid: str
    host: str
    pid: int
    expires_at: Instant


@record(frozen=True, slots=True, kw_only=True)
class DomainReport:
    summary: DomainSummary
    fates: Mapping[Fate, int]
    receipt: PolitenessReceipt
    robots: tuple[RobotsRecord, ...]  # one per origin
    breaker: Breaker
    backoff_level: int
    backoff_until: Instant | None
    avail_at: Instant | None  # when it may be claimed next; None: nothing to do
    lease: LeaseHolder | None
    failures: Mapping[str, int]  # kinds of failed requests, the most frequent first
    events: tuple[DomainEvent, ...]  # the last ones, the oldest of them first
    depth_reached: int
    first_seen_at: Instant
    settings: Settings  # of the last run


def list_domains(
    connection: Connection,
    *,
    status: DomainStatus | None = None,
    by: TopKey | None = None,
    limit: int,
) -> Iterator[DomainSummary]:
    """The best in what `by` says first; without it, those with most urls."""
    settings = load_last_settings(connection)
    best = domains.c.pages_discovered if by is None else _TOP_COLUMNS[by]
    statement = select(domains).order_by(best.desc().nulls_last(), domains.c.name).limit(limit)
    if status is not None:
        statement = statement.where(domains.c.status == status)
    for row in connection.execute(statement.execution_options(yield_per=1000)):
        yield summarise_row(row, settings)


def count_domains(connection: Connection, status: DomainStatus | None = None) -> int:
    statement = select(func.count()).select_from(domains)
    if status is not None:
        statement = statement.where(domains.c.status == status)
    return connection.scalar(statement) or 0


def find_domain(connection: Connection, name: str, *, with_visits: bool = True) -> DomainReport | None:
    """None: the store does not know it. `with_visits`: also what takes a look at every visit."""
    row = connection.execute(select(domains).where(domains.c.name == name)).one_or_none()
    if row is None:
        return None
    settings = load_last_settings(connection)
    return DomainReport(
        summary=summarise_row(row, settings),
        fates=count_fates(connection, row.id),
        receipt=build_receipt(_iter_starts(connection, row.id)) if with_visits else NOT_COUNTED,
        robots=tuple(_load_robots(connection, row.id)),
        breaker=_read_breaker(row),
        backoff_level=row.backoff_level,
        backoff_until=row.backoff_until,
        avail_at=row.avail_at,
        lease=_find_lease(connection, row),
        failures=_count_failures(connection, row.id) if with_visits else {},
        events=tuple(_load_events(connection, row.id))[::-1],
        depth_reached=row.depth_reached,
        first_seen_at=row.first_seen_at,
        settings=settings,
    )


def build_receipt(starts: Iterator[Instant]) -> PolitenessReceipt:
    """From the starts of the requests in order. Holds only the gaps: 40 MB for a million."""
    gaps = array("d")
    first = last = next(starts, None)
    if first is None or last is None:
        return PolitenessReceipt(requests=0)
    smallest, smallest_at = float("inf"), None
    for start in starts:
        gap = start - last
        if gap < smallest:
            smallest, smallest_at = gap, start
        gaps.append(gap)
        last = start
    return PolitenessReceipt(
        requests=len(gaps) + 1,
        first_at=first,
        last_at=last,
        smallest_gap_s=smallest if gaps else None,
        smallest_gap_at=smallest_at,
        median_gap_s=_median(gaps),
        gaps=_count_gaps(gaps),
    )


def _count_gaps(gaps: Sequence[float]) -> tuple[GapCount, ...]:
    counts = Counter(bisect_right(GAP_BOUNDS_S, gap) for gap in gaps)
    bounds = (*GAP_BOUNDS_S, None)
    return tuple(GapCount(below_s=bound, count=counts[at]) for at, bound in enumerate(bounds))


def _median(gaps: Sequence[float]) -> float | None:
    if not gaps:
        return None
    ordered = sorted(gaps)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _iter_starts(connection: Connection, domain_id: int) -> Iterator[Instant]:
    statement = select(visits.c.at).where(visits.c.domain_id == domain_id).order_by(visits.c.at)
    for row in connection.execute(statement.execution_options(yield_per=10_000)):
        yield row.at


def summarise_row(row: Row[*tuple[Any, ...]], settings: Settings) -> DomainSummary:
    delay_s, source = find_delay(row, settings)
    return DomainSummary(
        name=row.name,
        status=DomainStatus(row.status),
        block_code=row.block_code,
        block_reason=row.block_reason,
        next_crawl_after=row.next_crawl_after,
        revisit_at=row.revisit_at,
        urls=row.pages_discovered,
        pages=row.pages_crawled,
        queued=row.queued,
        requests=row.requests,
        wire_bytes=row.wire_bytes,
        errors=row.total_errors,
        delay_s=delay_s,
        delay_source=source,
        last_crawled_at=row.last_crawled_at,
        retries=row.retries,
        images_found=row.images_found,
        images_stored=row.images_stored,
        image_yield_rate=row.image_yield_rate,
        avg_images_per_page=row.avg_images_per_page,
        error_rate=row.error_rate,
        priority_score=row.priority_score,
        priority_computed_at=row.priority_computed_at,
        tier=row.tier,
        seed_rank=row.seed_rank,
        source=row.source,
    )


def _read_breaker(row: Row[*tuple[Any, ...]]) -> Breaker:
    return Breaker(
        state=BreakerState(row.breaker_state),
        failures=row.breaker_failures,
        successes=row.breaker_successes,
        trips=row.breaker_trips,
        reopen_at=row.breaker_reopen_at,
    )


def _find_lease(connection: Connection, domain: Row[*tuple[Any, ...]]) -> LeaseHolder | None:
    if domain.claimed_by is None:
        return None
    row = connection.execute(select(workers).where(workers.c.id == domain.claimed_by)).one_or_none()
    if row is None:
        return None
    return LeaseHolder(uuid=row.uuid, host=row.host, pid=row.pid, expires_at=domain.claim_expires_at)


def _load_robots(connection: Connection, domain_id: int) -> Iterator[RobotsRecord]:
    statement = select(robots).where(robots.c.domain_id == domain_id).order_by(robots.c.origin)
    for row in connection.execute(statement):
        yield RobotsRecord(
            origin=row.origin,
            status=row.status,
            body=row.body,
            fetched_at=row.fetched_at,
            expires_at=row.expires_at,
            error=row.error,
        )


def _load_events(connection: Connection, domain_id: int) -> Iterator[DomainEvent]:
    """The newest first."""
    statement = select(domain_events).where(domain_events.c.domain_id == domain_id)
    for row in connection.execute(statement.order_by(domain_events.c.id.desc()).limit(LAST_EVENTS)):
        yield DomainEvent(
            at=row.at,
            from_status=DomainStatus(row.from_status),
            to_status=DomainStatus(row.to_status),
            cause=row.cause,
            detail=row.detail,
            run_id=row.run_id,
        )


def _count_failures(connection: Connection, domain_id: int) -> dict[str, int]:
    number = func.count().label("number")
    statement = (
        select(visits.c.error_kind, number)
        .where(
            visits.c.domain_id == domain_id,
            visits.c.error_kind.isnot(None),
            visits.c.outcome != "refused",  # a page that asks not to be kept is no failure
        )
        .group_by(visits.c.error_kind)
        .order_by(number.desc(), visits.c.error_kind)
    )
    return {row.error_kind: row.number for row in connection.execute(statement)}
