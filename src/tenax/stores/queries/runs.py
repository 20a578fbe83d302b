"""Runs in parts, and one in full."""

from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.runs import RunState
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.presence import PresenceSigns
from tenax.stores.queries.active_runs import (
    ActiveRun,
    count_active_runs,
    list_active_run_numbers,
    list_active_runs,
)
from tenax.stores.queries.filters import Facet, Facets, Filter, find_conditions
from tenax.stores.queries.status import RunSummary, load_last_settings, read_run, select_runs
from tenax.stores.queries.workers import WorkerSummary, list_workers, read_worker, select_workers
from tenax.stores.schema.crawl import runs, workers

MOST_WORKERS: Final = 100

ORDER: Final = SortOrder(keys={"id": runs.c.id}, number=runs.c.id)
_FACETS: Final[Facets] = {Facet.SOURCE: runs.c.source_id, Facet.DATE: runs.c.started_at}


@record
class RunReport:
    summary: RunSummary
    paused_at: Instant | None
    cancelled_at: Instant | None  # a person ended it
    settings: dict[str, Any]  # as it was ordered with them, perhaps by another version
    workers: tuple[WorkerSummary, ...]  # the newest of them, the newest first
    workers_count: int


@record
class RunFilter(Filter):
    """Of its dates, the one when it was opened."""

    state: RunState | None = None
    source_id: int | None = None


@record
class RunsInProgress:
    at: Instant
    runs: tuple[ActiveRun, ...]  # the newest first
    runs_count: int


def load_active(connection: Connection, *, signs: PresenceSigns, now: Instant) -> RunsInProgress:
    lease_s = load_last_settings(connection).worker.lease_s
    found = list_workers(connection, signs=signs, lease_s=lease_s, now=now)
    going = list_active_runs(connection, [worker for worker in found if worker.is_alive])
    return RunsInProgress(at=now, runs=going, runs_count=count_active_runs(connection))


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


def find_current(connection: Connection, *, signs: PresenceSigns, now: Instant) -> RunReport | None:
    """The newest of those that are under way, or would be if nobody held them."""
    numbers = list_active_run_numbers(connection)
    return find_run(connection, numbers[-1], signs=signs, now=now) if numbers else None
