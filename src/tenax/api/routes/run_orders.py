"""Start a crawl, pause it, let it go on, cancel it."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, Scope
from tenax.api.auditing import AuditDep
from tenax.api.errors import conflict, not_found
from tenax.api.guarding import Tier, allow, new_router
from tenax.api.intake import Urls, take_urls
from tenax.api.queries import RunIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.clock import Instant
from tenax.config import ExtractSettings, LimitSettings, PaceUnit, ScopeSettings, Section, Settings
from tenax.job_records import Recrawl
from tenax.policy.budget import lift_domain_cap
from tenax.records import RunState
from tenax.runtime import check_settings
from tenax.runtime import start_run as start
from tenax.stores.base import Run
from tenax.stores.reading import tell_time
from tenax.stores.run_orders import Order, cancel_run, pause_run, resume_run
from tenax.stores.tasks import DEFAULT_PRIORITY

router = new_router("runs")


class NewRun(BaseModel):
    """What to crawl. What is left out is as the server's settings have it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "urls": ["https://example.com/"],
                    "scope": {"kind": "domain"},
                    "limits": {"max_pages": 1000},
                    "delay_s": 1.0,
                }
            ]
        },
    )

    urls: Urls | None = Field(None, description="Where to begin; none: what waits in the frontier.")
    scope: ScopeSettings | None = Field(None, description="Which links are followed.")
    limits: LimitSettings | None = None
    delay_s: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="Least time between two requests to a domain; robots.txt may ask for more.",
    )
    share_pace: PaceUnit | None = Field(
        None, description="What has one pace: each domain, or each site with all its subdomains."
    )
    extract: ExtractSettings | None = Field(None, description="What of a page is its text.")
    refresh: bool = Field(False, description="Also visit again the pages whose time has come.")


class RunView(Schema):
    id: int
    state: RunState
    started_at: datetime
    pages: int


class RunOrder(BaseModel):
    id: int
    state: RunState = Field(description="From now on. Workers follow within two seconds.")


@router.post(
    "/runs",
    status_code=201,
    summary="Start a crawl",
    response_model=RunView,
    **allow(Role.ADMIN, scope=Scope.WRITE, tier=Tier.SEEDING, responses=(409,)),
)
async def start_run(service: ServiceDep, audit: AuditDep, order: NewRun) -> Run:
    """It is durable when this answers; workers join it within a second or two. Beside the runs
    of sources there is one at a time: while one is under way or paused, or a source's run crawls one of the
    domains, the answer is 409."""
    settings = _join(service.settings, order)
    await asyncio.to_thread(check_settings, settings)
    urls = take_urls(order.urls, settings) if order.urls else []
    settings = lift_domain_cap(settings, urls)
    async with audit("run.start", urls=urls[:20], count=len(urls)) as entry:
        run = await start(
            service.stores, settings, urls, recrawl=Recrawl.DUE if order.refresh else Recrawl.NEW
        )
        if run is None:
            raise conflict("A run is under way or paused: wait for its end or cancel it first.")
        entry.target = f"run {run.id}"
        if service.dispatch.queue is not None:
            now = service.clock.wall()
            await service.access.write(
                lambda connection: service.dispatch.enlist(connection, run.id, DEFAULT_PRIORITY, now)
            )
        return run


@router.post(
    "/runs/{run_id}/pause",
    name="pause_run",
    summary="Pause a run",
    response_model=RunOrder,
    **allow(Role.ADMIN, scope=Scope.WRITE, responses=(404, 409)),
)
async def pause(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunOrder:
    """What is under way ends and is stored; nothing more is asked until it is resumed."""
    return await _order(service, audit, run_id, "pause", pause_run)


@router.post(
    "/runs/{run_id}/resume",
    name="resume_run",
    summary="Let a run go on",
    response_model=RunOrder,
    **allow(Role.ADMIN, scope=Scope.WRITE, responses=(404, 409)),
)
async def resume(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunOrder:
    """One that is paused."""
    return await _order(
        service, audit, run_id, "resume", lambda connection, run_id, now: resume_run(connection, run_id)
    )


@router.post(
    "/runs/{run_id}/cancel",
    name="cancel_run",
    summary="End a run early",
    response_model=RunOrder,
    **allow(Role.ADMIN, scope=Scope.WRITE, responses=(404, 409)),
)
async def cancel(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunOrder:
    """What waits stays in the frontier for the next run."""
    return await _order(service, audit, run_id, "cancel", cancel_run)


async def _order(
    service: Service,
    audit: AuditDep,
    run_id: int,
    verb: str,
    carry_out: Callable[[Any, int, Instant], Order],
) -> RunOrder:
    def work(connection: Any) -> Order:
        return carry_out(connection, run_id, tell_time(service.place, connection))

    async with audit(f"run.{verb}", target=f"run {run_id}"):
        done = await service.access.write(work)
        if done.state is None:
            raise not_found(f"The run {run_id}")
        if not done.is_carried_out:
            raise conflict(f"Run {run_id} is {done.state}: it cannot be told to {verb}.")
    return RunOrder(id=run_id, state=done.state)


def _list_given(part: Section | None) -> dict[str, Any]:
    return {} if part is None else {name: getattr(part, name) for name in part.model_fields_set}


def _join(settings: Settings, order: NewRun) -> Settings:
    """The server's, with what the order says."""
    given: dict[str, dict[str, Any]] = {
        "scope": _list_given(order.scope),
        "limits": _list_given(order.limits),
        "extract": _list_given(order.extract),
        "politeness": order.model_dump(include={"delay_s", "share_pace"}, exclude_none=True),
    }
    parts = {name: getattr(settings, name).model_copy(update=values) for name, values in given.items()}
    return settings.model_copy(update=parts)
