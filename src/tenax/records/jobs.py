"""Sources, jobs, executions and tasks."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from tenax.clock import Instant
from tenax.record import record

NO_SOURCE = 0  # the source of domains whose source or crawl was removed


class SourceKind(StrEnum):
    """What a row of `sources` represents."""

    SOURCE = "source"  # defined by a user and run by jobs
    CRAWL = "crawl"  # started and resumed by a user, by its name


class JobState(StrEnum):
    PENDING = "pending"  # it has no time yet, or waits for a retry
    SCHEDULED = "scheduled"  # it has a time
    RUNNING = "running"  # an execution of it is active
    COMPLETED = "completed"  # a one-off job that has run
    FAILED = "failed"  # all retries are used up
    PAUSED = "paused"  # by a user
    CANCELLED = "cancelled"  # by a user, permanently


class IntervalType(StrEnum):
    MINUTES = "minutes"
    HOURS = "hours"
    DAYS = "days"


UNITS: Final = {IntervalType.MINUTES: 60, IntervalType.HOURS: 3600, IntervalType.DAYS: 86_400}  # seconds


class Trigger(StrEnum):
    """Why an execution began."""

    SCHEDULE = "schedule"  # it was due
    RETRY = "retry"  # the previous one failed
    FORCE = "force"  # a user started it early


class Recrawl(StrEnum):
    """Which stored pages a run visits again."""

    NEW = "new"  # none
    DUE = "due"  # those that are due
    ALL = "all"  # all of them


class ExecutionState(StrEnum):
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class TaskState(StrEnum):
    """How far the task to crawl a run has come on its way through the broker."""

    PENDING = "pending"  # in the store; the broker has not confirmed it
    QUEUED = "queued"  # the broker has it
    CRAWLING = "crawling"  # a worker has accepted it
    DOWNLOADED = "downloaded"  # everything is fetched and stored
    PARSING = "parsing"  # its results are being counted and compared
    COMPLETED = "completed"
    FAILED = "failed"


@record
class Source:
    id: int
    name: str
    definition: str  # JSON, parsed by jobs/sources/definition.py; header values are masked
    enabled: bool
    version: int
    created_at: Instant
    updated_at: Instant
    sealed_headers: str | None  # encrypted header values; None: no headers


@record
class Job:
    id: int
    source_id: int
    url: str | None
    state: JobState
    interval_minutes: int | None
    interval_type: IntervalType
    schedule_enabled: bool
    adaptive_scheduling: bool
    timezone: str
    active_hours: str | None
    next_run_at: Instant | None
    phase_at: Instant | None  # an instant that its schedule is aligned to
    slot_moved_at: Instant | None
    priority: int
    content_hash: str | None
    unchanged_count: int
    max_retries: int
    retry_backoff_seconds: int
    current_retry_count: int
    lock_token: str | None
    lock_acquired_at: Instant | None
    lock_heartbeat_at: Instant | None
    stale_locks: int
    paused_at: Instant | None
    cancelled_at: Instant | None
    last_error: str | None
    metadata: Mapping[str, Any]
    version: int
    created_at: Instant
    updated_at: Instant


@record
class Execution:
    id: int
    job_id: int
    number: int
    scheduled_at: Instant
    trigger: Trigger
    state: ExecutionState
    run_id: int | None
    retry_number: int
    started_at: Instant
    ended_at: Instant | None
    items_crawled: int
    items_changed: int
    items_failed: int
    error: str | None
    traceback: str | None
    cpu_ms: int
    peak_rss_bytes: int


@record
class Task:
    id: int
    run_id: int
    queue: str
    priority: int
    state: TaskState
    deliveries: int
    error: str | None
    created_at: Instant
    publish_after: Instant | None
    queued_at: Instant | None
    started_at: Instant | None
    ended_at: Instant | None
