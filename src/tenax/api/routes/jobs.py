"""Jobs: what is crawled when."""

from dataclasses import asdict
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

import orjson
from fastapi import Query
from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import not_found
from tenax.api.intake import LONGEST_URL, take_urls
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_NUMBER, JobIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.job_records import IntervalType, JobState
from tenax.job_records import Job as StoredJob
from tenax.jobs import commands as orders
from tenax.jobs.schedule.plans import list_next_runs
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
    """When a job may begin, by the clock of its timezone."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"days": ["mon", "fri"], "from": "08:00", "until": "18:00"}]},
    )

    days: list[Day] = Field(
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun"],
        min_length=1,
        max_length=7,
        description="On which it opens.",
    )
    opens: Time = Field("00:00", alias="from")
    until: Time = Field("24:00", description="Not after `from`: on the next day.")


def _parse_hours(value: Any) -> Any:
    return orjson.loads(value) if isinstance(value, str) else value


def _check_metadata(value: dict[str, Any]) -> dict[str, Any]:
    if len(repr(value)) > MOST_METADATA_BYTES:
        raise ValueError(f"More than {MOST_METADATA_BYTES} characters are not kept.")
    return value


def _check_moment(value: datetime) -> datetime:
    if not 1970 <= value.year < LAST_YEAR:
        raise ValueError(f"Choose a moment before {LAST_YEAR}.")
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

    source_id: int = Field(ge=1, le=LARGEST_NUMBER, description="What to crawl.")
    url: str | None = Field(
        None, max_length=LONGEST_URL, description="Where to begin; null: all seeds of the source."
    )
    interval_minutes: int | None = Field(
        None, ge=1, le=LARGEST_NUMBER, description="A number of what interval_type names; null: it runs once."
    )
    interval_type: IntervalType = IntervalType.MINUTES
    schedule_enabled: bool = Field(False, description="Whether it repeats by itself.")
    adaptive_scheduling: bool = Field(
        True, description="Come half as often, up to once a day, each time the start page is as it was."
    )
    timezone: str = Field("UTC", max_length=64, examples=["Europe/Vienna"])
    active_hours: Hours | None = Field(None, description="null: always.")
    next_run_at: Annotated[AwareDatetime, AfterValidator(_check_moment)] | None = Field(
        None, description="null: at once, or in the slot with the least to do if it repeats."
    )
    priority: int = Field(5, ge=1, le=10, description="1 is the most wanted.")
    max_retries: int = Field(3, ge=0, le=100)
    retry_backoff_seconds: int = Field(
        60, ge=1, le=3600, description="Pause before the first retry; doubles each time, up to an hour."
    )
    metadata: Annotated[dict[str, Any], AfterValidator(_check_metadata)] = Field(
        default_factory=dict, description="Kept as it is, for whoever made the job."
    )


class JobChange(JobBody):
    version: int | None = Field(
        None,
        ge=1,
        le=LARGEST_NUMBER,
        description="As it was seen: if somebody else has changed the job since, the answer is 409.",
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
    slot_moved_at: datetime | None = Field(description="When rebalancing last moved it.")
    priority: int
    unchanged_count: int = Field(description="Runs in a row that found the start page as it was.")
    max_retries: int
    retry_backoff_seconds: int
    current_retry_count: int
    lock_acquired_at: datetime | None = Field(description="Since when a scheduler looks after it.")
    lock_heartbeat_at: datetime | None
    paused_at: datetime | None
    cancelled_at: datetime | None
    last_error: str | None = Field(description="Why it failed, or why it has to wait.")
    metadata: dict[str, Any]
    version: int
    created_at: datetime
    updated_at: datetime


class JobDetail(Job):
    next_runs: list[datetime] = Field(
        description="When it begins next, by its hours and its interval as it is now."
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
    """Of the executions that are kept."""

    total: int
    running: int
    completed: int
    failed: int
    cancelled: int
    success_rate: float | None = Field(description="Of those that completed or failed.")
    average_duration_ms: int | None
    items_crawled: int
    items_changed: int
    items_failed: int
    last_completed_at: datetime | None
    last_failed_at: datetime | None


@router.get("/jobs", summary="List jobs", response_model=Part[Job], **allow(Role.USER))
async def list_jobs(
    service: ServiceDep,
    status: Annotated[JobState | None, Query(description="Only those in this state.")] = None,
    source_id: Annotated[
        int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only those of this source.")
    ] = None,
    sort: Annotated[Sort, Query(description="A minus: the greatest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Job]:
    """All jobs of the store."""
    wanted = parse_slice(sort, limit, cursor)
    only = JobFilter(state=status, source_id=source_id)
    found = await service.access.read(lambda connection: slice_jobs(connection, wanted, only))
    return format_part(found, Job, sort)


@router.get(
    "/jobs/status-counts", summary="Count jobs by state", response_model=StatusCounts, **allow(Role.USER)
)
async def count_jobs(service: ServiceDep) -> dict[JobState, int]:
    """How many there are in each state."""
    return await service.access.read(count_states)


@router.post(
    "/jobs",
    status_code=201,
    summary="Create a job",
    response_model=Job,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def add_job(service: ServiceDep, audit: AuditDep, body: JobBody) -> StoredJob:
    """One that repeats is scheduled at once; one that does not begins within seconds, or at `next_run_at`."""
    new = _make_job(service, body)
    async with audit("job.create", source=new.source_id) as entry:

        def create(connection: Connection) -> StoredJob:
            return orders.create_job(connection, new, tell_time(service.place, connection))

        job = await service.access.write(create)
        entry.target = f"job {job.id}"
    service.wake_scheduler()
    return job


@router.get(
    "/jobs/{job_id}", summary="Get a job", response_model=JobDetail, **allow(Role.USER, responses=(404,))
)
async def get_job(service: ServiceDep, job_id: JobIdPath) -> JobDetail:
    """One job, and its next times."""
    job, now = await service.access.read(
        lambda connection: (find_job(connection, job_id), tell_time(service.place, connection))
    )
    if job is None:
        raise not_found(f"The job {job_id}")
    next_runs = list_next_runs(job, now, NEXT_RUNS)
    return JobDetail.model_validate({**asdict(job), "next_runs": next_runs})


@router.put(
    "/jobs/{job_id}",
    summary="Change a job",
    response_model=Job,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def change_job(service: ServiceDep, audit: AuditDep, job_id: JobIdPath, body: JobChange) -> StoredJob:
    """All of it. A new interval is a new rhythm; `schedule_enabled` false pauses a job that is scheduled.
    What is under way ends as it was ordered."""
    new = _make_job(service, body)

    def change(connection: Connection) -> StoredJob:
        now = tell_time(service.place, connection)
        return orders.change_job(connection, job_id, new, body.version, now)

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
    """With its executions; what their runs have brought stays. One that is running has to be cancelled."""
    async with audit("job.delete", target=f"job {job_id}"):
        await service.access.write(partial(orders.delete_job, job_id=job_id))


@router.get(
    "/jobs/{job_id}/stats",
    summary="Sum up the executions of a job",
    response_model=JobStats,
    **allow(Role.USER, responses=(404,)),
)
async def get_job_stats(service: ServiceDep, job_id: JobIdPath) -> ExecutionStats:
    """How often it worked, how long it took and what it brought."""
    await load_job(service, job_id)
    return await service.access.read(partial(load_execution_stats, job_id=job_id))


async def load_job(service: Service, job_id: int) -> StoredJob:
    job = await service.access.read(lambda connection: find_job(connection, job_id))
    if job is None:
        raise not_found(f"The job {job_id}")
    return job


def _take_start(service: Service, url: str) -> str:
    """With all its parameters: which of them count is for the source to say."""
    return take_urls([url], service.settings, "body.url", keep=ALL_NAMES)[0]


def _make_job(service: Service, body: JobBody) -> orders.NewJob:
    given = body.model_dump(exclude={"url", "active_hours", "next_run_at", "version"})
    hours = body.active_hours
    return orders.NewJob(
        **given,
        url=None if body.url is None else _take_start(service, body.url),
        active_hours=None if hours is None else hours.model_dump_json(by_alias=True),
        next_run_at=None if body.next_run_at is None else body.next_run_at.timestamp(),
    )
