"""Domains: a slice of them, the top ones, and one in full with its politeness receipt."""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, Protocol

from sqlalchemy import ColumnElement, Connection, Row, func, select

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.policy.politeness import plan_next_fetch
from tenax.policy.rules import EffectiveLimit, apply_pace, find_concurrency, find_delay, find_page_limit
from tenax.record import record
from tenax.records.domains import Breaker, BreakerState, DomainRules, DomainStatus, Pace, RobotsRecord
from tenax.records.urls import Fate
from tenax.stores.hot.rows import RuleColumns, read_rules
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, contains, load_slice
from tenax.stores.queries.filters import DOMAIN_FACETS, Filter, find_conditions
from tenax.stores.queries.receipts import PolitenessReceipt, ReceiptTally
from tenax.stores.queries.settings import SourceSettings
from tenax.stores.queries.sitemaps import WayYield, load_yields
from tenax.stores.queries.urls import count_fates
from tenax.stores.schema.domains import domain_events, domains, robots
from tenax.stores.schema.runs import workers

LAST_EVENTS = 30
ORDER: Final = SortOrder(
    keys={
        "name": domains.c.name,
        "urls": domains.c.pages_discovered,
        "pages": domains.c.pages_crawled,
        "queued": domains.c.queued,
        "requests": domains.c.requests,
        "errors": domains.c.total_errors,
        "score": domains.c.priority_score,
        "images": domains.c.images_stored,
        "last_crawled_at": func.coalesce(domains.c.last_crawled_at, 0.0),
    },
    number=domains.c.id,
)

_RULE_COLUMNS = RuleColumns._fields


@record
class DomainSummary:
    name: str
    site: str  # its name without subdomains and port
    status: DomainStatus
    block_code: str | None
    block_reason: str | None
    next_crawl_after: Instant | None  # when its rest is over
    revisit_at: Instant | None  # not later than the first revisit of its pages
    retries: int  # consecutive cooldowns without a page
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
    rules: DomainRules
    rules_by: str | None  # who changed them last; None: they were never changed
    rules_at: Instant | None


@record
class DomainFilter(Filter):
    """The run is the last one that visited the domain; the date is when it was first seen."""

    status: DomainStatus | None = None
    text: str | None = None  # in its name
    is_active: bool | None = None


@record
class DomainEvent:
    """A change of the domain's status."""

    at: Instant
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str
    run_id: int | None  # None: not by a worker


class CountReceipt(Protocol):
    def __call__(self, connection: Connection, domain_id: int, counter: int) -> ReceiptTally | None: ...


class TopKey(StrEnum):
    """What the top domains are ranked by."""

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


@record
class LeaseHolder:
    uuid: str
    host: str
    pid: int
    expires_at: Instant


@record
class DomainReport:
    summary: DomainSummary
    fates: Mapping[Fate, int]
    receipt: PolitenessReceipt | None  # None: it was not counted
    robots: tuple[RobotsRecord, ...]  # one per origin
    breaker: Breaker
    backoff_level: int
    backoff_until: Instant | None
    avail_at: Instant | None  # when the next request is allowed; None: nothing to do
    lease: LeaseHolder | None
    failures: Mapping[str, int]  # failed requests by kind, most frequent first
    events: tuple[DomainEvent, ...]  # the last LAST_EVENTS, oldest first
    depth_reached: int
    first_seen_at: Instant
    settings: Settings  # of the last run of its source
    at_a_time: EffectiveLimit  # concurrent requests
    page_limit: EffectiveLimit  # pages per run; 0: no limit
    found_by: tuple[WayYield, ...]  # its urls by the way in which they were found


def slice_domains(
    connection: Connection, wanted: SliceRequest, only: DomainFilter
) -> ListSlice[DomainSummary]:
    settings = SourceSettings(connection)
    statement = select(domains).where(*list_domain_conditions(connection, only))
    return load_slice(connection, statement, ORDER, wanted, lambda row: summarize_row(row, settings))


def list_domain_conditions(connection: Connection, only: DomainFilter) -> list[ColumnElement[bool]]:
    conditions = find_conditions(connection, DOMAIN_FACETS, only)
    if only.status is not None:
        conditions.append(domains.c.status == only.status)
    if only.text is not None:
        conditions.append(contains(domains.c.name, only.text))
    if only.is_active is not None:
        conditions.append(domains.c.is_active == int(only.is_active))
    return conditions


def list_domains(
    connection: Connection,
    *,
    conditions: Sequence[ColumnElement[bool]] = (),
    by: TopKey | None = None,
    limit: int,
) -> Iterator[DomainSummary]:
    """Ranked by `by`, best first; without it, by the number of urls."""
    settings = SourceSettings(connection)
    best = domains.c.pages_discovered if by is None else _TOP_COLUMNS[by]
    statement = select(domains).where(*conditions)
    statement = statement.order_by(best.desc().nulls_last(), domains.c.name).limit(limit)
    for row in connection.execute(statement.execution_options(yield_per=1000)):
        yield summarize_row(row, settings)


def count_domains(connection: Connection, conditions: Sequence[ColumnElement[bool]] = ()) -> int:
    return connection.scalar(select(func.count()).select_from(domains).where(*conditions)) or 0


def find_domain(connection: Connection, name: str, count: CountReceipt | None = None) -> DomainReport | None:
    """None: the domain is unknown. `count`: counts its receipt; None: leave the receipt out."""
    row = connection.execute(select(domains).where(domains.c.name == name)).one_or_none()
    if row is None:
        return None
    settings = SourceSettings(connection)
    own, rules = settings.find(row.source_id), rules_of(row)
    tally = None if count is None else count(connection, row.id, row.requests)
    return DomainReport(
        summary=summarize_row(row, settings),
        fates=count_fates(connection, row.id),
        receipt=None if tally is None else tally.to_receipt(),
        robots=tuple(_load_robots(connection, row.id)),
        breaker=_read_breaker(row),
        backoff_level=row.backoff_level,
        backoff_until=row.backoff_until,
        avail_at=find_next_request(row, own),
        lease=_find_lease(connection, row),
        failures={} if tally is None else _sort_failures(tally.failures),
        events=tuple(_load_events(connection, row.id))[::-1],
        depth_reached=row.depth_reached,
        first_seen_at=row.first_seen_at,
        settings=own,
        at_a_time=find_concurrency(own.politeness, rules),
        page_limit=find_page_limit(own, rules),
        found_by=tuple(load_yields(connection, row.id, known=row.pages_discovered, pages=row.pages_crawled)),
    )


def _sort_failures(failures: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(failures.items(), key=lambda failure: (-failure[1], failure[0])))


def summarize_row(row: Row[*tuple[Any, ...]], settings: SourceSettings) -> DomainSummary:
    delay = find_delay_of(row, settings.find(row.source_id))
    return DomainSummary(
        name=row.name,
        site=row.site,
        rules=rules_of(row),
        rules_by=row.rules_by,
        rules_at=row.rules_at,
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
        delay_s=delay.value,
        delay_source=delay.source,
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
    """Newest first."""
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


def rules_of(row: Row[*tuple[Any, ...]]) -> DomainRules:
    """The rules that a user has set for a domain, from a row with RULE_COLUMNS."""
    return read_rules(tuple(getattr(row, name) for name in _RULE_COLUMNS))


def find_delay_of(row: Row[*tuple[Any, ...]], settings: Settings) -> EffectiveLimit:
    """The delay in force for a domain, and where it comes from."""
    pace = Pace(robots_delay_s=row.robots_delay_s, last_response_s=row.last_response_s)
    return find_delay(pace, settings.politeness, rules_of(row))


def find_next_request(row: Row[*tuple[Any, ...]], settings: Settings) -> Instant | None:
    """When politeness allows the next request to a domain; None: nothing is waiting, or not in this run."""
    claimable_at: Instant | None = row.avail_at if row.queued else None
    if claimable_at is None or row.claimed_by is None:
        return claimable_at
    # While a worker holds the domain, `avail_at` is when the lease ends and another worker may claim it.
    pace = Pace(
        robots_delay_s=row.robots_delay_s,
        last_start_at=row.last_start_at,
        last_answer_at=row.last_answer_at,
        last_response_s=row.last_response_s,
        backoff_until=row.backoff_until,
    )
    planned_at = plan_next_fetch(pace, apply_pace(settings.politeness, rules_of(row)), roll=0.0)
    rests_until: Instant = max(row.breaker_reopen_at or 0.0, row.next_crawl_after or 0.0)
    first_seen_at: Instant = row.first_seen_at
    return max(planned_at, rests_until, first_seen_at)
