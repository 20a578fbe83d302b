"""Inbound links: which pages link to a URL."""

from functools import partial
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.errors import not_found
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_cursor, parse_slice
from tenax.api.parameters import UrlIdPath
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.queries.inbound import slice_inbound

router = new_router("urls")

SORT = "page_id"


class InboundLink(Schema):
    page_id: int = Field(description="The id of the linking page's URL.")
    page: str = Field(examples=["https://example.com/"])
    title: str | None = Field(description="The title of the linking page.")
    anchor: str = Field(description="The text of its first link to the URL.")
    rel: str = Field(examples=["nofollow"])
    tag: str = Field(description="The HTML element of the link.", examples=["a"])


class InboundPart(Part[InboundLink]):
    """One part of the pages that link to a URL."""

    looked_at: int = Field(description="Pages whose links were searched for this part.")
    pages: int = Field(description="Pages of the URL's domain.")


@router.get(
    "/urls/{id}/inbound",
    summary="List the pages that link to a URL",
    response_model=InboundPart,
    **allow(Role.USER, responses=(404,)),
)
async def list_inbound_links(
    service: ServiceDep,
    id: UrlIdPath,
    anywhere: Annotated[
        bool, Query(description="Search all pages instead of only those of the URL's domain.")
    ] = False,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> InboundPart:
    """Returns pages that link to the URL in any spelling that normalizes to it. Pages are scanned one by one:
    a part may have few entries although more follow."""
    wanted = parse_slice(SORT, limit, cursor)
    found = await service.access.read(partial(slice_inbound, wanted=wanted, url_id=id, is_anywhere=anywhere))
    if found is None:
        raise not_found(f"URL {id}")
    return InboundPart(
        items=[InboundLink.model_validate(each) for each in found.items],
        next=format_cursor(found.next, SORT),
        looked_at=found.looked_at,
        pages=found.pages,
    )
