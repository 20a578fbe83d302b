"""Runs: the list, and one in full."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import Problem, not_found
from tenax.api.events.watching import RunUnderWay
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.middleware.hiding import ForAdmins
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_NUMBER, RunIdPath, SinceQuery, SourceQuery, UntilQuery, find_instant
from tenax.api.routes.workers import Worker
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.config import split_settings
from tenax.job_records import SourceKind
from tenax.records import RunState
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_store_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.presence import find_signs
from tenax.stores.queries.runs import (
    RunFilter,
    RunReport,
    RunsInProgress,
    find_current,
    find_run,
    load_active,
    slice_runs,
)

router = new_router("runs")


class Leftover(Schema):
    """Urls of its domains that waited when it ended, by what held them back."""

    due: int = Field(description="Nothing: they came up when it ended.")
    held: int = Field(description="Workers have their domains in hand.")
    later: int = Field(description="They have failed, and are tried again later than a run waits.")
    resting: int = Field(description="Their site: it is blocked or unreachable, or asked for rest.")
    capped: int = Field(description="Their domains have had their pages of this run.")
    inactive: int = Field(description="A person wants nothing requested of their domains.")
    aside: int = Field(description="Their domains serve another crawl, or a source, at the moment.")
    next_at: datetime | None = Field(description="When the first of those that are tried later is wanted.")


class Run(Schema):
    id: int
    state: RunState
    started_at: datetime
    ended_at: datetime | None
    last_sign_at: datetime = Field(description="Its end, or what its workers last wrote.")
    pages: int
    requests: int
    wire_bytes: int = Field(description="Body bytes as they were sent.")
    source_id: int | None = Field(description="The source or crawl that it is a run of.")
    source_name: str | None = Field(description="Its name; null: it is removed.")
    source_kind: SourceKind | None = Field(
        description="A source is defined and has jobs; a crawl is what a person starts by its name."
    )
    execution_id: int | None = Field(description="The execution of a job; null: a person started it.")
    leftover: Leftover | None = Field(
        description="null: it goes on, or was cancelled while nobody was at it."
    )


class RunDetail(Run):
    paused_at: datetime | None = Field(description="Since when somebody holds it.")
    cancelled_at: datetime | None = Field(description="When somebody ended it.")
    settings: dict[str, Any] = Field(description="As it was ordered with them.")
    service_settings: Annotated[dict[str, Any] | None, ForAdmins] = Field(
        None,
        description="Those of the machine that ordered it, without passwords; only administrators are told.",
    )
    workers: list[Worker] = Field(description="Its newest workers.")
    workers_count: int = Field(description="All that were ever at it.")


class RunsUnderWay(Schema):
    at: datetime
    runs: list[RunUnderWay] = Field(description="The newest first.")
    runs_count: int = Field(description="How many there are; of more than 100, the newest are told.")


@router.get("/runs", summary="List runs", response_model=Part[Run], **allow(Role.USER))
async def list_runs(
    service: ServiceDep,
    state: Annotated[RunState | None, Query(description="Only those in this state.")] = None,
    source_id: Annotated[
        int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only those of this source or crawl.")
    ] = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Literal["-id", "id"], Query(description="A minus: the newest first.")] = "-id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Run]:
    """All runs of the store. Their date is when they were opened."""
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
    summary="Get all runs that are under way",
    response_model=RunsUnderWay,
    **allow(Role.USER),
)
async def get_runs_under_way(service: ServiceDep) -> RunsInProgress:
    """Runs of sources and of crawls go side by side. Also those that are paused."""

    def load(connection: Connection) -> RunsInProgress:
        signs, now = (
            find_signs(service.place.folder / WORKERS_NAME),
            tell_store_time(service.place, connection),
        )
        return load_active(connection, signs=signs, now=now)

    return await service.access.read(load)


@router.get(
    "/runs/current",
    summary="Get the newest run that is under way",
    response_model=RunDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_current_run(service: ServiceDep) -> RunDetail:
    """404 while there is none. `/runs/under-way` tells all of them."""
    found = await _load(service, None)
    if found is None:
        raise Problem(404, "No run is under way.")
    return _format(found)


@router.get(
    "/runs/{id}", summary="Get one run", response_model=RunDetail, **allow(Role.USER, responses=(404,))
)
async def get_run(service: ServiceDep, id: RunIdPath) -> RunDetail:
    """Its state, its counters, its settings and who works on it."""
    found = await _load(service, id)
    if found is None:
        raise not_found(f"The run {id}")
    return _format(found)


async def _load(service: Service, id: int | None) -> RunReport | None:
    """None for an id: the one that is under way."""

    def load(connection: Connection) -> RunReport | None:
        signs, now = (
            find_signs(service.place.folder / WORKERS_NAME),
            tell_store_time(service.place, connection),
        )
        if id is None:
            return find_current(connection, signs=signs, now=now)
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
