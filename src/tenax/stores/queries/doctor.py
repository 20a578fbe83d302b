"""What can be seen of a crawl from its store, whoever runs the workers: the facts that a doctor asks for."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Boolean, Connection, and_, func, literal_column, or_, select

from tenax.clock import Instant
from tenax.config import Settings
from tenax.record import record
from tenax.records import DomainStatus, FailureKind, RunState
from tenax.stores.contracts.overview import ForeignTransaction, NextDomain
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tenax.stores.hot.rows import CAN_BE_ASKED_AGAIN
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.active_runs import find_told_run
from tenax.stores.queries.status import RunSummary, load_run_settings, read_run, select_runs
from tenax.stores.queries.workers import WorkerState, WorkerSummary, list_workers
from tenax.stores.schema.crawl import domains, runs, visits

# Of all visits, how many of the last ones tell how things are now.
RECENT_VISITS = 200
_AT_WORK = (WorkerState.WORKING, WorkerState.HUNGRY, WorkerState.IDLE)


@record
class QueueFacts:
    """Domains with urls that wait."""

    urls: int = 0
    domains: int = 0
    held: int = 0  # by workers
    ready: int = 0  # anybody may claim them now
    resting: int = 0  # they may be asked later
    blocked: int = 0  # until a person unblocks them
    inactive: int = 0  # until a person makes them active
    parked: int = 0  # their pages of this run are used up
    next_waiting: NextDomain | None = None  # the first of those that rest
    can_ask_again: bool = False  # whether naming its seed again gives that one another try at once


@record
class RecentVisits:
    """The last ones of the run."""

    number: int = 0
    names_failed: int = 0  # the host could not be looked up
    names_failed_since: Instant | None = None
    last_at: Instant | None = None


@record
class DoctorFacts:
    now: Instant
    run: RunSummary | None  # that goes on, or ended last
    max_pages: int | None
    queues: QueueFacts
    visits: RecentVisits
    workers: int  # that were heard of lately
    silent_workers: int  # that live on this machine and could write nothing lately
    last_heartbeat_at: Instant | None  # of any worker of the run
    pages_per_min: float
    silent_domains: int  # that keep workers waiting in vain
    redis: ServiceBreaker | None  # the trouble that a worker has with it
    machine: ServiceBreaker | None  # what a worker's machine is short of
    short_workers: int  # whose machine is short of something
    foreign: ForeignTransaction | None


def load_facts(
    connection: Connection, *, signs: PresenceSigns, foreign: ForeignTransaction | None, now: Instant
) -> DoctorFacts:
    run = _find_run(connection)
    settings = Settings() if run is None else load_run_settings(connection, run.id)
    found = _list_workers(connection, run, signs, settings, now)
    at_work = [worker for worker in found if worker.is_alive and worker.state in _AT_WORK]
    return DoctorFacts(
        now=now,
        run=run,
        max_pages=settings.limits.max_pages,
        queues=_load_queues(connection, now),
        visits=_load_visits(connection, run),
        workers=len(at_work),
        silent_workers=sum(worker.is_alive and worker.state is WorkerState.SILENT for worker in found),
        last_heartbeat_at=run.last_sign_at if run else None,
        pages_per_min=sum(worker.pages_per_min for worker in at_work),
        silent_domains=sum(worker.silent_domains for worker in at_work),
        redis=next(_iter_trouble(at_work, BackingService.REDIS), None),
        machine=next(_iter_trouble(at_work, BackingService.MACHINE), None),
        short_workers=sum(1 for _ in _iter_trouble(at_work, BackingService.MACHINE)),
        foreign=foreign,
    )


def _find_run(connection: Connection) -> RunSummary | None:
    number = find_told_run(connection)
    if number is None:
        return None
    return read_run(connection.execute(select_runs().where(runs.c.id == number)).one())


def _list_workers(
    connection: Connection, run: RunSummary | None, signs: PresenceSigns, settings: Settings, now: Instant
) -> list[WorkerSummary]:
    """Of the run."""
    found = list_workers(connection, signs=signs, lease_s=settings.worker.lease_s, now=now)
    return [worker for worker in found if run is not None and worker.run_id == run.id]


def _iter_trouble(found: list[WorkerSummary], service: BackingService) -> Iterator[ServiceBreaker]:
    return (each for worker in found for each in worker.breakers if each.service is service)


def _load_queues(connection: Connection, now: Instant) -> QueueFacts:
    is_held = and_(domains.c.claimed_by.isnot(None), domains.c.claim_expires_at > now)
    is_free = or_(domains.c.claimed_by.is_(None), domains.c.claim_expires_at <= now)
    is_resting = domains.c.status.in_((DomainStatus.BLOCKED, DomainStatus.UNREACHABLE))
    is_inactive = domains.c.is_active == 0
    is_blocked = and_(is_resting, domains.c.next_crawl_after.is_(None), ~is_inactive)
    is_later = and_(is_free, domains.c.avail_at > now)
    row = connection.execute(
        select(
            func.count().label("domains"),
            func.coalesce(func.sum(domains.c.queued), 0).label("urls"),
            func.count().filter(is_held).label("held"),
            func.count().filter(is_free, domains.c.avail_at <= now).label("ready"),
            func.count().filter(is_later).label("resting"),
            func.count().filter(is_free, is_blocked).label("blocked"),
            func.count().filter(is_free, is_inactive).label("inactive"),
            func.count()
            .filter(is_free, domains.c.avail_at.is_(None), ~is_blocked, ~is_inactive)
            .label("parked"),
        ).where(domains.c.queued > 0)
    ).one()
    first = _find_next(connection, is_later) if row.resting else None
    next_waiting, can_ask_again = first or (None, False)
    return QueueFacts(
        urls=int(row.urls),
        domains=row.domains,
        held=row.held,
        ready=row.ready,
        resting=row.resting,
        blocked=row.blocked,
        inactive=row.inactive,
        parked=row.parked,
        next_waiting=next_waiting,
        can_ask_again=can_ask_again,
    )


def _find_next(connection: Connection, is_later: Any) -> tuple[NextDomain, bool] | None:
    """And whether its seed, named again, gives it another try."""
    can_ask_again = literal_column(f"({CAN_BE_ASKED_AGAIN})", Boolean).label("can_ask_again")
    waiting_domains = select(domains, can_ask_again).where(domains.c.queued > 0, is_later)
    statement = waiting_domains.order_by(domains.c.avail_at).limit(1)
    row = connection.execute(statement).one_or_none()
    if row is None:
        return None
    waiting = NextDomain(
        domain=row.name,
        avail_at=row.avail_at,
        backoff_until=row.backoff_until,
        breaker_reopen_at=row.breaker_reopen_at,
        claimed_by=None,
    )
    return waiting, bool(row.can_ask_again)


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
