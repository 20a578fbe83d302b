"""What can be seen of a crawl from its store, whoever runs the workers: the facts that a doctor asks for."""

from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from tenax.clock import Instant
from tenax.config import Settings
from tenax.records import DomainStatus, FailureKind, RunState
from tenax.stores.base import ForeignTransaction, Waiting
from tenax.stores.presence import Signs
from tenax.stores.reports import RunSummary, list_runs, load_last_settings
from tenax.stores.tables import domains, visits
from tenax.stores.vitals import Service, ServiceBreaker
from tenax.stores.worker_reports import WorkerState, WorkerSummary, list_workers
from tenax.values import record

# Of all visits, how many of the last ones tell how things are now.
RECENT_VISITS = 200
_AT_WORK = (WorkerState.WORKING, WorkerState.HUNGRY, WorkerState.IDLE)


@record(frozen=True, slots=True, kw_only=True)
class Queues:
    """Domains with urls that wait."""

    urls: int = 0
    domains: int = 0
    held: int = 0  # by workers
    ready: int = 0  # anybody may claim them now
    resting: int = 0  # they may be asked later
    blocked: int = 0  # until a person unblocks them
    parked: int = 0  # their pages of this run are used up
    next_waiting: Waiting | None = None  # the first of those that rest


@record(frozen=True, slots=True, kw_only=True)
class RecentVisits:
    """The last ones of the run."""

    number: int = 0
    names_failed: int = 0  # the host could not be looked up
    names_failed_since: Instant | None = None
    last_at: Instant | None = None


@record(frozen=True, slots=True, kw_only=True)
class Facts:
    now: Instant
    run: RunSummary | None  # the newest
    max_pages: int | None
    queues: Queues
    visits: RecentVisits
    workers: int  # that were heard of lately
    silent_workers: int  # that live on this machine and could write nothing lately
    last_heartbeat_at: Instant | None  # of any worker of the run
    pages_per_min: float
    redis: ServiceBreaker | None  # the trouble that a worker has with it
    foreign: ForeignTransaction | None


def load_facts(
    connection: Connection, *, signs: Signs, foreign: ForeignTransaction | None, now: Instant
) -> Facts:
    settings = load_last_settings(connection)
    run = next(list_runs(connection, 1), None)
    found = _list_workers(connection, run, signs, settings, now)
    at_work = [worker for worker in found if worker.is_alive and worker.state in _AT_WORK]
    return Facts(
        now=now,
        run=run,
        max_pages=settings.limits.max_pages,
        queues=_load_queues(connection, now),
        visits=_load_visits(connection, run),
        workers=len(at_work),
        silent_workers=sum(worker.is_alive and worker.state is WorkerState.SILENT for worker in found),
        last_heartbeat_at=run.last_sign_at if run else None,
        pages_per_min=sum(worker.pages_per_min for worker in at_work),
        redis=_find_trouble(at_work),
        foreign=foreign,
    )


def _list_workers(
    connection: Connection, run: RunSummary | None, signs: Signs, settings: Settings, now: Instant
) -> list[WorkerSummary]:
    """Of the run."""
    found = list_workers(connection, signs=signs, lease_s=settings.worker.lease_s, now=now)
    return [worker for worker in found if run is not None and worker.run_id == run.id]


def _find_trouble(found: list[WorkerSummary]) -> ServiceBreaker | None:
    breakers = (breaker for worker in found for breaker in worker.breakers)
    return next((breaker for breaker in breakers if breaker.service is Service.REDIS), None)


def _load_queues(connection: Connection, now: Instant) -> Queues:
    is_held = and_(domains.c.claimed_by.isnot(None), domains.c.claim_expires_at > now)
    is_free = or_(domains.c.claimed_by.is_(None), domains.c.claim_expires_at <= now)
    is_resting = domains.c.status.in_((DomainStatus.BLOCKED, DomainStatus.UNREACHABLE))
    is_blocked = and_(is_resting, domains.c.next_crawl_after.is_(None))
    is_later = and_(is_free, domains.c.avail_at > now)
    row = connection.execute(
        select(
            func.count().label("domains"),
            func.coalesce(func.sum(domains.c.queued), 0).label("urls"),
            func.count().filter(is_held).label("held"),
            func.count().filter(is_free, domains.c.avail_at <= now).label("ready"),
            func.count().filter(is_later).label("resting"),
            func.count().filter(is_free, is_blocked).label("blocked"),
            func.count().filter(is_free, domains.c.avail_at.is_(None), ~is_blocked).label("parked"),
        ).where(domains.c.queued > 0)
    ).one()
    return Queues(
        urls=int(row.urls),
        domains=row.domains,
        held=row.held,
        ready=row.ready,
        resting=row.resting,
        blocked=row.blocked,
        parked=row.parked,
        next_waiting=_find_next(connection, is_later) if row.resting else None,
    )


def _find_next(connection: Connection, is_later: Any) -> Waiting | None:
    statement = select(domains).where(domains.c.queued > 0, is_later).order_by(domains.c.avail_at).limit(1)
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    return Waiting(
        domain=row.name,
        avail_at=row.avail_at,
        backoff_until=row.backoff_until,
        breaker_reopen_at=row.breaker_reopen_at,
        claimed_by=None,
    )


def _load_visits(connection: Connection, run: RunSummary | None) -> RecentVisits:
    if run is None or run.state is not RunState.RUNNING:
        return RecentVisits()
    statement = select(visits.c.run_id, visits.c.at, visits.c.error_kind).order_by(visits.c.id.desc())
    rows = [row for row in connection.execute(statement.limit(RECENT_VISITS)) if row.run_id == run.id]
    failed = [row.at for row in rows if row.error_kind == FailureKind.DNS]
    return RecentVisits(
        number=len(rows),
        names_failed=len(failed),
        names_failed_since=min(failed, default=None),
        last_at=max((row.at for row in rows), default=None),
    )
