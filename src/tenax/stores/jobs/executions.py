"""Executions of jobs, as functions of a connection. Callers that add or end one have locked the row of its
job.
"""

from collections.abc import Collection
from typing import Any, Final

from sqlalchemy import Connection, delete, func, insert, select, update

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import Execution, ExecutionState, JobState, Trigger
from tenax.records.runs import RunState
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.hot.run_states import GOES_ON
from tenax.stores.jobs.ended_runs import end_runs
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.schema.jobs import executions, jobs
from tenax.stores.schema.runs import runs

ROWS_AT_ONCE: Final = 1000

_ORDER: Final = SortOrder(keys={"number": executions.c.number}, number=executions.c.id)
_IS_OPEN: Final = executions.c.ended_at.is_(None)


@record
class WatchedExecution:
    """An open execution and the state of its run."""

    execution: Execution
    run_state: RunState | None  # None: it has no run yet, or no longer


def find_execution(connection: Connection, execution_id: int) -> Execution | None:
    return _find(connection, executions.c.id == execution_id)


def find_open_execution(connection: Connection, job_id: int) -> Execution | None:
    """The execution that is running or waiting to start. A job has at most one."""
    return _find(connection, executions.c.job_id == job_id, _IS_OPEN)


def find_last_execution(connection: Connection, job_id: int, *, has_run: bool = False) -> Execution | None:
    statement = select(executions).where(executions.c.job_id == job_id)
    if has_run:
        statement = statement.where(executions.c.run_id.isnot(None))
    row = connection.execute(statement.order_by(executions.c.number.desc()).limit(1)).one_or_none()
    return None if row is None else read_execution(row)


def list_last_executions(connection: Connection, job_ids: Collection[int]) -> dict[int, Execution]:
    """By job id, for jobs that have had one."""
    newest = (
        select(executions.c.job_id, func.max(executions.c.number).label("number"))
        .where(executions.c.job_id.in_(job_ids))
        .group_by(executions.c.job_id)
        .subquery()
    )
    is_newest = (newest.c.job_id == executions.c.job_id) & (newest.c.number == executions.c.number)
    rows = connection.execute(select(executions).join(newest, is_newest))
    return {row.job_id: read_execution(row) for row in rows}


def has_tick(connection: Connection, job_id: int, scheduled_at: Instant) -> bool:
    is_it = (executions.c.job_id == job_id, executions.c.scheduled_at == scheduled_at)
    return connection.scalar(select(executions.c.id).where(*is_it)) is not None


def slice_executions(connection: Connection, wanted: SliceRequest, job_id: int) -> ListSlice[Execution]:
    statement = select(executions).where(executions.c.job_id == job_id)
    return load_slice(connection, statement, _ORDER, wanted, read_execution)


def list_watched(connection: Connection, token: str) -> list[WatchedExecution]:
    """Open executions of the jobs that this scheduler has locked."""
    mine = (jobs.c.lock_token == token, jobs.c.state == JobState.RUNNING)
    joined = executions.join(jobs, jobs.c.id == executions.c.job_id).outerjoin(
        runs, runs.c.id == executions.c.run_id
    )
    statement = select(executions, runs.c.state.label("run_state")).select_from(joined).where(*mine, _IS_OPEN)
    return [
        WatchedExecution(
            execution=read_execution(row), run_state=RunState(row.run_state) if row.run_state else None
        )
        for row in connection.execute(statement.order_by(executions.c.id))
    ]


def add_execution(
    connection: Connection,
    job_id: int,
    *,
    scheduled_at: Instant,
    trigger: Trigger,
    retry_number: int,
    now: Instant,
) -> Execution:
    """Raises StoreError if the tick already has an execution: the unique key of the table decides."""
    last = select(func.coalesce(func.max(executions.c.number), 0)).where(executions.c.job_id == job_id)
    values = {
        "job_id": job_id,
        "number": (connection.scalar(last) or 0) + 1,
        "scheduled_at": scheduled_at,
        "trigger": trigger,
        "state": ExecutionState.RUNNING,
        "retry_number": retry_number,
        "started_at": now,
    }
    return read_execution(connection.execute(insert(executions).values(values).returning(executions)).one())


def restart_execution(connection: Connection, execution_id: int, now: Instant) -> Execution:
    """Set the start time of an execution that had to wait and has no run yet."""
    statement = update(executions).where(executions.c.id == execution_id).values(started_at=now)
    return read_execution(connection.execute(statement.returning(executions)).one())


def set_run(connection: Connection, execution_id: int, run_id: int) -> bool:
    """Set the run of an execution. False: it has ended meanwhile. Repeating is safe."""
    is_open = (executions.c.id == execution_id, _IS_OPEN)
    statement = update(executions).where(*is_open).values(run_id=run_id).returning(executions.c.id)
    return connection.execute(statement).one_or_none() is not None


def end_execution(
    connection: Connection, execution_id: int, state: ExecutionState, now: Instant, **values: Any
) -> Execution | None:
    """None: it had already ended."""
    is_open = (executions.c.id == execution_id, _IS_OPEN)
    statement = update(executions).where(*is_open).values(state=state, ended_at=now, **values)
    row = connection.execute(statement.returning(executions)).one_or_none()
    if row is None:
        return None
    if row.items_changed > 0:
        source_id = connection.scalar(select(jobs.c.source_id).where(jobs.c.id == row.job_id)) or 0
        add_to_log(connection, LogTopic.EXECUTION, source_id, row.id, now)
    return read_execution(row)


def stop_runs(connection: Connection, execution_id: int, now: Instant) -> None:
    """Stop the runs of an execution, including one whose opener died before it could store the run's id."""
    is_its = (runs.c.execution_id == execution_id, runs.c.state.in_(GOES_ON))
    chosen = update(runs).where(*is_its).values(paused_at=None, cancelled_at=now)
    end_runs(connection, chosen, RunState.STOPPED, now)


def stop_orphans(connection: Connection, now: Instant) -> int:
    """Stop active runs whose execution has ended: it was cancelled while its run was being opened, and the
    opener died."""
    is_open = select(executions.c.id).where(executions.c.id == runs.c.execution_id, _IS_OPEN).exists()
    chosen = update(runs).where(runs.c.execution_id.isnot(None), runs.c.state.in_(GOES_ON), ~is_open)
    chosen = chosen.values(paused_at=None, cancelled_at=now)
    return len(end_runs(connection, chosen, RunState.STOPPED, now))


def delete_executions(connection: Connection, job_id: int) -> None:
    connection.execute(delete(executions).where(executions.c.job_id == job_id))


def prune_executions(connection: Connection, now: Instant, *, keep: int, keep_s: float) -> bool:
    """Keep the last executions of each job, at most `keep` and none older than `keep_s`. The newest one
    always stays, as it determines the number of the next. True: there is more to do."""
    newest = (
        select(executions.c.job_id, func.max(executions.c.number).label("number"))
        .group_by(executions.c.job_id)
        .subquery()
    )
    old = (executions.c.started_at < now - keep_s) & (executions.c.number < newest.c.number)
    surplus = executions.c.number <= newest.c.number - keep
    statement = (
        select(executions.c.id)
        .join(newest, newest.c.job_id == executions.c.job_id)
        .where(executions.c.ended_at.isnot(None), old | surplus)
        .limit(ROWS_AT_ONCE)
    )
    found = connection.scalars(statement).all()
    connection.execute(delete(executions).where(executions.c.id.in_(found)))
    return len(found) == ROWS_AT_ONCE


def _find(connection: Connection, *conditions: Any) -> Execution | None:
    row = connection.execute(select(executions).where(*conditions)).one_or_none()
    return None if row is None else read_execution(row)


def read_execution(row: Any) -> Execution:
    values = {column.name: row._mapping[column.name] for column in executions.c}
    values["trigger"] = Trigger(values["trigger"])
    values["state"] = ExecutionState(values["state"])
    return Execution(**values)
