"""Start a run, pause it, resume it, cancel it."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.parameters import RunIdPath
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import CrawlName, Urls, check_urls
from tenax.clock import Instant
from tenax.config.crawl import LimitSettings, PaceUnit, ScopeSettings, SitemapSettings
from tenax.config.fetch import ExtractSettings
from tenax.config.section import Section
from tenax.config.settings import Settings
from tenax.policy.budget import lift_domain_cap
from tenax.records.jobs import Recrawl
from tenax.records.runs import RunState
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
_PARTICIPLES = {"pause": "paused", "resume": "resumed", "cancel": "cancelled"}


class NewRun(BaseModel):
    """What to crawl. Omitted fields come from the server's settings."""

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

    urls: Urls | None = Field(
        None, description="Where to start; omit them to continue with the waiting URLs of the crawl."
    )
    name: CrawlName | None = Field(
        None,
        description="The name of the crawl. Without it, the crawl is named after the first URL; without "
        "URLs, it is the only crawl with waiting URLs.",
    )
    scope: ScopeSettings | None = Field(None, description="Which links to follow.")
    limits: LimitSettings | None = None
    delay_s: float | None = Field(
        None,
        ge=0,
        le=86_400,
        description="Minimum seconds between two requests to a domain; robots.txt may require more.",
    )
    share_pace: PaceUnit | None = Field(
        None, description="What shares one request rate: each domain, or each site with all its subdomains."
    )
    extract: ExtractSettings | None = Field(None, description="Which part of a page counts as its text.")
    sitemaps: SitemapSettings | None = Field(None, description="Whether and how to read sitemaps.")
    refresh: bool = Field(False, description="Also revisit known pages that are due.")


class TakenDomain(Schema):
    """A domain that belonged to another crawl or source until now."""

    domain: str
    owner: str = Field(description="The previous owner.", examples=["crawl https://example.com/"])
    urls: int = Field(description="URLs of the previous owner that wait until its next run.")


class RunView(Schema):
    id: int
    state: RunState
    started_at: datetime
    pages: int
    source_id: int = Field(description="The id of the crawl.")
    source_name: str = Field(description="The name of the crawl.")
    taken: list[TakenDomain] = Field(description="Domains that were taken over from other crawls or sources.")


class RunStateView(BaseModel):
    id: int
    state: RunState = Field(description="The new state. Workers follow within two seconds.")


class ResumedRun(RunStateView):
    taken: list[TakenDomain] = Field(description="Domains that were taken over from other crawls or sources.")


@router.post(
    "/runs",
    status_code=201,
    summary="Start a run",
    response_model=RunView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING, responses=(409,)),
)
async def start_run(service: ServiceDep, audit: AuditDep, body: NewRun) -> RunView:
    """Starts a run of a crawl. The run is durable when this returns; workers join it within a second or two.
    Runs of different crawls can be active concurrently. The response is 409 while another run of the same
    crawl is running or paused, or another run crawls one of the domains. A domain of a crawl that has no
    active run is taken over: its waiting URLs wait until that crawl runs again."""
    settings = _join(service.settings, body)
    await asyncio.to_thread(check_settings, settings)
    urls = check_urls(body.urls, settings) if body.urls else []
    settings = lift_domain_cap(settings, urls)
    async with audit("run.start", urls=urls[:20], count=len(urls)) as entry:
        crawl = await _find_crawl(service, body.name, urls)
        recrawl = Recrawl.DUE if body.refresh else Recrawl.NEW
        stores = service.stores.of_source(crawl.id)
        opened = await start(service.place, stores, settings, urls, recrawl=recrawl)
        if opened is None:
            raise conflict(
                f"A run of the crawl {crawl.name} is already running or paused: wait until it ends, resume "
                "it or cancel it first."
            )
        run = opened.run
        entry.target, entry.detail["crawl"] = f"run {run.id}", crawl.name
        if service.dispatch.queue is not None:
            now = service.clock.wall()
            await service.access.write(
                lambda connection: service.dispatch.enqueue(connection, run.id, DEFAULT_PRIORITY, now)
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
    """Find the crawl, or create it if there are URLs to start from."""
    crawls = service.stores.crawls
    if urls:
        return await crawls.ensure(name or name_crawl(urls[0]), urls[0] if name is None else None)
    if name is not None:
        found = await crawls.find(name)
        if found is None:
            raise conflict(f"There is no crawl named {name}: give URLs to start one.")
        return found
    waiting = list_waiting(await crawls.list())
    if len(waiting) != 1:
        names = ", ".join(each.name for each in waiting[:NAMED_AT_ONCE])
        raise conflict(
            f"Several crawls have waiting URLs ({names}): choose one by name, or give URLs."
            if waiting
            else "No URLs are waiting: give URLs to start with."
        )
    return Crawl(id=waiting[0].id, name=waiting[0].name)


def _list_taken(taking: TakeoverResult) -> list[TakenDomain]:
    return [TakenDomain.model_validate(each) for each in taking.taken]


@router.post(
    "/runs/{run_id}/pause",
    name="pause_run",
    summary="Pause a run",
    response_model=RunStateView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def pause(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunStateView:
    """Requests in progress finish and are stored; no further requests are sent until the run is resumed."""
    return await _apply(service, audit, run_id, "pause", pause_run)


@router.post(
    "/runs/{run_id}/resume",
    name="resume_run",
    summary="Resume a run",
    response_model=ResumedRun,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def resume(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> ResumedRun:
    """Resumes a paused run. Its domains return to it, including those that others took over meanwhile. If an
    active run has one of them, the response is 409 and the run stays paused."""
    async with audit("run.resume", target=f"run {run_id}"):
        resumed = await resume_in(service.place, service.stores, run_id)
        state = _check(
            run_id, "resume", RunActionResult(is_carried_out=resumed.is_carried_out, state=resumed.state)
        )
    return ResumedRun(id=run_id, state=state, taken=_list_taken(resumed.taking))


@router.post(
    "/runs/{run_id}/cancel",
    name="cancel_run",
    summary="Cancel a run",
    response_model=RunStateView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def cancel(service: ServiceDep, audit: AuditDep, run_id: RunIdPath) -> RunStateView:
    """Ends the run early. Waiting URLs stay in the frontier for the next run of the crawl."""
    return await _apply(service, audit, run_id, "cancel", cancel_run)


async def _apply(
    service: Service,
    audit: AuditDep,
    run_id: int,
    verb: str,
    apply: Callable[[Any, int, Instant], RunActionResult],
) -> RunStateView:
    def work(connection: Connection) -> RunActionResult:
        return apply(connection, run_id, tell_time(service.place, connection))

    async with audit(f"run.{verb}", target=f"run {run_id}"):
        state = _check(run_id, verb, await service.access.write(work))
    return RunStateView(id=run_id, state=state)


def _check(run_id: int, verb: str, done: RunActionResult) -> RunState:
    if done.state is None:
        raise not_found(f"Run {run_id}")
    if not done.is_carried_out:
        raise conflict(f"Run {run_id} is {done.state} and cannot be {_PARTICIPLES[verb]}.")
    return done.state


def _list_given(part: Section | None) -> dict[str, Any]:
    return {} if part is None else {name: getattr(part, name) for name in part.model_fields_set}


def _join(settings: Settings, body: NewRun) -> Settings:
    """The server's settings, overridden by the request."""
    given: dict[str, dict[str, Any]] = {
        "scope": _list_given(body.scope),
        "limits": _list_given(body.limits),
        "extract": _list_given(body.extract),
        "sitemaps": _list_given(body.sitemaps),
        "politeness": body.model_dump(include={"delay_s", "share_pace"}, exclude_none=True),
    }
    parts = {name: getattr(settings, name).model_copy(update=values) for name, values in given.items()}
    return settings.model_copy(update=parts)
