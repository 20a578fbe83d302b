"""Who works in a store and how they fare; and the breakers that hold them back. Reads only."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records import BreakerState, RefusalReason
from tenax.stores.contracts.runs import LOST_AFTER_S
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.stores.hot.vitals import parse_trouble
from tenax.stores.presence import PresenceSigns
from tenax.stores.schema.crawl import domains, workers

NAMES_SHOWN = 3
# A heartbeat comes at least three times in a lease: one is missing then, and the lease still stands.
SILENT_LEASES = 2 / 3


class WorkerState(StrEnum):
    WORKING = "working"  # it holds domains
    HUNGRY = "hungry"  # it has less than its share; others will give it some
    IDLE = "idle"  # it holds none, and none can be claimed now
    SILENT = "silent"  # its heartbeat is overdue: it is cut off, stopped or dead
    DEAD = "dead"  # this machine knows that its process is gone
    LOST = "lost"  # silent for so long that nobody waits for it any more
    ENDED = "ended"  # it has left, or was buried


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
    leases_until: Instant | None  # when the last of its leases ends unless it is renewed
    domains: int  # that it holds
    names: tuple[str, ...]  # of some of them
    pages: int
    pages_per_min: float  # as it said with its last heartbeat
    breakers: tuple[ServiceBreaker, ...]  # the same
    rss_bytes: int  # the same
    silent_domains: int  # the same: those that have not answered for more than a second


@record
class BreakerSummary:
    """The breakers of one service, over all workers or domains."""

    service: BackingService
    state: BreakerState  # the worst
    count: int  # that are not closed, or whose service refuses
    retry_at: Instant | None  # the next trial of any of them
    reason: str | None


def list_workers(
    connection: Connection, *, signs: PresenceSigns, lease_s: float, now: Instant
) -> Iterator[WorkerSummary]:
    """Those that have not said goodbye, the oldest first."""
    for row in connection.execute(
        select_workers().where(workers.c.ended_at.is_(None)).order_by(workers.c.id)
    ):
        yield read_worker(connection, row, signs, lease_s, now)


def list_ended(
    connection: Connection, *, signs: PresenceSigns, lease_s: float, now: Instant, limit: int
) -> list[WorkerSummary]:
    """The last ones that have left, the oldest first."""
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
    # By id, as the index has them: sorting by name would read all of them.
    statement = select(domains.c.name).where(domains.c.claimed_by == worker_id).limit(NAMES_SHOWN)
    return tuple(connection.scalars(statement))


def list_breakers(
    connection: Connection, found: Sequence[WorkerSummary], now: Instant
) -> tuple[BreakerSummary, ...]:
    """Of every service. Whoever can ask the store has proved that it answers."""
    store = BreakerSummary(
        service=BackingService.STORE, state=BreakerState.CLOSED, count=0, retry_at=None, reason=None
    )
    told = [_sum_told(found, service) for service in (BackingService.REDIS, BackingService.MACHINE)]
    return store, *told, _load_robots(connection, now)


def _sum_told(found: Sequence[WorkerSummary], service: BackingService) -> BreakerSummary:
    """As the workers say with their heartbeats."""
    told = [
        breaker
        for worker in found
        if worker.is_alive
        for breaker in worker.breakers
        if breaker.service is service
    ]
    worst = max((breaker.state for breaker in told), key=_SEVERITY.index, default=BreakerState.CLOSED)
    return BreakerSummary(
        service=service,
        state=worst,
        count=len(told),
        retry_at=min((breaker.retry_at for breaker in told if breaker.retry_at is not None), default=None),
        reason=next((breaker.reason for breaker in told if breaker.state is worst), None),
    )


_SEVERITY = (BreakerState.CLOSED, BreakerState.HALF_OPEN, BreakerState.OPEN)


def _load_robots(connection: Connection, now: Instant) -> BreakerSummary:
    """A domain whose robots.txt failed three times rests: that is its breaker."""
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
