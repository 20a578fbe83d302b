"""What waits to be fetched."""

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
    delay_s: float = Field(description="Least time between two requests, as in force.")
    delay_source: str = Field(description="What asks for that delay.")
    is_at_rest: bool = Field(description="It is blocked, unreachable or told to rest.")
    rests_until: datetime | None = Field(description="null: it may be asked, or a person blocked it.")
    forecast_s: float = Field(description="Urls times delay.")


class FrontierStats(Schema):
    at: datetime = Field(description="When this was counted: the longer that takes, the less often.")
    queued: int = Field(description="Urls that wait.")
    due: int = Field(description="Those of them that are wanted now.")
    retrying: int = Field(description="Those of them whose last visit failed.")
    queued_at_rest: int = Field(description="Those of them whose domain rests.")
    priorities: dict[PriorityWord, int] = Field(description="How many wait with which priority.")
    domains: dict[DomainStatus, int] = Field(description="How many wait in domains of which status.")
    oldest_due_at: datetime | None
    next_avail_at: datetime | None = Field(description="When the next domain may be asked.")
    forecast_s: float = Field(description="The longest queue times its delay: what is known takes longer.")
    longest: list[QueueView] = Field(description="The queues that take longest.")


class WaitingView(Url):
    ahead: int = Field(description="Urls of its domain that are wanted more.")
    avail_at: datetime | None = Field(description="When its domain may be claimed; null: not now, or held.")
    lease_expires_at: datetime | None = Field(description="Of the worker that holds its domain.")


@router.get(
    "/frontier/stats",
    summary="Get the frontier in numbers",
    response_model=FrontierStats,
    **allow(Role.USER),
)
async def get_frontier_stats(service: ServiceDep) -> FrontierStats:
    """How much waits, where, and for how long."""
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


@router.get("/frontier/urls", summary="List urls that wait", response_model=Part[Url], **allow(Role.USER))
@router.get(
    "/frontier",
    summary="List urls that wait",
    name="get_frontier",
    response_model=Part[Url],
    **allow(Role.USER),
)
async def list_frontier_urls(
    service: ServiceDep,
    domain: DomainQuery = None,
    priority: Annotated[PriorityWord | None, Query(description="Only those with this priority.")] = None,
    fate: Annotated[
        Fate | None,
        Query(
            description="`queued`: never visited. `retrying`: its last visit failed. Others: wanted again."
        ),
    ] = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Url]:
    """Domain by domain; within a domain in the order in which they are taken: by priority, then by the time
    since when they are wanted, which is their date."""
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
    summary="Get one url that waits",
    name="get_frontier_entry",
    response_model=WaitingView,
    **allow(Role.USER, responses=(404,)),
)
@router.get(
    "/frontier/urls/{id}",
    summary="Get one url that waits",
    response_model=WaitingView,
    **allow(Role.USER, responses=(404,)),
)
async def get_frontier_url(service: ServiceDep, id: UrlIdPath) -> WaitingView:
    """What it waits for. One that does not wait is not found here."""
    found = await service.access.read(lambda connection: find_waiting(connection, id))
    if found is None:
        raise not_found(f"A url {id} that waits")
    return WaitingView.model_validate(
        {
            **Url.model_validate(found.url).model_dump(),
            "ahead": found.ahead,
            "avail_at": found.avail_at,
            "lease_expires_at": found.lease_expires_at,
        }
    )
