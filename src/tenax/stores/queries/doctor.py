"""The facts about a crawl that `tenax doctor` needs, from its store alone, wherever the workers run."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from operator import attrgetter
from typing import Any

from sqlalchemy import Boolean, Connection, and_, func, literal_column, or_, select

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.policy.quality.parser_health import ParserCounts
from tenax.policy.stalls import Stall
from tenax.record import record
from tenax.records.domains import Cause, DomainStatus
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.traps import TrapState
from tenax.records.urls import RejectionReason
from tenax.stores.contracts.overview import ForeignTransaction, NextDomain
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker
from tenax.stores.hot.rows import CAN_BE_ASKED_AGAIN
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.parsers import load_last_day
from tenax.stores.queries.runs import RunSummary, find_status_run_id, read_run, select_runs
from tenax.stores.queries.settings import load_run_settings
from tenax.stores.queries.workers import WorkerState, WorkerSummary, list_workers
from tenax.stores.schema.domains import domains
from tenax.stores.schema.runs import runs, workers
from tenax.stores.schema.traps import traps
from tenax.stores.schema.visits import visits

# How many of the last visits count as current.
RECENT_VISITS = 200
# Deaths that count as current, and the life of a worker that died of its start.
DEATHS_S = 600.0
SHORT_LIFE_S = 60.0
# Fewer pages say little about a parser.
LEAST_PARSED = 10
_ACTIVE_STATES = (WorkerState.WORKING, WorkerState.HUNGRY, WorkerState.IDLE)


@record
class QueueFacts:
    """Domains with waiting urls."""

    urls: int = 0
    domains: int = 0
    held: int = 0  # by workers
    ready: int = 0  # any worker may claim them now
    resting: int = 0  # they may be claimed later
    blocked: int = 0  # until a user unblocks them
    inactive: int = 0  # until a user activates them
    walled: int = 0  # they show a bot check
    first_walled: str | None = None  # one of them
    parked: int = 0  # their page limit for this run is used up
    next_waiting: NextDomain | None = None  # the first resting domain that may be claimed
    can_ask_again: bool = False  # giving its seed again lets that domain be tried again at once


@record
class RecentVisits:
    """The last visits of the run."""

    number: int = 0
    names_failed: int = 0  # the host name could not be resolved
    names_failed_since: Instant | None = None
    need_rendering: int = 0  # their answers ask for a browser
    need_rendering_since: Instant | None = None
    last_at: Instant | None = None


@record
class TrappedDomain:
    """A domain of which most pages are of one cluster that brings nothing new."""

    domain: str
    shape: str
    visits: int  # pages of the cluster
    pages: int  # of the domain


@record
class RecentDeaths:
    """Workers of the run that ended themselves, or died soon after their start."""

    number: int = 0
    last_at: Instant | None = None
    last_code: int | None = None  # None: something else killed it


@record
class FailingParser:
    """A parser that fails on most of its pages, of a day."""

    parser: str
    pages: int
    errors: int


@record
class DoctorFacts:
    now: Instant
    run: RunSummary | None  # the active one, or the one that ended last
    max_pages: int | None
    new_urls_per_s: int = 0  # that may become due; 0: no limit
    queues: QueueFacts
    visits: RecentVisits
    workers: int  # with a recent heartbeat
    silent_workers: int  # that are alive on this machine but have not been able to write recently
    last_heartbeat_at: Instant | None  # of any worker of the run
    pages_per_min: float
    silent_domains: int  # that do not answer requests
    redis: ServiceBreaker | None  # a worker's trouble with Redis
    machine: ServiceBreaker | None  # the resource that a worker's machine is short of
    short_workers: int  # whose machine is short of a resource
    network: ServiceBreaker | None = None  # why a worker waits for the network of its machine
    waiting_workers: int = 0  # for their network
    stall: Stall | None = None  # of the worker that has been stalled for the longest time
    stalled_workers: int = 0
    longest: LongestVisit | None = None  # of all visits under way
    deaths: RecentDeaths = RecentDeaths()
    foreign: ForeignTransaction | None
    trap: TrappedDomain | None = None
    parser: FailingParser | None = None
    parsers: Mapping[str, ParserCounts] = field(default_factory=dict)  # in the last day


def load_facts(
    connection: Connection, *, signs: PresenceSigns, foreign: ForeignTransaction | None, now: Instant
) -> DoctorFacts:
    run = _find_run(connection)
    settings = Settings() if run is None else load_run_settings(connection, run.id)
    found = _list_workers(connection, run, signs, settings, now)
    parsers = load_last_day(connection, now)
    at_work = [worker for worker in found if worker.is_alive and worker.state in _ACTIVE_STATES]
    return DoctorFacts(
        now=now,
        run=run,
        max_pages=settings.limits.max_pages,
        new_urls_per_s=settings.limits.new_urls_per_s,
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
        network=next(_iter_trouble(at_work, BackingService.NETWORK), None),
        waiting_workers=sum(1 for _ in _iter_trouble(at_work, BackingService.NETWORK)),
        stall=min(
            (worker.stall for worker in at_work if worker.stall), key=attrgetter("began_at"), default=None
        ),
        stalled_workers=sum(worker.stall is not None for worker in at_work),
        longest=min(
            (worker.longest for worker in at_work if worker.longest),
            key=attrgetter("started_at"),
            default=None,
        ),
        deaths=_load_deaths(connection, run, now),
        foreign=foreign,
        trap=_find_trap(connection),
        parser=_find_failing_parser(parsers),
        parsers=parsers,
    )


def _find_failing_parser(parsers: Mapping[str, ParserCounts]) -> FailingParser | None:
    failing = {
        name: counts
        for name, counts in parsers.items()
        if counts.pages >= LEAST_PARSED and 2 * counts.errors > counts.pages
    }
    if not failing:
        return None
    worst = max(failing, key=lambda name: failing[name].errors)
    return FailingParser(parser=worst, pages=failing[worst].pages, errors=failing[worst].errors)


def _find_trap(connection: Connection) -> TrappedDomain | None:
    statement = (
        select(domains.c.name, traps.c.shape, traps.c.visits, domains.c.pages_crawled)
        .join(domains, domains.c.id == traps.c.domain_id)
        .where(
            traps.c.state.in_((TrapState.SLOWED, TrapState.CLOSED)),
            domains.c.queued > 0,
            2 * traps.c.visits > domains.c.pages_crawled,
        )
    )
    row = connection.execute(statement.order_by(traps.c.visits.desc()).limit(1)).one_or_none()
    if row is None:
        return None
    return TrappedDomain(domain=row.name, shape=row.shape, visits=row.visits, pages=row.pages_crawled)


def _load_deaths(connection: Connection, run: RunSummary | None, now: Instant) -> RecentDeaths:
    if run is None or run.state is not RunState.RUNNING:
        return RecentDeaths()
    of = workers.c
    is_early = of.ended_at - of.started_at < SHORT_LIFE_S
    statement = (
        select(of.ended_at, of.exit_code)
        .where(of.run_id == run.id, of.is_buried == 1, of.ended_at > now - DEATHS_S)
        .where(or_(of.exit_code.isnot(None), is_early))
        .order_by(of.ended_at.desc())
    )
    rows = connection.execute(statement).all()
    if not rows:
        return RecentDeaths()
    return RecentDeaths(number=len(rows), last_at=rows[0].ended_at, last_code=rows[0].exit_code)


def _find_run(connection: Connection) -> RunSummary | None:
    number = find_status_run_id(connection)
    if number is None:
        return None
    return read_run(connection.execute(select_runs().where(runs.c.id == number)).one())


def _list_workers(
    connection: Connection, run: RunSummary | None, signs: PresenceSigns, settings: Settings, now: Instant
) -> list[WorkerSummary]:
    """The workers of the run."""
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
    is_walled = and_(is_resting, domains.c.block_code == Cause.BOT_WALL)
    row = connection.execute(
        select(
            func.count().label("domains"),
            func.coalesce(func.sum(domains.c.queued), 0).label("urls"),
            func.count().filter(is_held).label("held"),
            func.count().filter(is_free, domains.c.avail_at <= now).label("ready"),
            func.count().filter(is_later).label("resting"),
            func.count().filter(is_free, is_blocked).label("blocked"),
            func.count().filter(is_free, is_inactive).label("inactive"),
            func.count().filter(is_walled).label("walled"),
            func.min(domains.c.name).filter(is_walled).label("first_walled"),
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
        walled=row.walled,
        first_walled=row.first_walled,
        parked=row.parked,
        next_waiting=next_waiting,
        can_ask_again=can_ask_again,
    )


def _find_next(connection: Connection, is_later: Any) -> tuple[NextDomain, bool] | None:
    """The first resting domain, and whether giving its seed again lets it be tried again at once."""
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
    soft = [row.at for row in rows if row.error_kind == RejectionReason.NEEDS_RENDERING]
    return RecentVisits(
        number=len(rows),
        need_rendering=len(soft),
        need_rendering_since=min(soft, default=None),
        names_failed=len(failed),
        names_failed_since=min(failed, default=None),
        last_at=max((row.at for row in rows), default=None),
    )
