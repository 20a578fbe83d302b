"""Start a crawl, pause it, let it go on, cancel it."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, not_found
from tenax.api.intake import CrawlName, Urls, take_urls
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.parameters import RunIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.clock import Instant
from tenax.config import ExtractSettings, LimitSettings, PaceUnit, ScopeSettings, Section, Settings
from tenax.job_records import Recrawl
from tenax.policy.budget import lift_domain_cap
from tenax.records import RunState
from tenax.runtime.runs import resume_in
from tenax.runtime.runs import start_run as start
from tenax.runtime.settings import check_settings
from tenax.stores.commands.runs import RunActionResult, cancel_run, pause_run
from tenax.stores.connection import Connection
from tenax.stores.contracts.crawls import Crawl, list_waiting, name_crawl
from tenax.stores.contracts.takeover import TakeoverResult
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.tasks import DEFAULT_PRIORITY

router = new_router("runs")

NAMED_AT_ONCE = 10


class NewRun(BaseModel):
    """What to crawl. What is left out is as the server's settings have it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "urls": ["https://example.com/"],
                    "name": "example",
                    "scope": {"kind": "domain"},
                    "limits": {"max_pages": 1000},
                    "delay_s": 1.0,
                }
            ]
        },
    )

    urls: Urls | None = Field(None, description="Where to begin; none: with what waits of the crawl.")
    name: CrawlName | None = Field(
        None,
        description="The crawl that it is a run of. Without it, the one that is named by the first url;"
        " without that either, the only one that waits.",
    )
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


class TakenDomain(Schema):
    """It belonged to another crawl, or a source, until now."""

    domain: str
    owner: str = Field(description="Whose it was.", examples=["crawl https://example.com/"])
    urls: int = Field(description="That wait there until that goes on.")


class RunView(Schema):
    id: int
    state: RunState
    started_at: datetime
    pages: int
    source_id: int = Field(description="The crawl.")
    source_name: str = Field(description="Its name.")
    taken: list[TakenDomain] = Field(description="Domains that came from others.")


class RunOrder(BaseModel):
    id: int
    state: RunState = Field(description="From now on. Workers follow within two seconds.")


class ResumedRun(RunOrder):
    taken: list[TakenDomain] = Field(description="Domains that came from others.")


@router.post(
    "/runs",
    status_code=201,
    summary="Start a crawl",
    response_model=RunView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING, responses=(409,)),
)
async def start_run(service: ServiceDep, audit: AuditDep, order: NewRun) -> RunView:
    """It is durable when this answers; workers join it within a second or two. Runs of different crawls
    go side by side. While one of the same crawl is under way or paused, or another one crawls one of the
    domains, the answer is 409. A domain that another crawl has had, and nobody is at, is taken over: what
    waits there waits until that crawl goes on."""
    settings = _join(service.settings, order)
    await asyncio.to_thread(check_settings, settings)
    urls = take_urls(order.urls, settings) if order.urls else []
    settings = lift_domain_cap(settings, urls)
    async with audit("run.start", urls=urls[:20], count=len(urls)) as entry:
        crawl = await _find_crawl(service, order.name, urls)
        recrawl = Recrawl.DUE if order.refresh else Recrawl.NEW
        stores = service.stores.of_source(crawl.id)
        opened = await start(service.place, stores, settings, urls, recrawl=recrawl)
        if opened is None:
            raise conflict(
                f"A run of the crawl {crawl.name} is under way or paused: wait for its end, resume it or"
                " cancel it first."
            )
        run = opened.run
        entry.target, entry.detail["crawl"] = f"run {run.id}", crawl.name
        if service.dispatch.queue is not None:
            now = service.clock.wall()
            await service.access.write(
                lambda connection: service.dispatch.enlist(connection, run.id, DEFAULT_PRIORITY, now)
            )
        return RunView(
            id=run.id,
            state=run.state,
            started_at=run.started_at,
            pages=run.pages,
            source_id=crawl.id,
            source_name=crawl.name,
            taken=_list_taken(opened.taking),
        )


async def _find_crawl(service: Service, name: str | None, urls: Sequence[str]) -> Crawl:
    """Made where there is none, if it is told where to begin."""
    crawls = service.stores.crawls
    if urls:
        return await crawls.ensure(name or name_crawl(urls[0]), urls[0] if name is None else None)
    if name is not None:
        found = await crawls.find(name)
        if found is None:
            raise conflict(f"There is no crawl {name}: give it urls to begin with.")
        return found
    waiting = list_waiting(await crawls.list())
    if len(waiting) != 1:
        names = ", ".join(each.name for each in waiting[:NAMED_AT_ONCE])
        raise conflict(
            f"Several crawls wait, {names}: say which one with a name, or give urls."
            if waiting
            else "Nothing waits: give urls to begin with."
        )
    return Crawl(id=waiting[0].id, name=waiting[0].name)


def _list_taken(taking: TakeoverResult) -> list[TakenDomain]:
    return [TakenDomain.model_validate(each) for each in taking.taken]


@router.post(
    "/runs/{run_id}/pause",
    name="pause_run",
    summary="Pause a run",
    response_model=RunOrder,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def pause(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunOrder:
    """What is under way ends and is stored; nothing more is asked until it is resumed."""
    return await _order(service, audit, run_id, "pause", pause_run)


@router.post(
    "/runs/{run_id}/resume",
    name="resume_run",
    summary="Let a run go on",
    response_model=ResumedRun,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def resume(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> ResumedRun:
    """One that is paused. Its domains come back to it, also those that others have taken meanwhile; if a run
    that is under way has one that it needs, the answer is 409 and it stays paused."""
    async with audit("run.resume", target=f"run {run_id}"):
        resumed = await resume_in(service.place, service.stores, run_id)
        state = _check(
            run_id, "resume", RunActionResult(is_carried_out=resumed.is_carried_out, state=resumed.state)
        )
    return ResumedRun(id=run_id, state=state, taken=_list_taken(resumed.taking))


@router.post(
    "/runs/{run_id}/cancel",
    name="cancel_run",
    summary="End a run early",
    response_model=RunOrder,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def cancel(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunOrder:
    """What waits stays in the frontier for the next run of its crawl."""
    return await _order(service, audit, run_id, "cancel", cancel_run)


async def _order(
    service: Service,
    audit: AuditDep,
    run_id: int,
    verb: str,
    carry_out: Callable[[Any, int, Instant], RunActionResult],
) -> RunOrder:
    def work(connection: Connection) -> RunActionResult:
        return carry_out(connection, run_id, tell_time(service.place, connection))

    async with audit(f"run.{verb}", target=f"run {run_id}"):
        state = _check(run_id, verb, await service.access.write(work))
    return RunOrder(id=run_id, state=state)


def _check(run_id: int, verb: str, done: RunActionResult) -> RunState:
    if done.state is None:
        raise not_found(f"The run {run_id}")
    if not done.is_carried_out:
        raise conflict(f"Run {run_id} is {done.state}: it cannot be told to {verb}.")
    return done.state


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
