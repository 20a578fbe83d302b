"""The feeds of sources."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, LARGEST_NUMBER
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.feeds import FeedKind, FeedState
from tenax.stores.feeds.feeds import FeedFilter, request_poll, slice_feeds

router = new_router("feeds")

Sort = Literal["id", "-id", "url", "-entries_new"]
FeedIdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the feed.", examples=[3])]
SourceIdQuery = Annotated[
    int | None, Query(ge=1, le=LARGEST_NUMBER, description="Only feeds of this source.", examples=[1])
]


class FeedView(Schema):
    id: int
    source_id: int
    url: str = Field(examples=["https://example.com/feed.xml"])
    kind: FeedKind | None = Field(
        description="null: not requested yet; a guessed address, or linked from a page. `page`: a seed that "
        "is searched for feeds."
    )
    title: str | None
    state: FeedState
    interval_s: float = Field(description="The current seconds between two polls; it grows with failures.")
    next_poll_at: datetime | None = Field(description="null: the feed is no longer polled.")
    last_polled_at: datetime | None
    last_status: int | None = Field(description="null: there was no response.")
    error: str | None = Field(description="null: the last poll succeeded.")
    failures: int = Field(description="Consecutive failures.")
    entries_new: int = Field(description="URLs that were first found in this feed.")
    created_at: datetime


@router.get("/feeds", summary="List feeds", response_model=Part[FeedView], **allow(Role.USER))
async def list_feeds(
    service: ServiceDep,
    source_id: SourceIdQuery = None,
    state: Annotated[FeedState | None, Query(description="Only feeds in this state.")] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[FeedView]:
    """Returns the feeds of all sources, including addresses at which no feed was found."""
    wanted, only = parse_slice(sort, limit, cursor), FeedFilter(source_id=source_id, state=state)
    found = await service.access.read(partial(slice_feeds, wanted=wanted, only=only))
    return format_part(found, FeedView, sort)


@router.post(
    "/feeds/{feed_id}/poll",
    summary="Poll a feed now",
    response_model=FeedView,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def poll_feed(service: ServiceDep, audit: AuditDep, feed_id: FeedIdPath) -> FeedView:
    """Polls the feed within seconds, or as soon as its domain may be requested. This also works for a feed
    that was given up."""
    async with audit("feed.poll", target=f"feed {feed_id}"):
        found = await service.access.write(partial(request_poll, feed_id=feed_id, now=service.clock.now()))
        if found is None:
            raise not_found(f"Feed {feed_id}")
    return FeedView.model_validate(found)
