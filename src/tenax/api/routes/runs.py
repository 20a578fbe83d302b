"""Runs: the list, and one in full."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem, not_found
from tenax.api.events.collectors import ActiveRun
from tenax.api.middleware.field_access import ForAdmins
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_NUMBER, RunIdPath, SinceQuery, SourceQuery, UntilQuery, find_instant
from tenax.api.routes.workers import Worker
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.config.settings import split_settings
from tenax.records.jobs import SourceKind
from tenax.records.runs import RunState
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_store_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.queries.runs import (
    RunFilter,
    RunReport,
    RunsInProgress,
    find_current_run,
    find_run,
    load_active_runs,
    slice_runs,
)

router = new_router("runs")


class Leftover(Schema):
    """URLs of the run's domains that were still waiting when it ended, by what blocked them."""

    due: int = Field(description="Not blocked: they became due as the run ended.")
    held: int = Field(description="Workers hold their domains.")
    later: int = Field(description="They failed, and will be retried later than a run waits.")
    resting: int = Field(description="Their domain is blocked, unreachable or in a rest period.")
    capped: int = Field(description="Their domain reached its page limit in this run.")
    inactive: int = Field(description="A user deactivated their domain.")
    aside: int = Field(description="Their domain currently belongs to another crawl or source.")
    next_at: datetime | None = Field(description="When the first of the `later` URLs is due.")


class Run(Schema):
    id: int
    state: RunState
    started_at: datetime
    ended_at: datetime | None
    last_sign_at: datetime = Field(
        description="When the run ended, or when its workers last wrote something."
    )
    pages: int
    requests: int
    wire_bytes: int = Field(description="Body bytes as transferred.")
    source_id: int | None = Field(description="The source or crawl that the run belongs to.")
    source_name: str | None = Field(description="The name of the source or crawl; null: it was removed.")
    source_kind: SourceKind | None = Field(
        description="A source has a definition and jobs; a crawl is started by a user under a name."
    )
    execution_id: int | None = Field(description="The execution of a job; null: started by a user.")
    leftover: Leftover | None = Field(
        description="null: the run is active, or was cancelled while it had no workers."
    )
    postponed: int = Field(description="New URLs that had to wait because of `limits.new_urls_per_s`.")
    items: int = Field(description="Items that parsers made of its pages.")


class RunDetail(Run):
    paused_at: datetime | None = Field(description="When a user paused the run.")
    cancelled_at: datetime | None = Field(description="When a user cancelled the run.")
    settings: dict[str, Any] = Field(description="The settings that the run was started with.")
    service_settings: Annotated[dict[str, Any] | None, ForAdmins] = Field(
        None,
        description="Visible to administrators only: the settings of the machine that started the run, "
        "without passwords.",
    )
    workers: list[Worker] = Field(description="The newest workers of the run.")
    workers_count: int = Field(description="The total number of workers that have joined the run.")


class ActiveRuns(Schema):
    at: datetime
    runs: list[ActiveRun] = Field(description="Newest first.")
    runs_count: int = Field(
        description="The number of running and paused runs; `runs` has at most the newest 100."
    )


@router.get("/runs", summary="List runs", response_model=Part[Run], **allow(Role.USER))
async def list_runs(
    service: ServiceDep,
    state: Annotated[RunState | None, Query(description="Only runs in this state.")] = None,
    source_id: Annotated[
        int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only runs of this source or crawl.")
    ] = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Literal["-id", "id"], Query(description="A leading minus sorts newest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Run]:
    """Returns all runs. `since` and `until` apply to when they were started."""
    wanted = parse_slice(sort, limit, cursor)
    only = RunFilter(
        state=state,
        source_id=source_id,
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_runs(connection, wanted, only))
    return format_part(found, Run, sort)


@router.get(
    "/runs/under-way",
    summary="List active runs",
    response_model=ActiveRuns,
    **allow(Role.USER),
)
async def get_runs_under_way(service: ServiceDep) -> RunsInProgress:
    """Returns all running and paused runs. Runs of different sources and crawls can be active
    concurrently."""

    def load(connection: Connection) -> RunsInProgress:
        signs, now = (
            find_signs(service.place.folder / WORKERS_NAME),
            tell_store_time(service.place, connection),
        )
        return load_active_runs(connection, signs=signs, now=now)

    return await service.access.read(load)


@router.get(
    "/runs/current",
    summary="Get the newest active run",
    response_model=RunDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_current_run(service: ServiceDep) -> RunDetail:
    """Returns 404 if no run is active. `/runs/under-way` lists all active runs."""
    found = await _load(service, None)
    if found is None:
        raise Problem(404, "No run is active.")
    return _format(found)


@router.get("/runs/{id}", summary="Get a run", response_model=RunDetail, **allow(Role.USER, responses=(404,)))
async def get_run(service: ServiceDep, id: RunIdPath) -> RunDetail:
    """Returns the run with its state, counters, settings and workers."""
    found = await _load(service, id)
    if found is None:
        raise not_found(f"Run {id}")
    return _format(found)


async def _load(service: Service, id: int | None) -> RunReport | None:
    """None for an id: the newest active run."""

    def load(connection: Connection) -> RunReport | None:
        signs, now = (
            find_signs(service.place.folder / WORKERS_NAME),
            tell_store_time(service.place, connection),
        )
        if id is None:
            return find_current_run(connection, signs=signs, now=now)
        return find_run(connection, id, signs=signs, now=now)

    return await service.access.read(load)


def _format(found: RunReport) -> RunDetail:
    of_run, of_service = split_settings(found.settings)
    return RunDetail(
        **Run.model_validate(found.summary).model_dump(),
        paused_at=found.paused_at,
        cancelled_at=found.cancelled_at,
        settings=of_run,
        service_settings=of_service,
        workers=[Worker.model_validate(each) for each in found.workers],
        workers_count=found.workers_count,
    )
