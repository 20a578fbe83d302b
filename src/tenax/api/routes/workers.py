"""The workers of the crawl."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.field_access import ForAdmins
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import RunIdQuery
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.policy.stalls import StallCause
from tenax.records.domains import BreakerState
from tenax.stores.connection import Connection
from tenax.stores.contracts.vitals import BackingService as Needed
from tenax.stores.databases.reader import tell_store_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.paging import ListSlice
from tenax.stores.presence import find_signs
from tenax.stores.queries.workers import WorkerFilter, WorkerState, WorkerSummary, slice_workers

router = new_router("workers")


class ServiceTrouble(Schema):
    service: Needed
    state: BreakerState
    retry_at: datetime | None = Field(description="When the service is tried again.")
    reason: Annotated[str | None, ForAdmins] = Field(
        None, description="Visible to administrators only: it may contain the address of the service."
    )


class StallView(Schema):
    cause: StallCause
    sentence: Annotated[str | None, ForAdmins] = Field(
        None, description="Visible to administrators only: it may contain addresses."
    )
    began_at: datetime


class LongestVisitView(Schema):
    url: str
    started_at: datetime


class Worker(Schema):
    id: int
    uuid: str
    run_id: int
    host: str
    pid: int
    state: WorkerState
    is_alive: bool
    started_at: datetime
    heartbeat_at: datetime
    ended_at: datetime | None
    leases_until: datetime | None = Field(description="When the last of its leases expires unless renewed.")
    domains: int = Field(description="The number of domains that it holds.")
    names: list[str] = Field(description="Some of these domains.")
    silent_domains: int = Field(
        description="Domains that have not responded for more than a second, as reported by the worker."
    )
    pages: int
    pages_per_min: float = Field(description="Over the last minute, as reported by the worker.")
    longest: LongestVisitView | None = Field(
        description="The visit in progress that started first, as of the last heartbeat; null: none."
    )
    stall: StallView | None = Field(
        description="Why the worker does nothing although something is due; null: it is not stalled."
    )
    exit_code: int | None = Field(description="The exit code of a worker that ended itself.")
    breakers: list[ServiceTrouble] = Field(description="Services that are not working for this worker.")


@router.get("/workers", summary="List workers", response_model=Part[Worker], **allow(Role.USER))
async def list_workers(
    service: ServiceDep,
    run: RunIdQuery = None,
    all: Annotated[bool, Query(description="Include workers that have ended or are lost.")] = False,
    sort: Annotated[Literal["-id", "id"], Query(description="A leading minus sorts newest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Worker]:
    """Returns the workers on all machines: their state, heartbeat, leases, rate and domains."""
    wanted, only = parse_slice(sort, limit, cursor), WorkerFilter(run_id=run, with_ended=all)

    def load(connection: Connection) -> ListSlice[WorkerSummary]:
        signs, now = (
            find_signs(service.place.folder / WORKERS_NAME),
            tell_store_time(service.place, connection),
        )
        return slice_workers(connection, wanted, only, signs=signs, now=now)

    return format_part(await service.access.read(load), Worker, sort)
