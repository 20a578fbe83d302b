"""Every known url and its fate."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import (
    DomainQuery,
    FateQuery,
    SinceQuery,
    SourceQuery,
    TextQuery,
    UntilQuery,
    UrlIdPath,
    UrlQuery,
    VisitedInQuery,
    Word,
    find_domain,
    find_instant,
    find_url,
)
from tenax.api.schemas import PriorityField, Schema
from tenax.api.service import ServiceDep
from tenax.records.urls import Fate
from tenax.stores.queries import urls as url_lists
from tenax.stores.queries.urls import UrlFilter, slice_urls

router = new_router("urls")


class Url(Schema):
    id: int
    url: str = Field(examples=["https://example.com/about"])
    domain: str = Field(examples=["example.com"])
    fate: Fate
    reason: str | None = Field(description="Why it has that fate, as a word.", examples=["robots"])
    detail: str | None = Field(description="The same in words.")
    to_url: str | None = Field(description="Where it redirects to, or what it is a duplicate of.")
    depth: int = Field(description="Links from a seed.")
    priority: PriorityField
    attempts: int = Field(description="Failed visits in a row.")
    status: int | None = Field(description="Of the last answer.")
    is_seed: bool
    discovered_at: datetime
    found_on: str | None = Field(description="The page that named it first; null: it was given.")
    fetched_at: datetime | None
    due_at: datetime | None = Field(description="From when it is wanted; null: it does not wait.")
    revisit_at: datetime | None = Field(description="From when a refresh queues it again.")
    run_id: int | None = Field(description="The run that visited it last; null: none did.")
    response_headers: dict[str, str] | None = Field(
        description="Of the last answer, those that `extract.response_headers` names; null: it had none.",
        examples=[{"server": "nginx"}],
    )


@router.get("/urls", summary="List known urls", response_model=Part[Url], **allow(Role.USER))
async def list_urls(
    service: ServiceDep,
    url: UrlQuery = None,
    domain: DomainQuery = None,
    fate: FateQuery = None,
    reason: Annotated[
        Word | None, Query(description="Only those with this reason.", examples=["robots"])
    ] = None,
    q: TextQuery = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[Literal["id", "-id"], Query(description="In the order of discovery.")] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Url]:
    """All that were ever seen; their date is when they were found. Without a domain, filters look at one url
    after the other: a part may be short although there is more."""
    wanted = parse_slice(sort, limit, cursor)
    only = UrlFilter(
        url=find_url(url),
        domain=find_domain(domain),
        fate=fate,
        reason=reason,
        text=q,
        run_id=run,
        source=source,
        since=find_instant(since),
        until=find_instant(until),
    )
    found = await service.access.read(lambda connection: slice_urls(connection, wanted, only))
    return format_part(found, Url, sort)


@router.get("/urls/{id}", summary="Get one url", response_model=Url, **allow(Role.USER, responses=(404,)))
async def get_url(service: ServiceDep, id: UrlIdPath) -> Url:
    """Its fate and the reason for it; `/explain` tells the whole story."""
    found = await service.access.read(lambda connection: url_lists.find_url(connection, id))
    if found is None:
        raise not_found(f"The url {id}")
    return Url.model_validate(found)
