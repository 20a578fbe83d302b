"""What an administrator wants visited again: urls that were given up, or any known ones by name."""

from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import Problem, invalid, not_found
from tenax.api.middleware.auditing import AuditDep, RequestAudit
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import LARGEST_NUMBER, Text, find_name, get_domain_id
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import Urls, parse_urls
from tenax.stores.commands.retries import (
    Retried,
    count_given_up,
    count_urls,
    list_running,
    retry_given_up,
    retry_urls,
)
from tenax.stores.queries.given_up import GivenUp, RetryReason, has_run
from tenax.wording import count_of

router = new_router("frontier")

# A request takes seconds, not minutes: whoever has more says it again.
MOST_AT_ONCE = 50_000


class Dead(BaseModel):
    """Which of the urls that were given up; an empty object: all that are dead."""

    model_config = ConfigDict(extra="forbid")

    reasons: list[RetryReason] = Field(
        default_factory=list,
        max_length=len(RetryReason),
        description="Given up for one of these. Quarantined urls are meant only if that is among them.",
        examples=[["timeout", "http_5xx"]],
    )
    domain: str | None = Field(
        None, min_length=1, max_length=300, description="Of this domain.", examples=["example.com"]
    )
    run_id: int | None = Field(
        None, ge=1, le=LARGEST_NUMBER, description="A visit of theirs failed in this run.", examples=[7]
    )
    q: Text | None = Field(None, description="With this in their url.", examples=["shop"])


class RetryBody(BaseModel):
    """Either `urls` or `dead`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"dead": {"reasons": ["timeout"], "domain": "example.com"}, "dry_run": True}]
        },
    )

    urls: Urls | None = Field(None, description="Known urls, whatever became of them.")
    dead: Dead | None = None
    dry_run: bool = Field(False, description="Only count; change nothing.")


class RetryResult(Schema):
    urls: int = Field(description="How many wait for another visit now, or would.")
    before: dict[str, int] = Field(
        description="What they were: dead ones by their reason, others by their fate.",
        examples=[{"timeout": 12, "fetched": 1}],
    )
    resting: int = Field(
        description="Of them, in domains that are blocked or unreachable, and stay so until somebody unblocks"
        " them."
    )
    resting_domains: list[str] = Field(description="The first of these domains.", examples=[["example.org"]])
    waiting: int = Field(description="Urls that were named and wait already.")
    unknown: int = Field(description="Urls that were named and are not known.")
    first_unknown: list[str] = Field(description="The first of these.")
    is_complete: bool = Field(
        description=f"False: there may be more than the {MOST_AT_ONCE:,} or so that one request takes on; the"
        " same request again goes on."
    )
    run_ids: list[int] = Field(description="Runs under way that visit them; none: the next run does.")


@router.post(
    "/frontier/retry",
    summary="Visit urls again",
    response_model=RetryResult,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def retry_frontier(service: ServiceDep, audit: AuditDep, body: RetryBody) -> RetryResult:
    """Urls that were given up, or any known ones by name. They get all their attempts again, and the run
    under way visits them, or the next one. Pages are asked for conditionally and kept until the visit has
    ended. Repeating is safe: what waits is not queued again."""
    only = await _parse_selection(service, body)
    urls = [] if body.urls is None else parse_urls(body.urls)
    if body.dry_run:
        return await _answer(service, await _count(service, only, urls))
    async with audit("frontier.retry", target=_find_target(only), **_describe(only, urls)) as entry:
        done = await _retry(service, only, urls, entry)
    return await _answer(service, done)


async def _parse_selection(service: Service, body: RetryBody) -> GivenUp | None:
    """None: urls are named."""
    if (body.urls is None) == (body.dead is None):
        raise invalid("Give either urls, or dead: an empty object means all urls that are dead.", "body")
    if body.dead is None:
        return None
    dead = body.dead
    domain = None if dead.domain is None else find_name(dead.domain, "body.dead.domain")
    if domain is not None:
        await get_domain_id(service, domain)
    if dead.run_id is not None and not await service.access.read(partial(has_run, run_id=dead.run_id)):
        raise not_found(f"The run {dead.run_id}")
    return GivenUp(reasons=frozenset(dead.reasons), domain=domain, run_id=dead.run_id, text=dead.q)


async def _count(service: Service, only: GivenUp | None, urls: list[str]) -> Retried:
    if only is None:
        return _get_known(await count_urls(service.access, urls))
    return await count_given_up(service.access, only, most=MOST_AT_ONCE)


async def _retry(service: Service, only: GivenUp | None, urls: list[str], entry: RequestAudit) -> Retried:
    if only is None:
        done = await retry_urls(service.access, service.clock, urls)
    else:
        done = await retry_given_up(service.access, service.clock, only, most=MOST_AT_ONCE)
    entry.detail["queued"] = done.urls
    return done if only is not None else _get_known(done)


def _get_known(done: Retried) -> Retried:
    if done.unknown and not (done.urls or done.waiting):
        who = "This url is not" if done.unknown == 1 else f"None of {count_of(done.unknown, 'url')} is"
        raise Problem(404, f"{who} known: add it to the frontier first.")
    return done


def _find_target(only: GivenUp | None) -> str | None:
    return None if only is None else only.domain


def _describe(only: GivenUp | None, urls: list[str]) -> dict[str, Any]:
    """For the audit log."""
    if only is None:
        return {"urls": urls[:20], "count": len(urls)}
    return {"reasons": sorted(only.reasons), "run_id": only.run_id, "q": only.text}


async def _answer(service: Service, done: Retried) -> RetryResult:
    running = await service.access.read(partial(list_running, sources=done.sources))
    fields = {name: getattr(done, name) for name in RetryResult.model_fields if name != "run_ids"}
    return RetryResult(**fields, run_ids=running)
