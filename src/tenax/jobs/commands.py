"""Commands on jobs. Each runs in one transaction of the caller."""

from dataclasses import field
from typing import Any, Final

from tenax.clock import Instant
from tenax.errors import ActionRefused, ConfigError, JobChanged, NoSuchJob
from tenax.jobs.schedule.hours import parse_hours
from tenax.jobs.schedule.intervals import measure_interval
from tenax.jobs.schedule.plans import Values, find_timing, plan_first
from tenax.jobs.schedule.slots import JobTiming, SlotMove, plan_rebalance
from tenax.jobs.schedule.states import LEADS_TO, MOVES, JobAction, explain_refusal
from tenax.record import record
from tenax.records.jobs import ExecutionState, IntervalType, Job, JobState, Trigger
from tenax.stores.connection import Connection
from tenax.stores.cursors import hold_cursor
from tenax.stores.jobs.executions import (
    add_execution,
    delete_executions,
    end_execution,
    find_open_execution,
    stop_runs,
)
from tenax.stores.jobs.jobs import FREE, WAITS, find_job, has_source, insert_job, list_timed_jobs, update_job
from tenax.stores.jobs.jobs import delete_job as delete_row

LONGEST_INTERVAL_S: Final = 366 * 86_400.0
SLOTS_CURSOR: Final = "slots"


@record
class NewJob:
    """What a user specifies for a job; all of it can be changed."""

    source_id: int
    url: str | None = None
    interval_minutes: int | None = None  # in units of interval_type; None: run once
    interval_type: IntervalType = IntervalType.MINUTES
    schedule_enabled: bool = False
    adaptive_scheduling: bool = True
    timezone: str = "UTC"
    active_hours: str | None = None  # JSON
    next_run_at: Instant | None = None  # None: the scheduler chooses
    priority: int = 5
    max_retries: int = 3
    retry_backoff_seconds: int = 60
    metadata: dict[str, Any] = field(default_factory=dict)


def create_job(connection: Connection, new: NewJob, now: Instant) -> Job:
    """Create a job. Without a given time, a repeating job is scheduled at once and a one-time job is due at
    once. Raises ConfigError for invalid values."""
    _check(connection, new)
    hold_slots(connection)
    job = insert_job(connection, {**_list_values(new), "state": JobState.PENDING}, now)
    return plan_pending(connection, job, now)


def change_job(connection: Connection, job_id: int, new: NewJob, version: int | None, now: Instant) -> Job:
    """Change a job. `version`: the one the caller has seen; None: any. An active execution is not
    affected."""
    _check(connection, new)
    hold_slots(connection)
    job = get_job(connection, job_id)
    if version is not None and version != job.version:
        raise JobChanged
    values = {**_list_values(new), "version": job.version + 1}
    is_timed = new.next_run_at is not None and job.state in WAITS
    keeps_interval = (new.interval_minutes, new.interval_type) == (job.interval_minutes, job.interval_type)
    if not is_timed:
        values["next_run_at"] = job.next_run_at
    if is_timed or not keeps_interval:
        values |= {"phase_at": None, "unchanged_count": 0}
    if job.state is not JobState.SCHEDULED:
        return plan_pending(connection, _move(connection, job, now, values), now)
    if new.interval_minutes is not None and not new.schedule_enabled:
        _end_open(connection, job, "The schedule of the job was turned off.", now)
        return _move(connection, job, now, {**values, **_list_pause(job, now), "state": JobState.PAUSED})
    changed = _move(connection, job, now, values)
    if keeps_interval or is_timed or new.interval_minutes is None:
        return changed
    return _move(connection, changed, now, plan_first(changed, list_timings(connection, job_id), now))


def plan_pending(connection: Connection, job: Job, now: Instant) -> Job:
    """Give a job its next run time if it needs one and has none. The caller holds the slots."""
    may_begin = job.schedule_enabled or job.interval_minutes is None
    is_idle = job.state is JobState.PENDING or (
        job.state is JobState.COMPLETED and job.interval_minutes is not None
    )
    if not is_idle or not may_begin:
        return job
    if job.next_run_at is not None:
        is_later = job.next_run_at > now and job.current_retry_count == 0
        return _move(connection, job, now, {"state": JobState.SCHEDULED}) if is_later else job
    return _move(connection, job, now, plan_first(job, list_timings(connection, job.id), now))


def apply_action(connection: Connection, action: JobAction, job_id: int, now: Instant) -> Job:
    """Apply a user's action. Raises NoSuchJob, and OrderRefused with the reason."""
    if action is JobAction.RESUME:
        hold_slots(connection)
    job = get_job(connection, job_id)
    refusal = explain_refusal(action, job_id, job.state)
    if refusal is not None:
        raise ActionRefused(refusal)
    handler = {
        JobAction.PAUSE: _pause,
        JobAction.RESUME: _resume,
        JobAction.CANCEL: _cancel,
        JobAction.RETRY: _retry,
        JobAction.FORCE_RUN: _force_run,
    }[action]
    values = handler(connection, job, now)
    return _move(connection, job, now, {"state": LEADS_TO[action], **values})


def delete_job(connection: Connection, job_id: int) -> None:
    """Delete a job and its executions; their runs stay. Raises NoSuchJob, and OrderRefused while it is
    running."""
    job = get_job(connection, job_id)
    if job.state is JobState.RUNNING:
        raise ActionRefused(f"Job {job_id} is running: cancel it before deleting it.")
    delete_executions(connection, job_id)
    delete_row(connection, job_id)


def get_job(connection: Connection, job_id: int) -> Job:
    """Load and lock a job: nothing else changes it until the transaction ends."""
    job = find_job(connection, job_id, is_locked=True)
    if job is None:
        raise NoSuchJob(f"There is no job {job_id}.")
    return job


def hold_slots(connection: Connection) -> None:
    """Lock the slots until the transaction ends: two concurrent callers would choose the same one. Call
    before locking any job."""
    hold_cursor(connection, SLOTS_CURSOR)


def list_timings(connection: Connection, besides: int | None = None) -> list[JobTiming]:
    found = (find_timing(job) for job in list_timed_jobs(connection) if job.id != besides)
    return [timing for timing in found if timing is not None]


def rebalance(connection: Connection, now: Instant) -> list[SlotMove]:
    """Move jobs to less busy slots; returns the moves."""
    hold_slots(connection)
    moves = plan_rebalance(list_timings(connection), now)
    return [move for move in moves if _apply_move(connection, move, now)]


def _apply_move(connection: Connection, move: SlotMove, now: Instant) -> bool:
    """Skip a job that was started, paused or moved since the plan was made."""
    job = find_job(connection, move.job_id, is_locked=True)
    if job is None or job.state is not JobState.SCHEDULED or job.next_run_at != move.from_at:
        return False
    values = {"next_run_at": move.to_at, "phase_at": move.to_at, "slot_moved_at": now}
    return update_job(connection, job, values, now) is not None


# --- actions ---------------------------------------------------------------------------------------


def _pause(connection: Connection, job: Job, now: Instant) -> Values:
    _end_open(connection, job, "The job was paused before it could start.", now)
    return _list_pause(job, now)


def _list_pause(job: Job, now: Instant) -> Values:
    """A one-time job keeps the time that it was given."""
    return {"paused_at": now, "next_run_at": job.next_run_at if job.interval_minutes is None else None}


def _resume(connection: Connection, job: Job, now: Instant) -> Values:
    """Into the slot that is least busy now, wherever it was before."""
    values = {"paused_at": None, "last_error": None}
    if job.interval_minutes is None:
        return {**values, "next_run_at": max(job.next_run_at or now, now)}
    return {**values, "schedule_enabled": True, **plan_first(job, list_timings(connection, job.id), now)}


def _cancel(connection: Connection, job: Job, now: Instant) -> Values:
    _end_open(connection, job, "The job was cancelled.", now)
    return {"cancelled_at": now, "paused_at": None, "next_run_at": None, **FREE}


def _retry(connection: Connection, job: Job, now: Instant) -> Values:
    return {"next_run_at": now, "current_retry_count": 0}


def _force_run(connection: Connection, job: Job, now: Instant) -> Values:
    """Add the execution here, so that it exists once this is committed; a scheduler adopts it. An execution
    that is already waiting to start is reused."""
    if find_open_execution(connection, job.id) is None:
        add_execution(connection, job.id, scheduled_at=now, trigger=Trigger.FORCE, retry_number=0, now=now)
    return {"current_retry_count": 0}


def _end_open(connection: Connection, job: Job, reason: str, now: Instant) -> None:
    """End the execution that is active or waiting to start, along with its run."""
    execution = find_open_execution(connection, job.id)
    if execution is not None:
        end_execution(connection, execution.id, ExecutionState.CANCELLED, now, error=reason)
        stop_runs(connection, execution.id, now)


# --- shared ----------------------------------------------------------------------------------------


def _move(connection: Connection, job: Job, now: Instant, values: Values) -> Job:
    next_state = values.get("state", job.state)
    if next_state is not job.state and next_state not in MOVES[job.state]:
        raise ActionRefused(f"Job {job.id} is {job.state} and cannot become {next_state}.")
    moved = update_job(connection, job, values, now)
    if moved is None:
        raise JobChanged
    return moved


def _check(connection: Connection, new: NewJob) -> None:
    parse_hours(new.active_hours, new.timezone)
    number = new.interval_minutes
    if number is not None and not 0 < measure_interval(number, new.interval_type) <= LONGEST_INTERVAL_S:
        raise ConfigError("The interval must be between one minute and 366 days.")
    if not has_source(connection, new.source_id):
        raise ConfigError(f"There is no source {new.source_id}: add it first, or choose another one.")


def _list_values(new: NewJob) -> Values:
    return {name: getattr(new, name) for name in NewJob.__dataclass_fields__}
