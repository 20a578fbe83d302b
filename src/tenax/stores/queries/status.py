"""The status of a store: what it holds, what is active, and what is waiting. Reads only."""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, cast, func, select, text

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.policy.domain_states import RESTING
from tenax.policy.quality.parser_health import ParserCounts
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.urls import Fate
from tenax.stores.contracts.crawls import CrawlSummary
from tenax.stores.hot.crawls import LIST_CRAWLS, read_snapshot
from tenax.stores.hot.revisits import CANDIDATES
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.bodies import BodyTotals
from tenax.stores.queries.bodies import load_totals as load_body_totals
from tenax.stores.queries.domains import find_delay_of, find_next_request
from tenax.stores.queries.parsers import load_last_day
from tenax.stores.queries.runs import ActiveRun, RunSummary, count_active_runs, list_active_runs, list_runs
from tenax.stores.queries.settings import SourceSettings, load_last_settings
from tenax.stores.queries.urls import count_fates
from tenax.stores.queries.workers import BreakerSummary, WorkerSummary, list_breakers, list_workers
from tenax.stores.schema.domains import domains
from tenax.stores.schema.urls import urls

LONGEST_QUEUES = 5
LAST_RUNS = 5


@record
class QueueStatus:
    domain: str
    queued: int
    delay_s: float
    delay_source: str
    is_at_rest: bool  # blocked, unreachable, inactive or backing off
    rests_until: Instant | None  # None: requests are allowed, or it rests until a user says otherwise
    next_request_at: Instant | None  # None: not in this run, or not before a user says so

    @property
    def forecast_s(self) -> float:
        return self.queued * self.delay_s


@record
class StoreStatus:
    fates: Mapping[Fate, int]
    domains: Mapping[DomainStatus, int]
    urls: int
    pages: int
    queued: int
    requests: int
    wire_bytes: int
    runs: tuple[RunSummary, ...]  # the last LAST_RUNS, newest first
    runs_under_way: tuple[ActiveRun, ...]  # newest first
    runs_count: int  # of all active runs, including those not listed
    workers: tuple[WorkerSummary, ...]  # that have not left: they are alive, or they died
    breakers: tuple[BreakerSummary, ...]
    queues: tuple[QueueStatus, ...]  # those that take longest, longest first
    forecast_s: float  # of the longest queue that is not at rest; others proceed in parallel
    queued_at_rest: int  # urls of domains at rest
    oldest_due_at: Instant | None
    next_avail_at: Instant | None  # when the next domain may be requested; None: none is waiting
    refresh_due: int  # domains with pages that `tenax refresh` would visit again
    next_revisit_at: Instant | None  # when the first page is due; None: no revisit is planned
    crawls: tuple[CrawlSummary, ...]  # that can be continued, oldest first
    settings: Settings  # of the last run
    parsers: Mapping[str, ParserCounts] = field(default_factory=dict)  # what they did in the last day
    bodies: BodyTotals = field(default_factory=BodyTotals)


def load_status(connection: Connection, *, signs: PresenceSigns, now: Instant) -> StoreStatus:
    settings = load_last_settings(connection)
    totals = _load_totals(connection)
    measured = _measure_queues(connection, now)
    found = tuple(list_workers(connection, signs=signs, lease_s=settings.worker.lease_s, now=now))
    return StoreStatus(
        fates=count_fates(connection),
        domains={DomainStatus(row.status): row.number for row in totals},
        urls=sum(row.urls for row in totals),
        pages=sum(row.pages for row in totals),
        queued=sum(row.queued for row in totals),
        requests=sum(row.requests for row in totals),
        wire_bytes=sum(row.wire_bytes for row in totals),
        runs=tuple(list_runs(connection, LAST_RUNS)),
        runs_under_way=list_active_runs(connection, [worker for worker in found if worker.is_alive]),
        runs_count=count_active_runs(connection),
        workers=found,
        breakers=list_breakers(connection, found, now),
        queues=measured.longest,
        forecast_s=measured.forecast_s,
        queued_at_rest=measured.queued_at_rest,
        oldest_due_at=connection.scalar(select(func.min(urls.c.due_at)).where(urls.c.due_at.isnot(None))),
        next_avail_at=measured.next_request_at,
        refresh_due=count_due_domains(connection, now),
        next_revisit_at=find_next_revisit(connection),
        crawls=tuple(list_crawls(connection)),
        settings=settings,
        parsers=load_last_day(connection, now),
        bodies=load_body_totals(connection),
    )


def list_crawls(connection: Connection) -> Iterator[CrawlSummary]:
    """Crawls that have work left."""
    snapshots = (read_snapshot(tuple(row)) for row in connection.execute(text(LIST_CRAWLS)))
    return (each for each in snapshots if each.has_work)


def count_due_domains(connection: Connection, now: Instant) -> int:
    is_due = func.coalesce(domains.c.revisit_at, 0) <= now
    return connection.scalar(select(func.count()).where(text(CANDIDATES), is_due)) or 0


def find_next_revisit(connection: Connection) -> Instant | None:
    """When the first page is due, or was due; None: no revisit is planned."""
    earliest: Instant | None = connection.scalar(
        select(func.min(domains.c.revisit_at)).where(text(CANDIDATES))
    )
    return earliest


def _load_totals(connection: Connection) -> list[Row[*tuple[Any, ...]]]:
    return list(
        connection.execute(
            select(
                domains.c.status,
                func.count().label("number"),
                func.sum(domains.c.pages_discovered).label("urls"),
                func.sum(domains.c.pages_crawled).label("pages"),
                func.sum(domains.c.queued).label("queued"),
                func.sum(domains.c.requests).label("requests"),
                cast(func.sum(domains.c.wire_bytes), BigInteger).label("wire_bytes"),
            ).group_by(domains.c.status)
        )
    )


@record
class _Measured:
    longest: tuple[QueueStatus, ...]  # those that take longest, longest first
    forecast_s: float
    queued_at_rest: int
    next_request_at: Instant | None


def _measure_queues(connection: Connection, now: Instant) -> _Measured:
    longest: list[tuple[float, int, QueueStatus]] = []
    forecast_s, at_rest = 0.0, 0
    first_at: Instant | None = None
    for number, queue in enumerate(_iter_queues(connection, now)):
        entry = (queue.forecast_s, number, queue)
        heapq.heappush(longest, entry) if number < LONGEST_QUEUES else heapq.heappushpop(longest, entry)
        if queue.is_at_rest:
            at_rest += queue.queued
        else:
            forecast_s = max(forecast_s, queue.forecast_s)
        if queue.next_request_at is not None:
            first_at = queue.next_request_at if first_at is None else min(first_at, queue.next_request_at)
    return _Measured(
        longest=tuple(queue for _, _, queue in sorted(longest, reverse=True)),
        forecast_s=forecast_s,
        queued_at_rest=at_rest,
        next_request_at=first_at,
    )


_QUEUE_COLUMNS = (
    "name", "status", "queued", "next_crawl_after", "backoff_until", "robots_delay_s", "last_response_s",
    "source_id", "avail_at", "claimed_by", "last_start_at", "last_answer_at", "breaker_reopen_at",
    "first_seen_at", "rule_delay_s", "rule_per_domain", "rule_pages", "is_active",
)  # fmt: skip


def _iter_queues(connection: Connection, now: Instant) -> Iterator[QueueStatus]:
    statement = select(*(domains.c[name] for name in _QUEUE_COLUMNS)).where(domains.c.queued > 0)
    sources_settings = SourceSettings(connection)
    for row in connection.execute(statement.execution_options(yield_per=1000)):
        settings = sources_settings.find(row.source_id)
        delay = find_delay_of(row, settings)
        rests_until = max(row.next_crawl_after or 0.0, row.backoff_until or 0.0)
        is_indefinite = not row.is_active or (row.status in RESTING and row.next_crawl_after is None)
        yield QueueStatus(
            domain=row.name,
            queued=row.queued,
            delay_s=delay.value,
            delay_source=delay.source,
            is_at_rest=is_indefinite or rests_until > now,
            rests_until=rests_until if rests_until > now else None,
            next_request_at=find_next_request(row, settings),
        )
