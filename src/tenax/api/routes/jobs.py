"""Jobs: which source is crawled when."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_NUMBER, JobIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import LONGEST_URL, check_urls
from tenax.jobs import commands as commands
from tenax.jobs.schedule.plans import list_next_runs
from tenax.records.jobs import IntervalType, JobState
from tenax.records.jobs import Job as StoredJob
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.jobs import JobFilter, count_states, find_job, slice_jobs
from tenax.stores.queries.jobs import ExecutionStats, load_execution_stats
from tenax.web.parameters import ALL_NAMES

router = new_router("jobs")

MOST_METADATA_BYTES = 10_000
NEXT_RUNS = 8
LAST_YEAR = 2100

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
Time = Annotated[str, Field(pattern=r"^(([01]\d|2[0-3]):[0-5]\d|24:00)$")]
Sort = Literal["-id", "id", "next_run_at", "priority"]


class Hours(BaseModel):
    """When a job may start, in its time zone."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"days": ["mon", "fri"], "from": "08:00", "until": "18:00"}]},
    )

    days: list[Day] = Field(
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        min_length=1,
        max_length=7,
        description="The days on which the window opens.",
    )
    opens: Time = Field("00:00", alias="from")
    until: Time = Field("24:00", description="If not after `from`, on the next day.")


def _parse_hours(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str) else value


def _check_metadata(value: dict[str, Any]) -> dict[str, Any]:
    if len(repr(value)) > MOST_METADATA_BYTES:
        raise ValueError(f"The metadata must not be longer than {MOST_METADATA_BYTES} characters.")
    return value


def _check_moment(value: datetime) -> datetime:
    if not 1970 <= value.year < LAST_YEAR:
        raise ValueError(f"Choose a time before the year {LAST_YEAR}.")
    return value


class JobBody(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {"source_id": 1, "interval_minutes": 6, "interval_type": "hours", "schedule_enabled": True}
            ]
        },
    )

    source_id: int = Field(ge=1, le=LARGEST_NUMBER, description="The source to crawl.")
    url: str | None = Field(
        None, max_length=LONGEST_URL, description="The URL to start from; null: all seeds of the source."
    )
    interval_minutes: int | None = Field(
        None,
        ge=1,
        le=LARGEST_NUMBER,
        description="The interval, in units of interval_type; null: the job runs once.",
    )
    interval_type: IntervalType = IntervalType.MINUTES
    schedule_enabled: bool = Field(False, description="Whether the job repeats on its own.")
    adaptive_scheduling: bool = Field(
        True,
        description="Whether to double the interval, up to a day, each time the start page is unchanged.",
    )
    timezone: str = Field("UTC", max_length=64, examples=["Europe/Vienna"])
    active_hours: Hours | None = Field(None, description="null: at any time.")
    next_run_at: Annotated[AwareDatetime, AfterValidator(_check_moment)] | None = Field(
        None, description="The first run; null: at once, or in the least busy slot if the job repeats."
    )
    priority: int = Field(5, ge=1, le=10, description="From 1, the most urgent, to 10.")
    max_retries: int = Field(3, ge=0, le=100)
    retry_backoff_seconds: int = Field(
        60, ge=1, le=3600, description="Pause before the first retry; it doubles each time, up to an hour."
    )
    metadata: Annotated[dict[str, Any], AfterValidator(_check_metadata)] = Field(
        default_factory=dict, description="Free-form data for the caller's own use."
    )


class JobChange(JobBody):
    version: int | None = Field(
        None,
        ge=1,
        le=LARGEST_NUMBER,
        description="The version that the caller has seen: if the job has changed since, the response is "
        "409.",
    )


class Job(Schema):
    id: int
    source_id: int
    url: str | None
    status: JobState = Field(validation_alias="state")
    interval_minutes: int | None
    interval_type: IntervalType
    schedule_enabled: bool
    adaptive_scheduling: bool
    timezone: str
    active_hours: Annotated[Hours | None, BeforeValidator(_parse_hours)]
    next_run_at: datetime | None
    slot_moved_at: datetime | None = Field(description="When rebalancing last moved the job.")
    priority: int
    unchanged_count: int = Field(description="Consecutive runs that found the start page unchanged.")
    max_retries: int
    retry_backoff_seconds: int
    current_retry_count: int
    lock_acquired_at: datetime | None = Field(description="When a scheduler locked the job.")
    lock_heartbeat_at: datetime | None
    paused_at: datetime | None
    cancelled_at: datetime | None
    last_error: str | None = Field(description="Why the job failed, or why it has to wait.")
    metadata: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class JobDetail(Job):
    next_runs: list[datetime] = Field(
        description="The next run times, based on the active hours and the current interval."
    )


class StatusCounts(BaseModel):
    pending: int
    scheduled: int
    running: int
    completed: int
    failed: int
    paused: int
    cancelled: int


class JobStats(Schema):
    """Statistics of the executions that are still stored."""

    total: int
    running: int
    completed: int
    failed: int
    cancelled: int
    success_rate: float | None = Field(
        description="Share of executions that completed, out of those that completed or failed."
    )
    average_duration_ms: int | None
    items_crawled: int
    items_changed: int
    items_failed: int
    last_completed_at: datetime | None
    last_failed_at: datetime | None


@router.get("/jobs", summary="List jobs", response_model=Part[Job], **allow(Role.USER))
async def list_jobs(
    service: ServiceDep,
    status: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    source_id: Annotated[
        int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only jobs of this source.")
    ] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Job]:
    """Returns all jobs."""
    wanted = parse_slice(sort, limit, cursor)
    only = JobFilter(state=status, source_id=source_id)
    found = await service.access.read(lambda connection: slice_jobs(connection, wanted, only))
    return format_part(found, Job, sort)


@router.get(
    "/jobs/status-counts", summary="Count jobs by state", response_model=StatusCounts, **allow(Role.USER)
)
async def count_jobs(service: ServiceDep) -> dict[JobState, int]:
    """Returns the number of jobs in each state."""
    return await service.access.read(count_states)


@router.post(
    "/jobs",
    status_code=201,
    summary="Create a job",
    response_model=Job,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def add_job(service: ServiceDep, audit: AuditDep, body: JobBody) -> StoredJob:
    """A repeating job is scheduled at once; a one-time job starts within seconds, or at `next_run_at`."""
    new = _make_job(service, body)
    async with audit("job.create", source=new.source_id) as entry:

        def create(connection: Connection) -> StoredJob:
            return commands.create_job(connection, new, tell_time(service.place, connection))

        job = await service.access.write(create)
        entry.target = f"job {job.id}"
    service.wake_scheduler()
    return job


@router.get(
    "/jobs/{job_id}", summary="Get a job", response_model=JobDetail, **allow(Role.USER, responses=(404,))
)
async def get_job(service: ServiceDep, job_id: JobIdPath) -> JobDetail:
    """Returns the job and its next run times."""
    job, now = await service.access.read(
        lambda connection: (find_job(connection, job_id), tell_time(service.place, connection))
    )
    if job is None:
        raise not_found(f"Job {job_id}")
    next_runs = list_next_runs(job, now, NEXT_RUNS)
    return JobDetail.model_validate({**asdict(job), "next_runs": next_runs})


@router.put(
    "/jobs/{job_id}",
    summary="Change a job",
    response_model=Job,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def change_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath, body: JobChange) -> StoredJob:
    """Replaces all fields. A new interval starts a new rhythm; `schedule_enabled: false` pauses a scheduled
    job. An active execution is not affected."""
    new = _make_job(service, body)

    def change(connection: Connection) -> StoredJob:
        now = tell_time(service.place, connection)
        return commands.change_job(connection, job_id, new, body.version, now)

    async with audit("job.change", target=f"job {job_id}"):
        job = await service.access.write(change)
    service.wake_scheduler()
    return job


@router.delete(
    "/jobs/{job_id}",
    status_code=204,
    summary="Delete a job",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def delete_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath) -> None:
    """Deletes the job and its executions; the results of their runs stay. A running job has to be cancelled
    first."""
    async with audit("job.delete", target=f"job {job_id}"):
        await service.access.write(partial(commands.delete_job, job_id=job_id))


@router.get(
    "/jobs/{job_id}/stats",
    summary="Get statistics of a job",
    response_model=JobStats,
    **allow(Role.USER, responses=(404,)),
)
async def get_job_stats(service: ServiceDep, job_id: JobIdPath) -> ExecutionStats:
    """Returns how often the job succeeded, how long it took, and what it crawled."""
    await load_job(service, job_id)
    return await service.access.read(partial(load_execution_stats, job_id=job_id))


async def load_job(service: Service, job_id: int) -> StoredJob:
    job = await service.access.read(lambda connection: find_job(connection, job_id))
    if job is None:
        raise not_found(f"Job {job_id}")
    return job


def _normalize_start(service: Service, url: str) -> str:
    """Keep all query parameters: which of them matter depends on the source."""
    return check_urls([url], service.settings, "body.url", keep=ALL_NAMES)[0]


def _make_job(service: Service, body: JobBody) -> commands.NewJob:
    given = body.model_dump(exclude={"url", "active_hours", "next_run_at", "version"})
    hours = body.active_hours
    return commands.NewJob(
        **given,
        url=None if body.url is None else _normalize_start(service, body.url),
        active_hours=None if hours is None else hours.model_dump_json(by_alias=True),
        next_run_at=None if body.next_run_at is None else body.next_run_at.timestamp(),
    )
