"""Sources as a file, and syncing all their jobs."""

import asyncio
from collections import Counter
from functools import partial
from typing import Annotated, Any

from fastapi import Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import Fault, Problem
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import YAML_TYPE, allow, new_router
from tenax.api.parameters import LARGEST_NUMBER
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import find_url_fault
from tenax.jobs.sources.changes import SourceChangeKind
from tenax.jobs.sources.definition import SourceDefinition, list_warnings
from tenax.jobs.sources.files import MOST_SOURCES, BadSourceFile, format_stored, parse_sources
from tenax.jobs.sources.job_sync import JobStep

router = new_router("sources")

_LIST = {
    "type": "array",
    "maxItems": MOST_SOURCES,
    "items": {"$ref": "#/components/schemas/SourceDefinition"},
}
_FILE = {"content": {YAML_TYPE: {"schema": _LIST}}}


class YamlResponse(Response):
    media_type = YAML_TYPE


class FieldView(Schema):
    field: str = Field(examples=["schedule.interval_minutes"])
    old: Any = Field(description="null: not given before.")
    new: Any = Field(description="null: no longer given.")


class ChangeView(Schema):
    kind: SourceChangeKind
    name: str
    fields: list[FieldView] = Field(description="The changed fields, with header values hidden.")


class Applied(BaseModel):
    is_done: bool = Field(description="false: a dry run; nothing was changed.")
    changes: list[ChangeView] = Field(description="Every source in the file, and those that are removed.")
    warnings: list[str] = Field(description="What is valid but may not be intended.")


class SyncedView(BaseModel):
    id: int
    name: str
    step: JobStep
    trouble: str | None = Field(description="Why the source cannot be read; null: it can.")


class SyncReport(BaseModel):
    created: int
    resumed: int
    paused: int
    changed: int = Field(description="Jobs whose schedule changed.")
    unchanged: int
    unreadable: int = Field(description="Sources that this version cannot read; their jobs stay as they are.")
    sources: list[SyncedView] = Field(description="Sources whose job was changed or cannot be read.")


def _allow_export() -> dict[str, Any]:
    rules = allow(Role.USER, responses=(404,))
    return {**rules, "responses": {**rules["responses"], 200: _FILE}}


@router.get(
    "/sources/export",
    summary="Export all sources as YAML",
    response_class=YamlResponse,
    **_allow_export(),
)
async def export_sources(
    service: ServiceDep,
    source_id: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only this source.")] = None,
) -> YamlResponse:
    """Returns a file for POST /api/v1/sources/apply. Header values are shown as ***, which keeps the stored
    value."""
    found = await service.sources.list_all() if source_id is None else [await service.sources.get(source_id)]
    return YamlResponse(format_stored(found))


def _allow_file() -> dict[str, Any]:
    rules = allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(409,))
    return {**rules, "openapi_extra": {**rules["openapi_extra"], "requestBody": {"required": True, **_FILE}}}


@router.post("/sources/apply", summary="Apply a file of sources", response_model=Applied, **_allow_file())
async def apply_sources(
    service: ServiceDep,
    audit: AuditDep,
    request: Request,
    dry_run: Annotated[bool, Query(description="Only return what would change.")] = False,
    prune: Annotated[bool, Query(description="Also remove sources that are not in the file.")] = False,
) -> Applied:
    """Makes the sources match a YAML list of definitions, in one transaction. Repeating is safe. Faults in
    the file are reported with their lines."""
    definitions = await _read(service, await request.body())
    if dry_run:
        changes = await service.sources.plan(definitions, prune=prune)
    else:
        async with audit("source.apply", count=len(definitions), prune=prune) as entry:
            changes = await service.sources.apply(definitions, prune=prune)
            entry.detail |= Counter(str(change.kind) for change in changes)
    return Applied(
        is_done=not dry_run,
        changes=[ChangeView.model_validate(change) for change in changes],
        warnings=[f"{each.name}: {warning}" for each in definitions for warning in list_warnings(each)],
    )


@router.post(
    "/admin/sync-enabled-sources",
    summary="Sync all jobs with their sources",
    response_model=SyncReport,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def sync_enabled_sources(service: ServiceDep, audit: AuditDep) -> SyncReport:
    """Makes the job of every source match it: enabled sources get an active job, jobs of disabled sources are
    paused. Repeating is safe."""
    async with audit("source.sync") as entry:
        synced = await service.sources.sync()
        counts = Counter(each.step for each in synced)
        entry.detail |= {step.value: counts[step] for step in JobStep}
    moved = [each for each in synced if each.step is not JobStep.UNCHANGED]
    return SyncReport(
        **{step.value: counts[step] for step in JobStep},
        sources=[
            SyncedView(id=each.source.id, name=each.source.name, step=each.step, trouble=each.trouble)
            for each in moved
        ],
    )


async def _read(service: Service, body: bytes) -> list[SourceDefinition]:
    check_seed = partial(find_url_fault, settings=service.settings)
    try:
        # In a thread: a large file takes a second.
        return await asyncio.to_thread(
            parse_sources, body.decode(), name="sources.yaml", check_seed=check_seed
        )
    except UnicodeDecodeError as error:
        raise Problem(422, "The file is not UTF-8 text.") from error
    except BadSourceFile as error:
        faults = [Fault(where=f"line {each.line}", message=each.message) for each in error.faults]
        raise Problem(
            422, "The file is not valid, so nothing was changed: see faults.", faults=faults
        ) from error
