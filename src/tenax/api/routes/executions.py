"""Executions of jobs: the list, and one in full."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field, computed_field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.field_access import ForAdmins
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, JobIdPath
from tenax.api.routes.jobs import load_job
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.jobs import Execution as StoredExecution
from tenax.records.jobs import ExecutionState, Trigger
from tenax.stores.jobs.executions import find_execution, slice_executions

router = new_router("jobs")

ExecutionIdPath = Annotated[
    int, Path(ge=1, le=LARGEST_ID, description="The id of the execution.", examples=[9])
]


class Execution(Schema):
    id: int
    job_id: int
    execution_number: int = Field(
        validation_alias="number", description="The number of the execution within its job, from 1."
    )
    status: ExecutionState = Field(validation_alias="state")
    trigger: Trigger = Field(description="Why it started.")
    scheduled_at: datetime = Field(description="When it was scheduled to start.")
    started_at: datetime
    completed_at: datetime | None = Field(validation_alias="ended_at")
    run_id: int | None = Field(description="null: its run has not started.")
    retry_attempt: int = Field(validation_alias="retry_number", description="0: the first attempt.")
    items_crawled: int
    items_changed: int
    items_failed: int
    error_message: str | None = Field(validation_alias="error")
    cpu_time_ms: int = Field(validation_alias="cpu_ms", description="CPU time of all its workers.")
    memory_peak_bytes: int = Field(
        validation_alias="peak_rss_bytes", description="Peak memory of its largest worker."
    )

    @computed_field(description="null: it has not ended.")  # type: ignore[prop-decorator]
    @property
    def duration_ms(self) -> int | None:
        if self.completed_at is None:
            return None
        return max(round((self.completed_at - self.started_at).total_seconds() * 1000), 0)


class ExecutionDetail(Execution):
    stack_trace: Annotated[str | None, ForAdmins] = Field(
        None,
        validation_alias="traceback",
        description="Visible to administrators only: the stack trace of a crash, for bug reports.",
    )


@router.get(
    "/jobs/{job_id}/executions",
    summary="List the executions of a job",
    response_model=Part[Execution],
    **allow(Role.USER, responses=(404,)),
)
async def list_executions(
    service: ServiceDep,
    job_id: JobIdPath,
    sort: Annotated[
        Literal["-number", "number"], Query(description="A leading minus sorts newest first.")
    ] = "-number",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Execution]:
    """Returns the most recent executions; older ones are deleted automatically."""
    await load_job(service, job_id)
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(lambda connection: slice_executions(connection, wanted, job_id))
    return format_part(found, Execution, sort)


@router.get(
    "/executions/{execution_id}",
    summary="Get an execution",
    response_model=ExecutionDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_execution(service: ServiceDep, execution_id: ExecutionIdPath) -> StoredExecution:
    """Returns one execution of a job."""
    found = await service.access.read(lambda connection: find_execution(connection, execution_id))
    if found is None:
        raise not_found(f"Execution {execution_id}")
    return found
