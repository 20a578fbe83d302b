"""Workers of a store with their state and figures, and the breakers that hold them back. Reads only."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, exists, func, or_, select

from tenax.clock import Instant
from tenax.policy.stalls import Stall
from tenax.record import record
from tenax.records.domains import BreakerState
from tenax.records.urls import RefusalReason
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker
from tenax.stores.hot.vitals import parse_stall, parse_trouble
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.settings import load_last_settings
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import workers

NAMES_SHOWN = 3
# Heartbeats come at least three times per lease: after this, one is missing and the lease is still valid.
SILENT_LEASES = 2 / 3

ORDER: Final = SortOrder(keys={"id": workers.c.id}, number=workers.c.id)
_SEVERITY = (BreakerState.CLOSED, BreakerState.HALF_OPEN, BreakerState.OPEN)


class WorkerState(StrEnum):
    WORKING = "working"  # it holds domains
    HUNGRY = "hungry"  # it has less than its share; others will give up some domains
    IDLE = "idle"  # it holds no domain, and none can be claimed now
    SILENT = "silent"  # its heartbeat is overdue: it is cut off, stopped or dead
    DEAD = "dead"  # this machine knows that its process is gone
    LOST = "lost"  # silent for longer than LOST_AFTER_S, and it holds nothing
    ENDED = "ended"  # it left, or was found dead


@record
class WorkerSummary:
    id: int
    uuid: str
    run_id: int
    host: str
    pid: int
    state: WorkerState
    is_alive: bool
    started_at: Instant
    heartbeat_at: Instant
    ended_at: Instant | None
    leases_until: Instant | None  # when the last of its leases expires unless it is renewed
    domains: int  # that it holds
    names: tuple[str, ...]  # of some of these domains
    pages: int
    # as reported with its last heartbeat
    pages_per_min: float
    breakers: tuple[ServiceBreaker, ...]
    rss_bytes: int
    silent_domains: int  # those that have not answered for more than a second
    longest: LongestVisit | None  # the visit under way that started first
    stall: Stall | None  # why it does nothing although something is due
    exit_code: int | None  # what it ended itself with


@record
class WorkerFilter:
    run_id: int | None = None
    with_ended: bool = False  # include ended and lost workers


@record
class BreakerSummary:
    """The breakers of one service, over all workers or domains."""

    service: BackingService
    state: BreakerState  # the worst
    count: int  # breakers that are not closed, or whose service refuses
    retry_at: Instant | None  # the next attempt of any of them
    reason: str | None


def slice_workers(
    connection: Connection, wanted: SliceRequest, only: WorkerFilter, *, signs: PresenceSigns, now: Instant
) -> ListSlice[WorkerSummary]:
    lease_s = load_last_settings(connection).worker.lease_s
    statement = select_workers()
    if only.run_id is not None:
        statement = statement.where(workers.c.run_id == only.run_id)
    if not only.with_ended:
        statement = statement.where(workers.c.ended_at.is_(None), _is_not_lost(signs, now))
    return load_slice(
        connection, statement, ORDER, wanted, lambda row: read_worker(connection, row, signs, lease_s, now)
    )


def _is_not_lost(signs: PresenceSigns, now: Instant) -> ColumnElement[bool]:
    """The same test as for WorkerState.LOST."""
    return or_(
        workers.c.heartbeat_at >= now - LOST_AFTER_S,
        workers.c.uuid.in_(signs.dead),
        exists().where(domains.c.claimed_by == workers.c.id),
    )


def list_workers(
    connection: Connection, *, signs: PresenceSigns, lease_s: float, now: Instant
) -> Iterator[WorkerSummary]:
    """Workers that have not left, oldest first."""
    for row in connection.execute(
        select_workers().where(workers.c.ended_at.is_(None)).order_by(workers.c.id)
    ):
        yield read_worker(connection, row, signs, lease_s, now)


def list_ended_workers(
    connection: Connection, *, signs: PresenceSigns, lease_s: float, now: Instant, limit: int
) -> list[WorkerSummary]:
    """The workers that left last, oldest first."""
    statement = (
        select_workers().where(workers.c.ended_at.isnot(None)).order_by(workers.c.id.desc()).limit(limit)
    )
    found = [read_worker(connection, row, signs, lease_s, now) for row in connection.execute(statement)]
    return found[::-1]


def select_workers() -> Select[Any]:
    of_worker = domains.c.claimed_by == workers.c.id
    count = select(func.count()).where(of_worker).scalar_subquery()
    until = select(func.max(domains.c.claim_expires_at)).where(of_worker).scalar_subquery()
    return select(workers, count.label("domains"), until.label("leases_until"))


def read_worker(
    connection: Connection, row: Row[*tuple[Any, ...]], signs: PresenceSigns, lease_s: float, now: Instant
) -> WorkerSummary:
    is_alive = row.ended_at is None and signs.is_alive(row.uuid, row.heartbeat_at, now, lease_s)
    return WorkerSummary(
        id=row.id,
        uuid=row.uuid,
        run_id=row.run_id,
        host=row.host,
        pid=row.pid,
        state=_find_state(row, signs, lease_s, now),
        is_alive=is_alive,
        started_at=row.started_at,
        heartbeat_at=row.heartbeat_at,
        ended_at=row.ended_at,
        leases_until=row.leases_until,
        domains=row.domains,
        names=_load_names(connection, row.id) if row.domains else (),
        pages=row.pages,
        pages_per_min=row.pages_per_min,
        breakers=parse_trouble(row.trouble),
        rss_bytes=row.rss_bytes,
        silent_domains=row.silent_domains,
        longest=_read_longest(row) if is_alive else None,
        stall=parse_stall(row.stall) if is_alive else None,
        exit_code=row.exit_code,
    )


def _read_longest(row: Row[*tuple[Any, ...]]) -> LongestVisit | None:
    return (
        None
        if row.longest_url is None
        else LongestVisit(url=row.longest_url, started_at=row.longest_started_at)
    )


def _find_state(
    row: Row[*tuple[Any, ...]], signs: PresenceSigns, lease_s: float, now: Instant
) -> WorkerState:
    silent_s = now - row.heartbeat_at
    if row.ended_at is not None:
        return WorkerState.ENDED
    if row.uuid in signs.dead:
        return WorkerState.DEAD
    if silent_s > LOST_AFTER_S and not row.domains:
        return WorkerState.LOST
    if silent_s > SILENT_LEASES * lease_s:
        return WorkerState.SILENT
    if row.is_hungry:
        return WorkerState.HUNGRY
    return WorkerState.WORKING if row.domains else WorkerState.IDLE


def _load_names(connection: Connection, worker_id: int) -> tuple[str, ...]:
    # In index order: sorting by name would read all of them.
    statement = select(domains.c.name).where(domains.c.claimed_by == worker_id).limit(NAMES_SHOWN)
    return tuple(connection.scalars(statement))


def list_breakers(
    connection: Connection, found: Sequence[WorkerSummary], now: Instant
) -> tuple[BreakerSummary, ...]:
    """One summary per service. The store's is closed: this query is the proof that it answers."""
    store = BreakerSummary(
        service=BackingService.STORE, state=BreakerState.CLOSED, count=0, retry_at=None, reason=None
    )
    reported = [_sum_reported(found, service) for service in (BackingService.REDIS, BackingService.MACHINE)]
    return store, *reported, _load_robots(connection, now)


def _sum_reported(found: Sequence[WorkerSummary], service: BackingService) -> BreakerSummary:
    """What the workers report with their heartbeats."""
    reported = [
        breaker
        for worker in found
        if worker.is_alive
        for breaker in worker.breakers
        if breaker.service is service
    ]
    retries = [breaker.retry_at for breaker in reported if breaker.retry_at is not None]
    worst = max((breaker.state for breaker in reported), key=_SEVERITY.index, default=BreakerState.CLOSED)
    return BreakerSummary(
        service=service,
        state=worst,
        count=len(reported),
        retry_at=min(retries, default=None),
        reason=next((breaker.reason for breaker in reported if breaker.state is worst), None),
    )


def _load_robots(connection: Connection, now: Instant) -> BreakerSummary:
    """A domain whose robots.txt failed three times rests, which counts as an open breaker."""
    count, retry_at = connection.execute(
        select(func.count(), func.min(domains.c.next_crawl_after)).where(
            domains.c.block_code == RefusalReason.ROBOTS_UNREACHABLE, domains.c.next_crawl_after > now
        )
    ).one()
    return BreakerSummary(
        service=BackingService.ROBOTS,
        state=BreakerState.OPEN if count else BreakerState.CLOSED,
        count=count,
        retry_at=retry_at,
        reason="robots.txt failed three times" if count else None,
    )
