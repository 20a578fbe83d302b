"""The frontier: the urls that wait to be fetched."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import (
    DomainQuery,
    SinceQuery,
    SourceQuery,
    UntilQuery,
    UrlIdPath,
    VisitedInQuery,
    find_domain,
    find_instant,
)
from tenax.api.routes.urls import Url
from tenax.api.schemas import PriorityWord, Schema
from tenax.api.service import ServiceDep
from tenax.records.domains import DomainStatus
from tenax.records.urls import Fate
from tenax.stores.queries.frontier import FrontierFilter, find_waiting, slice_waiting

router = new_router("frontier")

SORT = "taken"  # the frontier has one order


class QueueView(Schema):
    domain: str
    queued: int
    delay_s: float = Field(description="The effective minimum delay between two requests, in seconds.")
    delay_source: str = Field(description="What determines that delay.")
    is_at_rest: bool = Field(description="The domain is blocked, unreachable or in a rest period.")
    rests_until: datetime | None = Field(description="null: it may be requested, or a user blocked it.")
    forecast_s: float = Field(description="The estimated time: number of URLs times delay.")


class FrontierStats(Schema):
    at: datetime = Field(
        description="When this was counted. The longer counting takes, the less often it is done."
    )
    queued: int = Field(description="Waiting URLs.")
    due: int = Field(description="Waiting URLs that are due now.")
    retrying: int = Field(description="Waiting URLs whose last visit failed.")
    queued_at_rest: int = Field(description="Waiting URLs whose domain rests.")
    priorities: dict[PriorityWord, int] = Field(description="Waiting URLs by priority.")
    domains: dict[DomainStatus, int] = Field(description="Waiting URLs by the status of their domain.")
    oldest_due_at: datetime | None
    next_avail_at: datetime | None = Field(description="When the next domain may be requested.")
    forecast_s: float = Field(
        description="A lower bound for the remaining time: the longest queue times its delay."
    )
    longest: list[QueueView] = Field(description="The queues that take longest.")


class WaitingView(Url):
    ahead: int = Field(description="URLs of the same domain that come first.")
    avail_at: datetime | None = Field(
        description="When its domain may be claimed; null: a worker holds it, or it is not available."
    )
    lease_expires_at: datetime | None = Field(
        description="When the lease of the worker that holds its domain expires."
    )


@router.get(
    "/frontier/stats",
    summary="Get frontier statistics",
    response_model=FrontierStats,
    **allow(Role.USER),
)
async def get_frontier_stats(service: ServiceDep) -> FrontierStats:
    """Returns how many URLs wait, where, and for how long."""
    status, backlog = await service.status.get(), await service.backlog.get()
    found = status.store
    return FrontierStats(
        at=status.at,
        queued=found.queued,
        due=backlog.due,
        retrying=found.fates.get(Fate.RETRYING, 0),
        queued_at_rest=found.queued_at_rest,
        priorities={word: backlog.priorities[word.priority] for word in PriorityWord},
        domains=dict(backlog.statuses),
        oldest_due_at=found.oldest_due_at,
        next_avail_at=found.next_avail_at,
        forecast_s=found.forecast_s,
        longest=[QueueView.model_validate(queue) for queue in found.queues],
    )


@router.get("/frontier/urls", summary="List waiting URLs", response_model=Part[Url], **allow(Role.USER))
@router.get(
    "/frontier",
    summary="List waiting URLs",
    name="get_frontier",
    response_model=Part[Url],
    **allow(Role.USER),
)
async def list_frontier_urls(
    service: ServiceDep,
    domain: DomainQuery = None,
    priority: Annotated[PriorityWord | None, Query(description="Only URLs with this priority.")] = None,
    fate: Annotated[
        Fate | None,
        Query(
            description="`queued`: never visited. `retrying`: the last visit failed. Other fates: waiting "
            "for another visit."
        ),
    ] = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Url]:
    """Returns waiting URLs by domain, and within a domain in the order in which they are fetched: by
    priority, then by due time. `since` and `until` apply to the due time."""
    wanted = parse_slice(SORT, limit, cursor)
    only = FrontierFilter(
        domain=find_domain(domain),
        priority=priority.priority if priority else None,
        fate=fate,
        run_id=run,
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_waiting(connection, wanted, only))
    return format_part(found, Url, SORT)


@router.get(
    "/frontier/{id}",
    summary="Get a waiting URL",
    name="get_frontier_entry",
    response_model=WaitingView,
    **allow(Role.USER, responses=(404,)),
)
@router.get(
    "/frontier/urls/{id}",
    summary="Get a waiting URL",
    response_model=WaitingView,
    **allow(Role.USER, responses=(404,)),
)
async def get_frontier_url(service: ServiceDep, id: UrlIdPath) -> WaitingView:
    """Returns what the URL waits for. A URL that does not wait is not found."""
    found = await service.access.read(lambda connection: find_waiting(connection, id))
    if found is None:
        raise not_found(f"Waiting URL {id}")
    return WaitingView.model_validate(
        {
            **Url.model_validate(found.url).model_dump(),
            "ahead": found.ahead,
            "avail_at": found.avail_at,
            "lease_expires_at": found.lease_expires_at,
        }
    )
