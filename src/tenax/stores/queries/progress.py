"""The progress of a crawl, cheap enough to be read twice a second, and the status changes of its domains."""

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, cast, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import DomainStatus
from tenax.records.runs import RunState
from tenax.stores.contracts.vitals import find_down_since
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.runs import ActiveRun, count_active_runs, list_active_runs
from tenax.stores.queries.settings import load_last_settings
from tenax.stores.queries.workers import list_workers
from tenax.stores.schema.domains import domain_events, domains
from tenax.stores.schema.runs import runs

EVENTS_AT_ONCE = 200

# Without the settings, which are long.
_RUN = tuple(column for column in runs.c if column.name != "settings")


@record
class RunProgress:
    id: int
    state: RunState
    started_at: Instant
    ended_at: Instant | None
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None  # of the source or crawl; None: unknown


@record
class CrawlProgress:
    at: Instant
    run: RunProgress | None  # the newest
    runs: tuple[ActiveRun, ...]  # active, newest first
    runs_count: int  # of all active runs, including those not listed
    workers: int  # that are alive
    pages_per_min: float  # of all workers
    urls: int
    pages: int
    queued: int
    domains: int
    domains_queued: int  # with waiting urls
    domains_resting: int  # blocked or unreachable
    network_down_since: Instant | None = (
        None  # a worker waits for the network of its machine; None: none does
    )


@record
class DomainMove:
    """A change of a domain's status."""

    id: int
    at: Instant
    domain: str
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str


def load_progress(connection: Connection, *, signs: PresenceSigns, now: Instant) -> CrawlProgress:
    settings = load_last_settings(connection)
    live = [
        worker
        for worker in list_workers(connection, signs=signs, lease_s=settings.worker.lease_s, now=now)
        if worker.is_alive
    ]
    row = connection.execute(select(*_RUN).order_by(runs.c.id.desc()).limit(1)).one_or_none()
    totals = _load_totals(connection)
    return CrawlProgress(
        at=now,
        run=None if row is None else _read_run(row),
        runs=list_active_runs(connection, live),
        runs_count=count_active_runs(connection),
        workers=len(live),
        pages_per_min=sum(worker.pages_per_min for worker in live),
        urls=totals.urls or 0,
        pages=totals.pages or 0,
        queued=totals.queued or 0,
        domains=totals.number,
        domains_queued=totals.waiting,
        domains_resting=totals.resting,
        network_down_since=find_down_since(each for worker in live for each in worker.breakers),
    )


def list_states(connection: Connection, numbers: Collection[int]) -> list[RunProgress]:
    """The state of these runs, oldest first."""
    statement = select(*_RUN).where(runs.c.id.in_(numbers)).order_by(runs.c.id)
    return [_read_run(row) for row in connection.execute(statement)]


def list_moves(connection: Connection, after_id: int | None) -> Sequence[DomainMove]:
    """Status changes after this one, oldest first; None: only the newest."""
    statement = select(domain_events, domains.c.name).join(domains, domains.c.id == domain_events.c.domain_id)
    if after_id is None:
        statement = statement.order_by(domain_events.c.id.desc()).limit(1)
    else:
        statement = statement.where(domain_events.c.id > after_id).order_by(domain_events.c.id)
    rows = connection.execute(statement.limit(EVENTS_AT_ONCE) if after_id is not None else statement)
    return [
        DomainMove(
            id=row.id,
            at=row.at,
            domain=row.name,
            from_status=DomainStatus(row.from_status),
            to_status=DomainStatus(row.to_status),
            cause=row.cause,
            detail=row.detail,
        )
        for row in rows
    ]


def _read_run(row: Row[*tuple[Any, ...]]) -> RunProgress:
    return RunProgress(
        id=row.id,
        state=RunState(row.state),
        started_at=row.started_at,
        ended_at=row.ended_at,
        pages=row.pages,
        requests=row.requests,
        wire_bytes=row.wire_bytes,
        source_id=row.source_id or None,
    )


def _load_totals(connection: Connection) -> Row[*tuple[Any, ...]]:
    resting = domains.c.status.in_((DomainStatus.BLOCKED, DomainStatus.UNREACHABLE))
    return connection.execute(
        select(
            func.count().label("number"),
            cast(func.sum(domains.c.pages_discovered), BigInteger).label("urls"),
            cast(func.sum(domains.c.pages_crawled), BigInteger).label("pages"),
            cast(func.sum(domains.c.queued), BigInteger).label("queued"),
            func.count().filter(domains.c.queued > 0).label("waiting"),
            func.count().filter(resting).label("resting"),
        )
    ).one()
