"""Sources: what is crawled repeatedly."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Depends, Path, Query, Request
from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.parameters import LARGEST_NUMBER
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import check_urls
from tenax.jobs.sources.definition import (
    SourceDefinition,
    list_warnings,
    parse_untrusted_definition,
    read_definition,
)
from tenax.jobs.sources.definition_errors import UnreadableSource
from tenax.records.jobs import Execution, ExecutionState, Job, JobState, Source
from tenax.stores.jobs.executions import list_last_executions
from tenax.stores.jobs.sources import SourceFilter

router = new_router("sources")

Sort = Literal["id", "-id", "name", "-updated_at"]
IdPath = Annotated[int, Path(ge=1, le=LARGEST_NUMBER, description="The id of the source.", examples=[1])]


class LastExecution(Schema):
    """The latest execution of a job."""

    id: int
    execution_number: int = Field(validation_alias="number")
    status: ExecutionState = Field(validation_alias="state")
    started_at: datetime
    completed_at: datetime | None = Field(validation_alias="ended_at")


class SourceJob(Schema):
    """The job that belongs to a source."""

    id: int
    state: JobState
    next_run_at: datetime | None
    last_execution: LastExecution | None = Field(None, description="null: the job has not run yet.")


class SourceView(Schema):
    id: int
    name: str
    enabled: bool
    version: int = Field(description="Increases with every change; send it back to change the source.")
    created_at: datetime
    updated_at: datetime
    definition: SourceDefinition | None = Field(
        description="The definition, with header values hidden; null: this version cannot read it, see "
        "`unreadable`."
    )
    unreadable: str | None = Field(description="Why the definition cannot be read; null: it can.")
    warnings: list[str] = Field(description="What is valid but may not be intended.")
    job: SourceJob | None = Field(description="null: the source has no job.")


async def parse_body(request: Request) -> SourceDefinition:
    """Parse in a thread: patterns that take long to compile delay only this request."""
    try:
        return await asyncio.to_thread(parse_untrusted_definition, await request.body())
    except ValidationError as error:
        faults = [{**each, "loc": ("body", *each["loc"])} for each in error.errors()]
        raise RequestValidationError(faults) from error


DefinitionBody = Annotated[SourceDefinition, Depends(parse_body)]
_BODY = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/SourceDefinition"}}}}


def _allow_change(*responses: int) -> dict[str, Any]:
    rules = allow(Role.ADMIN, scope=TokenScope.WRITE, responses=responses)
    return {**rules, "openapi_extra": {**rules["openapi_extra"], "requestBody": {"required": True, **_BODY}}}


@router.get("/sources", summary="List sources", response_model=Part[SourceView], **allow(Role.USER))
async def list_sources(
    service: ServiceDep,
    enabled: Annotated[bool | None, Query(description="Only enabled, or only disabled, sources.")] = None,
    q: Annotated[str | None, Query(max_length=100, description="Only names that contain this text.")] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts newest first.")] = "name",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[SourceView]:
    """Returns all sources, each with its job."""
    only = SourceFilter(enabled=enabled, text=q)
    found = await service.sources.list(parse_slice(sort, limit, cursor), only)
    return Part(items=await _view_all(service, found.items), next=format_cursor(found.next, sort))


@router.get(
    "/sources/{source_id}",
    summary="Get a source",
    response_model=SourceView,
    **allow(Role.USER, responses=(404,)),
)
async def get_source(service: ServiceDep, source_id: IdPath) -> SourceView:
    """Returns the source with its definition, its job, and warnings."""
    return await _view(service, await service.sources.get(source_id))


@router.post(
    "/sources",
    summary="Add a source",
    status_code=201,
    response_model=SourceView,
    **_allow_change(409),
)
async def add_source(service: ServiceDep, audit: AuditDep, definition: DefinitionBody) -> SourceView:
    """If the source is enabled, its job is created with it: on its schedule, or due at once without one."""
    check_urls(definition.seeds, service.settings, "body.seeds")
    async with audit("source.add", target=definition.name):
        return await _view(service, await service.sources.add(definition))


@router.put(
    "/sources/{source_id}",
    summary="Change a source",
    response_model=SourceView,
    **_allow_change(404, 409),
)
async def change_source(
    service: ServiceDep,
    audit: AuditDep,
    source_id: IdPath,
    definition: DefinitionBody,
    version: Annotated[
        int, Query(ge=1, le=LARGEST_NUMBER, description="The version that the caller has seen.")
    ],
) -> SourceView:
    """Replaces the whole definition: omitted fields get their defaults. A header sent as *** keeps its value.
    An active run is not affected."""
    check_urls(definition.seeds, service.settings, "body.seeds")
    async with audit("source.change", target=definition.name, id=source_id):
        return await _view(service, await service.sources.change(source_id, definition, version))


@router.delete(
    "/sources/{source_id}",
    summary="Remove a source",
    status_code=204,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def remove_source(service: ServiceDep, audit: AuditDep, source_id: IdPath) -> None:
    """Removes the source and its jobs; what it has crawled stays. Refused while one of its runs is active."""
    async with audit("source.remove", id=source_id) as entry:
        entry.target = (await service.sources.remove(source_id)).name


@router.post(
    "/sources/{source_id}/enable",
    summary="Enable a source",
    response_model=SourceView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def enable_source(service: ServiceDep, audit: AuditDep, source_id: IdPath) -> SourceView:
    """Creates or resumes the job of the source."""
    return await _set_enabled(service, audit, source_id, True)


@router.post(
    "/sources/{source_id}/disable",
    summary="Disable a source",
    response_model=SourceView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def disable_source(service: ServiceDep, audit: AuditDep, source_id: IdPath) -> SourceView:
    """Pauses the job of the source. An active run continues to its end."""
    return await _set_enabled(service, audit, source_id, False)


async def _set_enabled(service: Service, audit: AuditDep, source_id: int, enabled: bool) -> SourceView:
    async with audit(f"source.{'enable' if enabled else 'disable'}", id=source_id) as entry:
        synced = await service.sources.set_enabled(source_id, enabled)
        entry.target = synced.source.name
        entry.detail["job"] = synced.step
        return await _view(service, synced.source)


async def _view(service: Service, source: Source) -> SourceView:
    return (await _view_all(service, [source]))[0]


async def _view_all(service: Service, sources: Sequence[Source]) -> list[SourceView]:
    jobs = await service.sources.list_jobs([source.id for source in sources])
    job_ids = [job.id for job in jobs.values()]
    lasts = await service.access.read(partial(list_last_executions, job_ids=job_ids))
    return [_format(source, _format_job(jobs.get(source.id), lasts)) for source in sources]


def _format_job(job: Job | None, lasts: Mapping[int, Execution]) -> SourceJob | None:
    if job is None:
        return None
    last = lasts.get(job.id)
    shown = None if last is None else LastExecution.model_validate(last)
    return SourceJob.model_validate(job).model_copy(update={"last_execution": shown})


def _format(source: Source, job: SourceJob | None) -> SourceView:
    found = read_definition(source)
    definition = None if isinstance(found, UnreadableSource) else found
    return SourceView(
        id=source.id,
        name=source.name,
        enabled=source.enabled,
        version=source.version,
        created_at=source.created_at,
        updated_at=source.updated_at,
        definition=definition,
        unreadable=str(found) if isinstance(found, UnreadableSource) else None,
        warnings=[] if definition is None else list_warnings(definition),
        job=job,
    )
