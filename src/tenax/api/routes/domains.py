"""Domains: the list, one in full, its receipt and its robots.txt; block, unblock and reset it."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import Problem, conflict, not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import (
    MAX_URL_CHARS,
    SinceQuery,
    SiteQuery,
    SourceQuery,
    UntilQuery,
    VisitedInQuery,
    find_instant,
    find_name,
    find_site,
)
from tenax.api.schemas import Schema
from tenax.api.service import Service, ServiceDep
from tenax.config.fetch import PRODUCT_TOKEN
from tenax.crawl.domains.robots_rules import build_rules
from tenax.policy.domain_states import ForbiddenTransition
from tenax.records.domains import BreakerState, DomainStatus, RobotsRecord
from tenax.records.urls import Fate
from tenax.stores.queries.domains import DomainFilter, DomainReport, find_domain, slice_domains

router = new_router("domains")

Sort = Literal[
    "name", "-urls", "-pages", "-queued", "-requests", "-errors", "-score", "-images", "-last_crawled_at"
]
NamePath = Annotated[
    str, Path(max_length=300, description="The name of the domain.", examples=["example.com"])
]


class Rules(Schema):
    """Rules that users have set for the domain, for every crawl and source; null: no rule."""

    delay_s: float | None = Field(description="Minimum seconds between two requests.")
    per_domain: int | None = Field(description="Maximum concurrent requests.")
    pages_per_run: int | None = Field(description="Maximum pages per run; 0: no limit.")
    is_active: bool = Field(description="false: nothing is requested from the domain, and its URLs wait.")


class Domain(Schema):
    name: str = Field(examples=["example.com"])
    site: str = Field(description="The registrable domain that it belongs to.")
    status: DomainStatus
    block_code: str | None = Field(description="Why it is blocked or unreachable, as a code.")
    block_reason: str | None = Field(description="Why it is blocked or unreachable, in words.")
    next_crawl_after: datetime | None = Field(description="When its rest period ends.")
    urls: int = Field(description="Known URLs.")
    pages: int = Field(description="Stored pages.")
    queued: int = Field(description="Waiting URLs.")
    requests: int
    wire_bytes: int = Field(description="Body bytes as transferred.")
    errors: int = Field(description="Failed requests.")
    error_rate: float | None
    delay_s: float = Field(description="The effective minimum delay between two requests, in seconds.")
    delay_source: str = Field(description="What determines that delay.")
    last_crawled_at: datetime | None
    revisit_at: datetime | None = Field(description="When the first of its pages is due for a revisit.")
    priority_score: int
    tier: int
    seed_rank: int | None
    source: str | None
    images_found: int
    images_stored: int
    image_yield_rate: float | None
    rules: Rules
    rules_by: str | None = Field(description="Who last changed the rules; null: they were never changed.")
    rules_at: datetime | None


class DomainEvent(Schema):
    at: datetime
    from_status: DomainStatus
    to_status: DomainStatus
    cause: str
    detail: str
    run_id: int | None = Field(description="null: done by a user.")


class BreakerView(Schema):
    state: BreakerState
    failures: int
    reopen_at: datetime | None


class LeaseView(Schema):
    uuid: str
    host: str
    pid: int
    expires_at: datetime


class InForce(Schema):
    value: float
    source: str = Field(description="What determines the value.", examples=["setting", "domain rule"])


class WayYield(Schema):
    way: str = Field(
        description="`link`, `seed`, `sitemap`, `feed`, `archive`, `pagination` or `probe`.",
        examples=["sitemap"],
    )
    urls: int = Field(description="URLs that were first found in this way.")
    pages: int = Field(description="How many of them are stored pages.")


class DomainDetail(Domain):
    fates: dict[Fate, int] = Field(description="Its URLs by fate.")
    breaker: BreakerView
    backoff_level: int
    backoff_until: datetime | None
    avail_at: datetime | None = Field(description="When it may be requested next; null: nothing is waiting.")
    lease: LeaseView | None = Field(description="The worker that holds the domain.")
    events: list[DomainEvent] = Field(description="Its status changes, oldest first.")
    depth_reached: int
    first_seen_at: datetime
    at_a_time: InForce = Field(description="Maximum concurrent requests.")
    page_limit: InForce = Field(description="Maximum pages per run; 0: no limit.")
    found_by: list[WayYield] = Field(description="Its URLs by the way in which they were found.")


class Gap(Schema):
    below_s: float | None = Field(
        description="The upper bound of this bucket, in seconds; null: no upper bound."
    )
    count: int


class Receipt(Schema):
    """How the domain was actually requested: every request that was sent, including robots.txt."""

    domain: str
    requests: int
    first_at: datetime | None
    last_at: datetime | None
    smallest_gap_s: float | None = Field(
        description="The smallest time between the starts of two consecutive requests."
    )
    smallest_gap_at: datetime | None
    median_gap_s: float | None = Field(description="Accurate to 2%.")
    gaps: list[Gap] = Field(description="A histogram of the gaps between requests.")
    failures: dict[str, int] = Field(description="Failed requests by kind.")
    delay_s: float
    delay_source: str
    per_domain: int = Field(description="Maximum concurrent requests.")
    per_domain_source: str = Field(description="What determines the value.")
    rules: Rules
    rules_by: str | None = Field(description="Who last changed the rules; null: they were never changed.")
    rules_at: datetime | None
    backoff_until: datetime | None


class RobotsVerdict(Schema):
    is_allowed: bool
    line_number: int | None = Field(
        description="The line of the rule that applies, from 1; null: no rule applies."
    )


class Robots(Schema):
    origin: str
    status: int | None = Field(description="null: there was no response.")
    fetched_at: datetime
    expires_at: datetime
    error: str | None = Field(description="Why nothing may be fetched; null: no error.")
    crawl_delay_s: float | None
    body: str = Field(description="The file as received, as text.")
    verdict: RobotsVerdict | None = Field(
        description="Whether the given path is allowed; null: no path was given."
    )


class ActionBody(BaseModel):
    reason: str = Field(
        "by hand",
        min_length=1,
        max_length=500,
        description="Recorded with the status change.",
        examples=["Requested by the site owner."],
    )


class Moved(BaseModel):
    name: str
    was: DomainStatus
    status: DomainStatus


@router.get("/domains", summary="List domains", response_model=Part[Domain], **allow(Role.USER))
async def list_domains(
    service: ServiceDep,
    status: Annotated[DomainStatus | None, Query(description="Only domains with this status.")] = None,
    q: Annotated[str | None, Query(max_length=200, description="Only names that contain this text.")] = None,
    site: SiteQuery = None,
    active: Annotated[bool | None, Query(description="Only active, or only deactivated, domains.")] = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "-urls",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Domain]:
    """Returns all known domains. `since` and `until` apply to when they were first seen."""
    wanted = parse_slice(sort, limit, cursor)
    only = DomainFilter(
        status=status,
        text=q,
        site=find_site(site),
        is_active=active,
        run_id=run,
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_domains(connection, wanted, only))
    return format_part(found, Domain, sort)


@router.get(
    "/domains/{name}",
    summary="Get a domain",
    response_model=DomainDetail,
    **allow(Role.USER, responses=(404,)),
)
async def get_domain(service: ServiceDep, name: NamePath) -> DomainDetail:
    """Returns the domain with its status, statistics, rules, history and current worker."""
    return await load_detail(service, find_name(name))


async def load_detail(service: Service, domain: str) -> DomainDetail:
    report = await _load(service, domain)
    return DomainDetail.model_validate(
        {
            **Domain.model_validate(report.summary).model_dump(),
            **{each: getattr(report, each) for each in DomainDetail.model_fields if hasattr(report, each)},
        }
    )


@router.get(
    "/domains/{name}/receipt",
    summary="Get the politeness receipt of a domain",
    response_model=Receipt,
    **allow(Role.USER, responses=(404,)),
)
async def get_receipt(service: ServiceDep, name: NamePath) -> Receipt:
    """Returns statistics of all gaps between requests, counted from the log of visits. A long log is counted
    once, and the result is kept; while it is being counted, the response is 503 and reports the progress."""
    domain = find_name(name)
    report = await service.receipts.load(domain)
    if report is None or report.receipt is None:
        raise _unknown(domain)
    receipt = report.receipt
    return Receipt(
        domain=report.summary.name,
        requests=receipt.requests,
        first_at=receipt.first_at,
        last_at=receipt.last_at,
        smallest_gap_s=receipt.smallest_gap_s,
        smallest_gap_at=receipt.smallest_gap_at,
        median_gap_s=receipt.median_gap_s,
        gaps=[Gap.model_validate(gap) for gap in receipt.gaps],
        failures=dict(report.failures),
        delay_s=report.summary.delay_s,
        delay_source=report.summary.delay_source,
        per_domain=int(report.at_a_time.value),
        per_domain_source=report.at_a_time.source,
        rules=Rules.model_validate(report.summary.rules),
        rules_by=report.summary.rules_by,
        rules_at=report.summary.rules_at,
        backoff_until=report.backoff_until,
    )


@router.get(
    "/domains/{name}/robots",
    summary="Get the stored robots.txt of a domain",
    response_model=list[Robots],
    **allow(Role.USER, responses=(404,)),
)
async def get_robots(
    service: ServiceDep,
    name: NamePath,
    path: Annotated[
        str | None,
        Query(
            pattern="^/",
            max_length=MAX_URL_CHARS,
            description="A path to check against the rules.",
            examples=["/a"],
        ),
    ] = None,
) -> list[Robots]:
    """Returns one file per origin: http, https and each port have their own robots.txt."""
    report = await _load(service, name)
    return [_format_robots(record, path) for record in report.robots]


@router.post(
    "/domains/{name}/block",
    summary="Block a domain",
    response_model=Moved,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def block_domain(service: ServiceDep, audit: AuditDep, name: NamePath, body: ActionBody) -> Moved:
    """Stops requests to the domain until it is unblocked. Its URLs keep waiting."""
    domain = find_name(name)
    async with audit("domain.block", target=domain, reason=body.reason):
        return _format_move(
            domain, await service.stores.domains.block(domain, body.reason), DomainStatus.BLOCKED
        )


@router.post(
    "/domains/{name}/unblock",
    summary="Unblock a domain",
    response_model=Moved,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def unblock_domain(service: ServiceDep, audit: AuditDep, name: NamePath, body: ActionBody) -> Moved:
    """Unblocks a blocked or unreachable domain and clears its failures."""
    domain = find_name(name)
    async with audit("domain.unblock", target=domain, reason=body.reason):
        try:
            was = await service.stores.domains.unblock(domain, body.reason)
        except ForbiddenTransition as error:
            raise conflict(f"The domain {domain} is neither blocked nor unreachable.") from error
        return _format_move(domain, was, DomainStatus.PENDING)


@router.post(
    "/admin/domains/{name}/reset",
    summary="Reset a domain",
    response_model=Moved,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def reset_domain(service: ServiceDep, audit: AuditDep, name: NamePath, body: ActionBody) -> Moved:
    """Queues all URLs of the domain for another visit. Stored pages stay until they are replaced."""
    domain = find_name(name)
    async with audit("domain.reset", target=domain, reason=body.reason):
        return _format_move(
            domain, await service.stores.domains.reset(domain, body.reason), DomainStatus.PENDING
        )


async def _load(service: Service, name: str) -> DomainReport:
    domain = find_name(name)
    report = await service.access.read(lambda connection: find_domain(connection, domain))
    if report is None:
        raise _unknown(domain)
    return report


def _format_move(domain: str, was: DomainStatus | None, now: DomainStatus) -> Moved:
    if was is None:
        raise _unknown(domain)
    return Moved(name=domain, was=was, status=now)


def _unknown(domain: str) -> Problem:
    return not_found(f"The domain {domain}")


def _format_robots(record: RobotsRecord, path: str | None) -> Robots:
    rules = build_rules(record).rules
    return Robots(
        origin=record.origin,
        status=record.status,
        fetched_at=record.fetched_at,
        expires_at=record.expires_at,
        error=record.error,
        crawl_delay_s=rules.crawl_delay(agent=PRODUCT_TOKEN),
        body=record.body.decode("utf-8", "replace"),
        verdict=None if path is None else RobotsVerdict.model_validate(rules.match(record.origin + path)),
    )
