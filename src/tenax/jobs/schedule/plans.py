"""The next state and run time of a job, from the job, what has happened, and the time. Pure."""

from dataclasses import replace
from math import ceil
from typing import Any

from tenax.clock import Instant
from tenax.errors import ConfigError
from tenax.jobs.schedule.hours import WeeklyHours, find_open, parse_hours
from tenax.jobs.schedule.intervals import adapt_interval, find_next_tick, measure_interval, plan_backoff
from tenax.jobs.schedule.slots import JobTiming, choose_time
from tenax.record import record
from tenax.records.jobs import ExecutionState, Job, JobState

Values = dict[str, Any]  # columns of a job that change


@record
class ExecutionEnd:
    """How an execution ended."""

    state: ExecutionState
    error: str | None = None
    content_hash: str | None = None  # of the start page in this run; None: not fetched


def find_interval(job: Job) -> float | None:
    """The effective interval; None: it runs once."""
    if job.interval_minutes is None:
        return None
    baseline_s = measure_interval(job.interval_minutes, job.interval_type)
    return adapt_interval(baseline_s, job.unchanged_count) if job.adaptive_scheduling else baseline_s


def find_hours(job: Job) -> WeeklyHours | None:
    try:
        return parse_hours(job.active_hours, job.timezone)
    except ConfigError:
        # They were checked when they were set, perhaps on a machine with more time zones.
        return None


def find_timing(job: Job) -> JobTiming | None:
    """None: nothing is planned."""
    is_scheduled = job.state is JobState.SCHEDULED
    at = job.next_run_at if is_scheduled else job.phase_at or job.next_run_at
    if at is None:
        return None
    return JobTiming(
        job_id=job.id,
        next_run_at=at,
        interval_s=find_interval(job),
        phase_at=job.phase_at,
        slot_moved_at=job.slot_moved_at,
        hours=find_hours(job),
        # Not a job that waits for its hours, for other runs, or for the first time that a user gave it.
        is_movable=is_scheduled and job.next_run_at == job.phase_at,
    )


def plan_first(job: Job, timings: list[JobTiming], now: Instant) -> Values:
    """Plan a pending or paused job without a time: in a slot, or at once if it runs once."""
    interval_s = find_interval(job)
    if interval_s is None:
        return {"next_run_at": now}
    at = choose_time(timings, interval_s, find_hours(job), now)
    return {"state": JobState.SCHEDULED, "next_run_at": at, "phase_at": at}


def plan_next(job: Job, after: Instant) -> Values:
    """The first tick after an instant. Only for a job that repeats."""
    interval_s = find_interval(job)
    assert interval_s is not None
    # A time given by a user is rounded up to whole seconds for the rhythm.
    phase_at = job.phase_at or float(ceil(job.next_run_at or after))
    tick = find_next_tick(phase_at, interval_s, after)
    return {
        "state": JobState.SCHEDULED,
        "next_run_at": find_open(find_hours(job), tick),
        "phase_at": tick,
    }


def list_next_runs(job: Job, now: Instant, count: int) -> list[Instant]:
    """The next run times, assuming no failure, no user action and no change of the interval."""
    if job.next_run_at is None or job.state not in _BEGINS:
        return []
    found = [] if job.state is JobState.RUNNING else [job.next_run_at]
    if job.interval_minutes is None or not job.schedule_enabled:
        return found
    after = max(job.next_run_at, now)
    while len(found) < count:
        job = replace(job, **plan_next(job, after))
        assert job.next_run_at is not None
        after = job.next_run_at
        found.append(after)
    return found


_BEGINS = (JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING)


def plan_after(job: Job, ended: ExecutionEnd, now: Instant) -> Values:
    """Plan for a job that was running."""
    if ended.state is ExecutionState.FAILED:
        return _plan_retry(job, ended, now)
    values: Values = {"current_retry_count": 0, "last_error": ended.error, **_adapt(job, ended)}
    if job.interval_minutes is None or not job.schedule_enabled:
        is_cancelled = ended.state is ExecutionState.CANCELLED
        state = JobState.CANCELLED if is_cancelled else JobState.COMPLETED
        return {**values, "state": state, "next_run_at": None, "cancelled_at": now if is_cancelled else None}
    count = values.get("unchanged_count", job.unchanged_count)
    return {**values, **plan_next(replace(job, unchanged_count=count), now)}


def _plan_retry(job: Job, ended: ExecutionEnd, now: Instant) -> Values:
    attempt = job.current_retry_count + 1
    if attempt > job.max_retries:
        return {"state": JobState.FAILED, "next_run_at": None, "last_error": ended.error}
    at = float(ceil(now + plan_backoff(job.retry_backoff_seconds, attempt)))
    return {
        "state": JobState.PENDING,
        "next_run_at": find_open(find_hours(job), at),
        "current_retry_count": attempt,
        "last_error": ended.error,
    }


def _adapt(job: Job, ended: ExecutionEnd) -> Values:
    if ended.content_hash is None:
        return {}
    is_same = ended.content_hash == job.content_hash
    return {
        "content_hash": ended.content_hash,
        "unchanged_count": job.unchanged_count + 1 if is_same else 0,
    }
