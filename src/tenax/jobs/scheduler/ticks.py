"""What schedulers do to jobs, each step in one transaction of the caller. Any number of schedulers may try
the same step concurrently: what one has done, the others find done.
"""

from typing import Any

from tenax.clock import Instant
from tenax.errors import JobChanged
from tenax.jobs.commands import hold_slots, plan_pending
from tenax.jobs.schedule.plans import ExecutionEnd, Values, find_interval, plan_after, plan_next
from tenax.jobs.schedule.states import MOVES
from tenax.records.jobs import Execution, ExecutionState, Job, JobState, TaskState, Trigger
from tenax.records.runs import RunState
from tenax.stores.connection import Connection
from tenax.stores.jobs.executions import (
    add_execution,
    end_execution,
    find_execution,
    find_last_execution,
    find_open_execution,
    has_tick,
    restart_execution,
    set_run,
    stop_orphans,
    stop_runs,
)
from tenax.stores.jobs.jobs import (
    FREE,
    claim_due_jobs,
    clear_stale_locks,
    find_job,
    has_unplanned_jobs,
    list_misplanned_jobs,
    list_unplanned_jobs,
    update_job,
)
from tenax.stores.jobs.tasks import advance_task
from tenax.stores.queries.run_results import RunResult
from tenax.telemetry import log


def take_ticks(connection: Connection, token: str, now: Instant, limit: int) -> list[Execution]:
    """Lock due jobs and add an execution for each, both or neither."""
    taken = claim_due_jobs(connection, token, now, limit)
    begun = (_begin(connection, job, state, now) for job, state in taken)
    return [execution for execution in begun if execution is not None]


def _begin(connection: Connection, job: Job, state: JobState, now: Instant) -> Execution | None:
    """None: this tick was executed before, while a clock was wrong."""
    waiting = find_open_execution(connection, job.id)
    if waiting is not None:
        return restart_execution(connection, waiting.id, now)
    tick = job.next_run_at
    assert tick is not None
    if has_tick(connection, job.id, tick):
        _free(connection, job, _plan_other_tick(job, state, tick, now), now)
        return None
    last = find_last_execution(connection, job.id)
    is_retry = state is JobState.PENDING and last is not None and last.state is ExecutionState.FAILED
    return add_execution(
        connection,
        job.id,
        scheduled_at=tick,
        trigger=Trigger.RETRY if is_retry else Trigger.SCHEDULE,
        retry_number=job.current_retry_count,
        now=now,
    )


def _plan_other_tick(job: Job, state: JobState, tick: Instant, now: Instant) -> Values:
    if state is JobState.SCHEDULED and job.interval_minutes is not None:
        return plan_next(job, max(tick, now))
    return {"state": state, "next_run_at": tick + 1.0}


def note_launch(connection: Connection, execution_id: int, run_id: int, now: Instant) -> bool:
    """False: the execution was ended meanwhile, and its run has now been stopped, too."""
    if set_run(connection, execution_id, run_id):
        return True
    stop_runs(connection, execution_id, now)
    return False


def postpone(connection: Connection, execution: Execution, reason: str, now: Instant) -> None:
    """The execution could not start yet. Its job is due again at once, and the same execution starts then:
    the tick is neither lost nor repeated."""
    job = find_job(connection, execution.job_id, is_locked=True)
    found = find_execution(connection, execution.id)
    is_mine = found is not None and found.ended_at is None and found.run_id is None
    if job is None or job.state is not JobState.RUNNING or not is_mine:
        return
    due_at = min(job.next_run_at if job.next_run_at is not None else now, now)
    _free(connection, job, {"state": JobState.SCHEDULED, "next_run_at": due_at, "last_error": reason}, now)


def note_parsing(execution: Execution, connection: Connection, now: Instant) -> None:
    """Show in the task, if there is one, that the results of the run are being counted."""
    if execution.run_id is not None:
        advance_task(connection, execution.run_id, TaskState.PARSING, now)


def conclude(
    connection: Connection,
    execution_id: int,
    ended: ExecutionEnd,
    now: Instant,
    result: RunResult | None = None,
    **values: Any,
) -> Execution | None:
    """End an execution and plan the next run of its job. None: it was already concluded."""
    execution = find_execution(connection, execution_id)
    job = None if execution is None else find_job(connection, execution.job_id, is_locked=True)
    counts = {} if result is None else _list_counts(result)
    done = end_execution(connection, execution_id, ended.state, now, error=ended.error, **counts, **values)
    if done is None:
        return None
    stop_runs(connection, execution_id, now)
    if done.run_id is not None:
        state = TaskState.COMPLETED if ended.state is ExecutionState.COMPLETED else TaskState.FAILED
        advance_task(connection, done.run_id, state, now, ended.error)
    if job is not None and job.state is JobState.RUNNING:
        _free(connection, job, plan_after(job, ended, now), now)
    return done


def evaluate_result(result: RunResult | None, content_hash: str | None) -> ExecutionEnd:
    """How an execution ended, judged by the result of its run."""
    if result is None:
        return ExecutionEnd(state=ExecutionState.FAILED, error="The run is no longer in the store.")
    if result.is_cancelled or result.state is RunState.STOPPED:
        return ExecutionEnd(state=ExecutionState.CANCELLED, error="The run was stopped before it finished.")
    if result.state is RunState.FAILED:
        error = result.failure or "The run failed; see its log for the reason."
        return ExecutionEnd(state=ExecutionState.FAILED, error=error)
    if result.failure is not None:
        return ExecutionEnd(state=ExecutionState.FAILED, error=result.failure)
    return ExecutionEnd(state=ExecutionState.COMPLETED, content_hash=content_hash)


def clean_up(connection: Connection, now: Instant, stale_s: float) -> None:
    """Clear stale locks and stop orphaned runs: about once a minute, by any scheduler."""
    cleared = clear_stale_locks(connection, now, stale_s)
    stopped = stop_orphans(connection, now)
    if cleared or stopped:
        log.warning("scheduler_tidied", stale_locks=cleared, runs=stopped)
    for job in list_misplanned_jobs(connection, now):
        interval_s = find_interval(job)
        if interval_s is not None and (job.phase_at or 0.0) > now + interval_s:
            update_job(connection, job, plan_next(job, now), now)


def plan_unplanned(connection: Connection, now: Instant) -> None:
    """Plan the jobs that need a next run time and have none."""
    if not has_unplanned_jobs(connection):
        return
    hold_slots(connection)
    for job in list_unplanned_jobs(connection):
        plan_pending(connection, job, now)


def _free(connection: Connection, job: Job, values: Values, now: Instant) -> None:
    assert values["state"] in MOVES[job.state]
    if update_job(connection, job, {**values, **FREE}, now) is None:
        raise JobChanged


def _list_counts(result: RunResult) -> Values:
    return {
        "items_crawled": result.pages,
        "items_changed": result.changed,
        "items_failed": result.failed,
        "cpu_ms": result.cpu_ms,
        "peak_rss_bytes": result.peak_rss_bytes,
    }
