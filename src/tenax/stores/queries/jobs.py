"""Jobs and their executions in numbers: the same from every server. Reads only.

Lists of jobs are in stores/jobs/jobs.py.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, Connection, func, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import ExecutionState, JobState
from tenax.stores.jobs.jobs import WAITS, count_states
from tenax.stores.schema.jobs import executions, jobs


@record
class ExecutionStats:
    """Statistics of the executions that are still stored."""

    total: int
    running: int
    completed: int
    failed: int
    cancelled: int
    success_rate: float | None  # of those that completed or failed; None: none did
    average_duration_ms: int | None
    items_crawled: int
    items_changed: int
    items_failed: int
    last_completed_at: Instant | None
    last_failed_at: Instant | None


@record
class SchedulerMetrics:
    at: Instant
    jobs: Mapping[JobState, int]
    executions: ExecutionStats
    due: int  # jobs that are due and that no scheduler has claimed
    lag_s: float  # how long the first of them has been due
    stale_locks_cleared: int


def load_execution_stats(connection: Connection, job_id: int | None = None) -> ExecutionStats:
    """`job_id` None: of all jobs."""
    of = executions.c
    is_done, is_failed = of.state == ExecutionState.COMPLETED, of.state == ExecutionState.FAILED
    statement = select(
        *(func.count().filter(of.state == state).label(state.value) for state in ExecutionState),
        func.avg(of.ended_at - of.started_at).filter(is_done | is_failed).label("duration_s"),
        *(_sum(column) for column in (of.items_crawled, of.items_changed, of.items_failed)),
        func.max(of.ended_at).filter(is_done).label("last_completed_at"),
        func.max(of.ended_at).filter(is_failed).label("last_failed_at"),
    )
    if job_id is not None:
        statement = statement.where(of.job_id == job_id)
    row = connection.execute(statement).one()
    judged = row.completed + row.failed
    return ExecutionStats(
        total=judged + row.running + row.cancelled,
        running=row.running,
        completed=row.completed,
        failed=row.failed,
        cancelled=row.cancelled,
        success_rate=row.completed / judged if judged else None,
        average_duration_ms=None if row.duration_s is None else round(1000 * row.duration_s),
        items_crawled=int(row.items_crawled),
        items_changed=int(row.items_changed),
        items_failed=int(row.items_failed),
        last_completed_at=row.last_completed_at,
        last_failed_at=row.last_failed_at,
    )


def _sum(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.coalesce(func.sum(column), 0).label(column.key)


def load_scheduler_metrics(connection: Connection, now: Instant) -> SchedulerMetrics:
    is_due = (jobs.c.lock_token.is_(None), jobs.c.state.in_(WAITS), jobs.c.next_run_at <= now)
    due, first = connection.execute(select(func.count(), func.min(jobs.c.next_run_at)).where(*is_due)).one()
    return SchedulerMetrics(
        at=now,
        jobs=count_states(connection),
        executions=load_execution_stats(connection),
        due=due,
        lag_s=now - first if due else 0.0,
        stale_locks_cleared=connection.scalar(select(func.sum(jobs.c.stale_locks))) or 0,
    )
