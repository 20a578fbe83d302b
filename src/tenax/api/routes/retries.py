"""Retries: visit URLs again that were given up, or any known URLs."""

from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import Problem, invalid, not_found
from tenax.api.middleware.auditing import AuditDep, RequestAudit
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.parameters import LARGEST_ID, LARGEST_NUMBER, Text, find_name, get_domain_id
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.api.url_checks import Urls, parse_urls
from tenax.records.items import MAX_KIND_CHARS
from tenax.stores.commands.item_retries import ShownItems, count_shown, retry_shown
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

# A request takes seconds, not minutes: for more URLs, the caller repeats it.
MOST_AT_ONCE = 50_000


class Dead(BaseModel):
    """Selects URLs that were given up; an empty object selects all dead URLs."""

    model_config = ConfigDict(extra="forbid")

    reasons: list[RetryReason] = Field(
        default_factory=list,
        max_length=len(RetryReason),
        description="Only URLs given up for one of these reasons. Quarantined, rejected and trapped "
        "URLs are included only if listed here.",
        examples=[["timeout", "http_5xx"]],
    )
    domain: str | None = Field(
        None, min_length=1, max_length=300, description="Only URLs of this domain.", examples=["example.com"]
    )
    run_id: int | None = Field(
        None, ge=1, le=LARGEST_NUMBER, description="Only URLs with a failed visit in this run.", examples=[7]
    )
    q: Text | None = Field(None, description="Only URLs that contain this text.", examples=["shop"])


class Shown(BaseModel):
    """Selects URLs that show an item, or items of a kind or domain, or invalid items: requires `item_id`, or
    else `kind`, `domain` or `is_invalid`."""

    model_config = ConfigDict(extra="forbid")

    item_id: int | None = Field(None, ge=1, le=LARGEST_ID, description="The item.", examples=[42])
    kind: str | None = Field(
        None,
        min_length=1,
        max_length=MAX_KIND_CHARS,
        description="All items of this kind.",
        examples=["product"],
    )
    is_invalid: bool = Field(
        False, description="Those that break the schema of their parser, instead of the items."
    )
    source: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description="Only items of this source or crawl.",
        examples=["docs"],
    )
    domain: str | None = Field(
        None, min_length=1, max_length=300, description="Only items of this domain.", examples=["example.com"]
    )


class RetryBody(BaseModel):
    """Requires one of `urls`, `dead` and `items`."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [{"dead": {"reasons": ["timeout"], "domain": "example.com"}, "dry_run": True}]
        },
    )

    urls: Urls | None = Field(None, description="Known URLs, regardless of their fate.")
    dead: Dead | None = None
    items: Shown | None = None
    dry_run: bool = Field(False, description="Only count, without changing anything.")


class RetryResult(Schema):
    urls: int = Field(description="The number of URLs that now wait for another visit, or would.")
    before: dict[str, int] = Field(
        description="What they were before: dead and rejected URLs by reason, others by fate.",
        examples=[{"timeout": 12, "fetched": 1}],
    )
    resting: int = Field(
        description="How many of them are in blocked or unreachable domains, which stay so until they are "
        "unblocked."
    )
    resting_domains: list[str] = Field(description="The first of these domains.", examples=[["example.org"]])
    trapped: int = Field(
        description="URLs that were not queued, as URLs like them are closed: opening the trap queues them."
    )
    closed: list[str] = Field(
        description="The first of these traps: the domain and the shape.",
        examples=[["example.com /calendar/{n}/{n}"]],
    )
    waiting: int = Field(description="Given URLs that are already waiting.")
    unknown: int = Field(description="Given URLs that are not known.")
    first_unknown: list[str] = Field(description="The first of the unknown URLs.")
    is_complete: bool = Field(
        description=f"false: there may be more than the about {MOST_AT_ONCE:,} URLs that one request "
        "handles; repeat the request to continue."
    )
    run_ids: list[int] = Field(description="Active runs that will visit them; empty: the next run will.")


@router.post(
    "/frontier/retry",
    summary="Visit URLs again",
    response_model=RetryResult,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def retry_frontier(service: ServiceDep, audit: AuditDep, body: RetryBody) -> RetryResult:
    """Queues URLs that were given up, that show items, or any known URLs for another visit, with their full
    number of attempts. The active run, or else the next one, visits them. Pages are requested conditionally
    and kept until the visit has ended. Repeating is safe: waiting URLs are not queued again."""
    if body.items is not None:
        return await _retry_shown(service, audit, body)
    only = await _parse_selection(service, body)
    urls = [] if body.urls is None else parse_urls(body.urls)
    if body.dry_run:
        return await _answer(service, await _count(service, only, urls))
    async with audit("frontier.retry", target=_find_target(only), **_describe(only, urls)) as entry:
        done = await _retry(service, only, urls, entry)
    return await _answer(service, done)


async def _retry_shown(service: Service, audit: AuditDep, body: RetryBody) -> RetryResult:
    shown = body.items
    if shown is None or body.urls is not None or body.dead is not None:
        raise invalid("Give one of urls, dead and items.", "body")
    selects = shown.kind is not None or shown.domain is not None or shown.is_invalid
    if (shown.item_id is None) != selects:
        raise invalid("Give either item_id, or some of kind, domain and is_invalid.", "body.items")
    domain = None if shown.domain is None else find_name(shown.domain, "body.items.domain")
    if domain is not None:
        await get_domain_id(service, domain)
    only = ShownItems(**{**shown.model_dump(), "domain": domain})
    if body.dry_run:
        return await _answer(service, await count_shown(service.access, only, most=MOST_AT_ONCE))
    async with audit("frontier.retry", **shown.model_dump()) as entry:
        done = await retry_shown(service.access, service.clock, only, most=MOST_AT_ONCE)
        entry.detail["queued"] = done.urls
    return await _answer(service, done)


async def _parse_selection(service: Service, body: RetryBody) -> GivenUp | None:
    """None: the request lists URLs."""
    if (body.urls is None) == (body.dead is None):
        raise invalid(
            "Give one of urls, dead and items; an empty object for dead selects all dead URLs.", "body"
        )
    if body.dead is None:
        return None
    dead = body.dead
    domain = None if dead.domain is None else find_name(dead.domain, "body.dead.domain")
    if domain is not None:
        await get_domain_id(service, domain)
    if dead.run_id is not None and not await service.access.read(partial(has_run, run_id=dead.run_id)):
        raise not_found(f"Run {dead.run_id}")
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
    if done.unknown and not (done.urls or done.waiting or done.trapped):
        is_one = done.unknown == 1
        subject = "The URL is not" if is_one else f"None of the {count_of(done.unknown, 'URL')} is"
        raise Problem(404, f"{subject} known: add {'it' if is_one else 'them'} to the frontier first.")
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
