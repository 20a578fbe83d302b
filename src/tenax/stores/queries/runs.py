"""Runs: a slice of them, one in full, and those that are active."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.hot.leftovers import parse_leftover
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.filters import Facet, Facets, Filter, find_conditions
from tenax.stores.queries.settings import load_last_settings
from tenax.stores.queries.workers import WorkerSummary, list_workers, read_worker, select_workers
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.runs import IS_ACTIVE, IS_OPENED, runs, workers

MOST_RUNS: Final = 100
MOST_WORKERS: Final = 100
ORDER: Final = SortOrder(keys={"id": runs.c.id}, number=runs.c.id)
_FACETS: Final[Facets] = {Facet.SOURCE: runs.c.source_id, Facet.DATE: runs.c.started_at}
_IS_ACTIVE = (IS_ACTIVE, IS_OPENED)
_NAMES = ("id", "state", "started_at", "pages", "requests", "wire_bytes", "source_id", "postponed", "items")
# Without the settings, which are long.
_ACTIVE_COLUMNS = (
    *(runs.c[name] for name in _NAMES),
    sources.c.name.label("source_name"),
    sources.c.kind.label("source_kind"),
)

_RUNS_WITH_SOURCES = runs.outerjoin(sources, sources.c.id == runs.c.source_id)


@record
class RunSummary:
    id: int
    state: RunState
    started_at: Instant
    ended_at: Instant | None
    paused_at: Instant | None  # when it was paused
    cancelled_at: Instant | None
    last_sign_at: Instant  # its end, or the last heartbeat of its workers
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None = None  # of the source or crawl; None: unknown
    source_name: str | None = None  # None: it was removed
    source_kind: SourceKind | None = None
    execution_id: int | None = None  # of a job; None: a user started it
    leftover: Leftover | None = None  # what was waiting when it ended; None: it is active, or not counted
    postponed: int = 0  # new urls that had to wait: limits.new_urls_per_s
    items: int = 0  # that its visits yielded
    intake_at: Instant | None = None  # when the last of them is due


@record
class RunReport:
    summary: RunSummary
    paused_at: Instant | None
    cancelled_at: Instant | None  # a user ended it
    settings: dict[str, Any]  # those it was opened with, perhaps by another version
    workers: tuple[WorkerSummary, ...]  # the last MOST_WORKERS, newest first
    workers_count: int


@record
class RunFilter(Filter):
    """The date is when the run was opened."""

    state: RunState | None = None
    source_id: int | None = None


@record
class ActiveRun:
    id: int
    state: RunState  # running or paused
    started_at: Instant
    pages: int
    requests: int
    wire_bytes: int
    source_id: int | None  # of the source or crawl; None: unknown
    source_name: str | None  # None: it was removed
    source_kind: SourceKind | None
    workers: int  # that are alive
    pages_per_min: float  # of all its workers
    postponed: int = 0  # new urls that had to wait: limits.new_urls_per_s
    items: int = 0  # that its visits yielded


@record
class RunsInProgress:
    at: Instant
    runs: tuple[ActiveRun, ...]  # newest first
    runs_count: int


def slice_runs(connection: Connection, wanted: SliceRequest, only: RunFilter) -> ListSlice[RunSummary]:
    statement = select_runs().where(*list_run_conditions(connection, only))
    return load_slice(connection, statement, ORDER, wanted, read_run)


def list_run_conditions(connection: Connection, only: RunFilter) -> list[ColumnElement[bool]]:
    conditions = find_conditions(connection, _FACETS, only)
    if only.state is not None:
        conditions.append(runs.c.state == only.state)
    if only.source_id is not None:
        conditions.append(runs.c.source_id == only.source_id)
    return conditions


def list_runs(
    connection: Connection, limit: int, conditions: Sequence[ColumnElement[bool]] = ()
) -> Iterator[RunSummary]:
    """Newest first."""
    statement = select_runs().where(*conditions).order_by(runs.c.id.desc())
    return map(read_run, connection.execute(statement.limit(limit)))


def find_run(connection: Connection, run_id: int, *, signs: PresenceSigns, now: Instant) -> RunReport | None:
    row = connection.execute(select_runs().where(runs.c.id == run_id)).one_or_none()
    if row is None:
        return None
    lease_s = load_last_settings(connection).worker.lease_s
    statement = select_workers().where(workers.c.run_id == run_id).order_by(workers.c.id.desc())
    found = connection.execute(statement.limit(MOST_WORKERS)).all()
    return RunReport(
        summary=read_run(row),
        paused_at=row.paused_at,
        cancelled_at=row.cancelled_at,
        settings=orjson.loads(row.settings),
        workers=tuple(read_worker(connection, each, signs, lease_s, now) for each in found),
        workers_count=connection.scalar(select(func.count()).where(workers.c.run_id == run_id)) or 0,
    )


def find_current_run(connection: Connection, *, signs: PresenceSigns, now: Instant) -> RunReport | None:
    """The newest active run, running or paused."""
    numbers = list_active_run_ids(connection)
    return find_run(connection, numbers[-1], signs=signs, now=now) if numbers else None


def select_runs() -> Select[Any]:
    heartbeat = select(func.max(workers.c.heartbeat_at)).where(workers.c.run_id == runs.c.id)
    named = runs.outerjoin(sources, sources.c.id == runs.c.source_id)
    return select(
        runs,
        heartbeat.scalar_subquery().label("heartbeat_at"),
        sources.c.name.label("source_name"),
        sources.c.kind.label("source_kind"),
    ).select_from(named)


def read_run(row: Row[*tuple[Any, ...]]) -> RunSummary:
    return RunSummary(
        id=row.id,
        state=RunState(row.state),
        started_at=row.started_at,
        ended_at=row.ended_at,
        paused_at=row.paused_at,
        cancelled_at=row.cancelled_at,
        last_sign_at=row.ended_at or row.heartbeat_at or row.started_at,
        pages=row.pages,
        requests=row.requests,
        wire_bytes=row.wire_bytes,
        source_id=row.source_id or None,
        source_name=row.source_name,
        source_kind=None if row.source_kind is None else SourceKind(row.source_kind),
        execution_id=row.execution_id,
        leftover=parse_leftover(row.leftover),
        postponed=row.postponed,
        items=row.items,
        intake_at=row.intake_at,
    )


def load_active_runs(connection: Connection, *, signs: PresenceSigns, now: Instant) -> RunsInProgress:
    lease_s = load_last_settings(connection).worker.lease_s
    found = list_workers(connection, signs=signs, lease_s=lease_s, now=now)
    active = list_active_runs(connection, [worker for worker in found if worker.is_alive])
    return RunsInProgress(at=now, runs=active, runs_count=count_active_runs(connection))


def list_active_runs(connection: Connection, live: Sequence[WorkerSummary]) -> tuple[ActiveRun, ...]:
    """Newest first, at most MOST_RUNS. `live`: all workers that are alive."""
    counts = Counter(worker.run_id for worker in live)
    rates: dict[int, float] = defaultdict(float)
    for worker in live:
        rates[worker.run_id] += worker.pages_per_min
    statement = (
        select(*_ACTIVE_COLUMNS).select_from(_RUNS_WITH_SOURCES).where(*_IS_ACTIVE).order_by(runs.c.id.desc())
    )
    return tuple(
        ActiveRun(
            id=row.id,
            state=RunState(row.state),
            started_at=row.started_at,
            pages=row.pages,
            requests=row.requests,
            wire_bytes=row.wire_bytes,
            source_id=row.source_id or None,
            source_name=row.source_name,
            source_kind=None if row.source_kind is None else SourceKind(row.source_kind),
            workers=counts[row.id],
            pages_per_min=rates[row.id],
            postponed=row.postponed,
            items=row.items,
        )
        for row in connection.execute(statement.limit(MOST_RUNS))
    )


def count_active_runs(connection: Connection) -> int:
    return connection.scalar(select(func.count()).select_from(runs).where(*_IS_ACTIVE)) or 0


def list_active_run_ids(connection: Connection) -> list[int]:
    """Oldest first."""
    return list(connection.scalars(select(runs.c.id).where(*_IS_ACTIVE).order_by(runs.c.id)))


def find_status_run_id(connection: Connection) -> int | None:
    """The run that the status of the store is about: the newest running one, else the newest paused one, else
    the one that ended last. None: no run was ever opened."""
    is_paused = runs.c.state == RunState.PAUSED
    statement = select(runs.c.id).where(*_IS_ACTIVE).order_by(is_paused, runs.c.id.desc()).limit(1)
    number: int | None = connection.scalar(statement)
    if number is not None:
        return number
    # No index covers the end of runs, and an old run rarely ends after so many that started later.
    newest = select(runs.c.id, runs.c.ended_at).where(IS_OPENED).order_by(runs.c.id.desc()).limit(MOST_RUNS)
    ended = newest.subquery()
    last = select(ended.c.id).order_by(ended.c.ended_at.desc().nulls_last(), ended.c.id.desc()).limit(1)
    return connection.scalar(last)
