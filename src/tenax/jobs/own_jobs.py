"""What becomes of a source's job when the source is enabled, disabled or changed. Pure."""

from enum import StrEnum
from typing import Any

from tenax.clock import Instant
from tenax.job_records import IntervalType, JobState
from tenax.jobs.definition import SourceDefinition
from tenax.stores.source_jobs import JobTerms, OwnJob
from tenax.values import record


class Step(StrEnum):
    CREATED = "created"
    RESUMED = "resumed"
    PAUSED = "paused"
    CHANGED = "changed"  # other terms, the same state
    UNCHANGED = "unchanged"


@record(frozen=True, slots=True, kw_only=True)
class JobPlan:
    step: Step
    changes: dict[str, Any]  # columns of the job


def plan_own_job(enabled: bool, terms: JobTerms, job: OwnJob | None, now: Instant) -> JobPlan:
    """`job`: None if there is none, or none any more."""
    if job is None:
        return JobPlan(step=Step.CREATED if enabled else Step.UNCHANGED, changes={})
    plan = _plan_enabled(terms, job, now) if enabled else _plan_disabled(job, now)
    if plan is None and job.terms != terms:
        return JobPlan(step=Step.CHANGED, changes=_follow_interval(terms, job) if enabled else {})
    return plan or JobPlan(step=Step.UNCHANGED, changes={})


def _plan_enabled(terms: JobTerms, job: OwnJob, now: Instant) -> JobPlan | None:
    again = {
        "schedule_enabled": int(terms.is_recurring),
        "next_run_at": now if job.next_run_at is None else max(job.next_run_at, now),
        "paused_at": None,
    }
    match job.state:
        case JobState.PAUSED:
            return JobPlan(step=Step.RESUMED, changes={**again, "state": JobState.SCHEDULED})
        case JobState.PENDING if job.next_run_at is None:
            return JobPlan(step=Step.RESUMED, changes=again)
        # It was under way when the source was disabled, or was to run once only.
        case JobState.COMPLETED if terms.is_recurring:
            return JobPlan(step=Step.RESUMED, changes={**again, "state": JobState.SCHEDULED})
        case JobState.RUNNING if terms.is_recurring and not job.schedule_enabled:
            return JobPlan(step=Step.RESUMED, changes={"schedule_enabled": 1})
    return None


def _plan_disabled(job: OwnJob, now: Instant) -> JobPlan | None:
    match job.state:
        case JobState.SCHEDULED:
            changes = {"state": JobState.PAUSED, "paused_at": now, "next_run_at": None}
            return JobPlan(step=Step.PAUSED, changes=changes)
        # It cannot be paused before it has a time; without one, nobody starts it.
        case JobState.PENDING if job.next_run_at is not None:
            return JobPlan(step=Step.PAUSED, changes={"next_run_at": None})
        # What is under way ends; nothing comes after it.
        case JobState.RUNNING if job.schedule_enabled:
            return JobPlan(step=Step.PAUSED, changes={"schedule_enabled": 0})
    return None


def _follow_interval(terms: JobTerms, job: OwnJob) -> dict[str, Any]:
    """A job that has become recurring, or is to end with its next run."""
    is_at_work = job.state in (JobState.SCHEDULED, JobState.RUNNING)
    return {"schedule_enabled": int(terms.is_recurring)} if is_at_work else {}


def find_terms(definition: SourceDefinition) -> JobTerms:
    schedule = definition.schedule
    if schedule is None:
        return ONCE
    hours = schedule.active_hours
    return JobTerms(
        interval_minutes=schedule.interval_minutes,
        interval_type=schedule.interval_type,
        adaptive_scheduling=schedule.adaptive_scheduling,
        timezone=schedule.timezone,
        active_hours=None if hours is None else hours.model_dump_json(by_alias=True),
        priority=schedule.priority,
        max_retries=schedule.max_retries,
        retry_backoff_seconds=schedule.retry_backoff_seconds,
    )


ONCE = JobTerms(
    interval_minutes=None,
    interval_type=IntervalType.MINUTES,
    adaptive_scheduling=True,
    timezone="UTC",
    active_hours=None,
    priority=5,
    max_retries=3,
    retry_backoff_seconds=60,
)
