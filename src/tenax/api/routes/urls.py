"""All known URLs and their fates."""

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
from tenax.records.urls import Fate, RejectionReason, ValidationStatus
from tenax.stores.queries import urls as url_lists
from tenax.stores.queries.urls import UrlFilter, slice_urls

router = new_router("urls")


class Url(Schema):
    id: int
    url: str = Field(examples=["https://example.com/about"])
    domain: str = Field(examples=["example.com"])
    fate: Fate
    reason: str | None = Field(description="The reason for the fate, as a code.", examples=["robots"])
    detail: str | None = Field(description="The reason for the fate, in words.")
    validation_status: ValidationStatus | None = Field(
        description="Of a rejected URL. `soft`: a browser may get the page; `hard`: it turns crawlers away, "
        "or there is no site."
    )
    rejection_reason: RejectionReason | None = Field(
        description="Why the answer of a rejected URL is no page.", examples=["bot_check"]
    )
    to_url: str | None = Field(description="The URL that it redirects to or is a duplicate of.")
    depth: int = Field(description="Number of links from a seed.")
    priority: PriorityField
    attempts: int = Field(description="Consecutive failed visits.")
    status: int | None = Field(description="The HTTP status of the last response.")
    is_seed: bool
    discovered_at: datetime
    found_on: str | None = Field(
        description="The page on which it was first found; null: it was added directly."
    )
    found_by: str = Field(
        description="How it was first found: `link`, `seed`, `sitemap`, `feed`, `archive`, `pagination` or"
        " `probe`.",
        examples=["link"],
    )
    is_sitemap: bool = Field(description="Whether it is read as a sitemap.")
    fetched_at: datetime | None
    due_at: datetime | None = Field(description="When it is due for a visit; null: it does not wait.")
    revisit_at: datetime | None = Field(description="When a refresh queues it again.")
    run_id: int | None = Field(description="The run that last visited it; null: never visited.")
    response_headers: dict[str, str] | None = Field(
        description="The headers of the last response that `extract.response_headers` lists; null: it had "
        "none of them.",
        examples=[{"server": "nginx"}],
    )


@router.get("/urls", summary="List URLs", response_model=Part[Url], **allow(Role.USER))
async def list_urls(
    service: ServiceDep,
    url: UrlQuery = None,
    domain: DomainQuery = None,
    fate: FateQuery = None,
    reason: Annotated[
        Word | None, Query(description="Only URLs with this reason.", examples=["robots"])
    ] = None,
    q: TextQuery = None,
    run: VisitedInQuery = None,
    source: SourceQuery = None,
    since: SinceQuery = None,
    until: UntilQuery = None,
    sort: Annotated[
        Literal["id", "-id"], Query(description="By order of discovery; a leading minus reverses it.")
    ] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Url]:
    """Returns all URLs that were ever seen; `since` and `until` apply to when they were discovered. Without a
    domain, filters scan the list: a part may have few entries although more follow."""
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


@router.get("/urls/{id}", summary="Get a URL", response_model=Url, **allow(Role.USER, responses=(404,)))
async def get_url(service: ServiceDep, id: UrlIdPath) -> Url:
    """Returns the fate of the URL and the reason; `/explain` gives the full explanation."""
    found = await service.access.read(lambda connection: url_lists.find_url(connection, id))
    if found is None:
        raise not_found(f"URL {id}")
    return Url.model_validate(found)
