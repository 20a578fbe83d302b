"""Keeps the job of a source in sync: it runs while the source is enabled, on the schedule of the source."""

from enum import StrEnum
from typing import Final

from tenax.clock import Instant
from tenax.jobs.commands import NewJob, apply_action, change_job, create_job, get_job, hold_slots
from tenax.jobs.schedule.states import JobAction
from tenax.jobs.sources.definition import SourceDefinition, load_definition, read_definition
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.records.jobs import Job, JobState, Source
from tenax.stores.connection import Connection
from tenax.stores.jobs.jobs import update_job
from tenax.stores.jobs.source_jobs import MADE_BY_SOURCE, lock_own_job

_SCHEDULE_FIELDS: Final = (
    "interval_minutes",
    "interval_type",
    "schedule_enabled",
    "adaptive_scheduling",
    "timezone",
    "active_hours",
    "priority",
    "max_retries",
    "retry_backoff_seconds",
)


class JobStep(StrEnum):
    """What happened to the job."""

    CREATED = "created"
    RESUMED = "resumed"
    PAUSED = "paused"
    CHANGED = "changed"  # another schedule
    UNCHANGED = "unchanged"
    UNREADABLE = "unreadable"  # it stays as it is: the source cannot be read


def sync_job(connection: Connection, source: Source, now: Instant) -> JobStep:
    """Make the job match its source, which this transaction has locked. Repeating is safe. Raises
    UnreadableSource, but a disabled source is paused even if it cannot be read."""
    definition = load_definition(source) if source.enabled else read_definition(source)
    hold_slots(connection)
    job = lock_own_job(connection, source.id)
    if isinstance(definition, UnreadableSource):
        return JobStep.UNCHANGED if job is None else _deactivate(connection, job, None, now)
    wanted = define_job(source, definition)
    if not source.enabled:
        return JobStep.UNCHANGED if job is None else _deactivate(connection, job, wanted, now)
    if job is None:
        create_job(connection, wanted, now)
        return JobStep.CREATED
    return _activate(connection, job, wanted, now)


def _activate(connection: Connection, job: Job, wanted: NewJob, now: Instant) -> JobStep:
    """Let the job run. A one-time job that has run, or a job that failed while enabled, stays as it is until
    a user acts. A job that ended because its source was disabled continues."""
    was_switched_off = wanted.schedule_enabled and not job.schedule_enabled
    changed = _change(connection, job, wanted, now)
    if job.state is JobState.PAUSED:
        apply_action(connection, JobAction.RESUME, job.id, now)
        return JobStep.RESUMED
    if was_switched_off and job.state is JobState.FAILED:
        apply_action(connection, JobAction.RETRY, job.id, now)
    if was_switched_off:
        return JobStep.RESUMED
    return JobStep.CHANGED if changed else JobStep.UNCHANGED


def _deactivate(connection: Connection, job: Job, wanted: NewJob | None, now: Instant) -> JobStep:
    """Pause the job. `wanted` is None if the definition cannot be read."""
    if job.state is JobState.RUNNING and job.schedule_enabled:
        # The active execution ends; nothing follows it.
        update_job(connection, job, {"schedule_enabled": False}, now)
        return JobStep.PAUSED
    if job.state not in (JobState.PENDING, JobState.SCHEDULED, JobState.PAUSED):
        return JobStep.UNCHANGED
    changed = wanted is not None and _change(connection, job, wanted, now)
    if job.state is JobState.PAUSED:
        return JobStep.CHANGED if changed else JobStep.UNCHANGED
    _pause(connection, get_job(connection, job.id), now)
    return JobStep.PAUSED


def _pause(connection: Connection, job: Job, now: Instant) -> None:
    if job.state is JobState.PENDING:
        # Only a scheduled job can be paused.
        update_job(connection, job, {"state": JobState.SCHEDULED}, now)
    apply_action(connection, JobAction.PAUSE, job.id, now)


def _change(connection: Connection, job: Job, wanted: NewJob, now: Instant) -> bool:
    """Returns whether there was something to change."""
    if all(getattr(job, name) == getattr(wanted, name) for name in _SCHEDULE_FIELDS):
        return False
    change_job(connection, job.id, wanted, None, now)
    return True


def define_job(source: Source, definition: SourceDefinition) -> NewJob:
    schedule = definition.schedule
    if schedule is None:
        return NewJob(source_id=source.id, metadata=MADE_BY_SOURCE)
    hours = schedule.active_hours
    return NewJob(
        source_id=source.id,
        schedule_enabled=True,
        interval_minutes=schedule.interval_minutes,
        interval_type=schedule.interval_type,
        adaptive_scheduling=schedule.adaptive_scheduling,
        timezone=schedule.timezone,
        active_hours=None if hours is None else hours.model_dump_json(by_alias=True),
        priority=schedule.priority,
        max_retries=schedule.max_retries,
        retry_backoff_seconds=schedule.retry_backoff_seconds,
        metadata=MADE_BY_SOURCE,
    )
