"""Which pages link to a url."""

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
    page_id: int = Field(description="Of the url of the page that links.")
    page: str = Field(examples=["https://example.com/"])
    title: str | None = Field(description="Of that page.")
    anchor: str = Field(description="The text of its first link that leads there.")
    rel: str = Field(examples=["nofollow"])
    tag: str = Field(description="The element that holds the link.", examples=["a"])


class InboundPart(Part[InboundLink]):
    """Some of the pages that link to a url."""

    looked_at: int = Field(description="Pages whose links were read for this part.")
    pages: int = Field(description="Pages that its domain has.")


@router.get(
    "/urls/{id}/inbound",
    summary="List the pages that link to a url",
    response_model=InboundPart,
    **allow(Role.USER, responses=(404,)),
)
async def list_inbound_links(
    service: ServiceDep,
    id: UrlIdPath,
    anywhere: Annotated[
        bool, Query(description="Among all pages; without it, among those of its domain.")
    ] = False,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> InboundPart:
    """However the link is spelled, as long as it is the same url. The links of one page after the other are
    read: a part may be short although there is more."""
    wanted = parse_slice(SORT, limit, cursor)
    found = await service.access.read(partial(slice_inbound, wanted=wanted, url_id=id, is_anywhere=anywhere))
    if found is None:
        raise not_found(f"The url {id}")
    return InboundPart(
        items=[InboundLink.model_validate(each) for each in found.items],
        next=format_cursor(found.next, SORT),
        looked_at=found.looked_at,
        pages=found.pages,
    )
