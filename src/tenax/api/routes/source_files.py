"""Sources as a file, and all their jobs at once."""

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
    old: Any = Field(description="null: it was left out.")
    new: Any = Field(description="null: it is left out.")


class ChangeView(Schema):
    kind: SourceChangeKind
    name: str
    fields: list[FieldView] = Field(description="What headers say is hidden.")


class Applied(BaseModel):
    is_done: bool = Field(description="false: it was only asked for.")
    changes: list[ChangeView] = Field(description="Every source of the file, and those that are removed.")
    warnings: list[str] = Field(description="What works and is perhaps not meant.")


class SyncedView(BaseModel):
    id: int
    name: str
    step: JobStep
    trouble: str | None = Field(description="Why it cannot be read; null: it can.")


class SyncReport(BaseModel):
    created: int
    resumed: int
    paused: int
    changed: int = Field(description="Jobs with another schedule.")
    unchanged: int
    unreadable: int = Field(description="Sources that this version cannot read; their jobs stay as they are.")
    sources: list[SyncedView] = Field(description="Those whose job is not as it was.")


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
    source_id: Annotated[int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only this one.")] = None,
) -> YamlResponse:
    """A file for POST /api/v1/sources/apply. Headers come as ***, which keeps what is stored."""
    found = await service.sources.list_all() if source_id is None else [await service.sources.get(source_id)]
    return YamlResponse(format_stored(found))


def _allow_file() -> dict[str, Any]:
    rules = allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(409,))
    return {**rules, "openapi_extra": {**rules["openapi_extra"], "requestBody": {"required": True, **_FILE}}}


@router.post(
    "/sources/apply", summary="Make the sources what a file says", response_model=Applied, **_allow_file()
)
async def apply_sources(
    service: ServiceDep,
    audit: AuditDep,
    request: Request,
    dry_run: Annotated[bool, Query(description="Only tell what would be done.")] = False,
    prune: Annotated[bool, Query(description="Also remove the sources that are not in it.")] = False,
) -> Applied:
    """A YAML list of definitions: all of it in one transaction, or nothing. Repeating is safe. The faults of
    a file name its lines."""
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
    summary="Make all jobs what their sources say",
    response_model=SyncReport,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def sync_enabled_sources(service: ServiceDep, audit: AuditDep) -> SyncReport:
    """Enabled sources have a job that runs, disabled ones none or one that rests. Repeating is safe."""
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
        # A large file takes a second, and others wait.
        return await asyncio.to_thread(
            parse_sources, body.decode(), name="sources.yaml", check_seed=check_seed
        )
    except UnicodeDecodeError as error:
        raise Problem(422, "The file is not UTF-8 text.") from error
    except BadSourceFile as error:
        faults = [Fault(where=f"line {each.line}", message=each.message) for each in error.faults]
        raise Problem(
            422, "The file cannot be used, and nothing was done: see faults.", faults=faults
        ) from error
