"""The sitemaps of domains."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import find_name
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.records.sitemaps import LastmodTrust, SitemapKind
from tenax.records.urls import Fate, SitemapOrigin
from tenax.stores.queries.sitemaps import SitemapFilter, slice_sitemaps

router = new_router("sitemaps")

Sort = Literal["id", "-id", "-entries", "-read_at"]


class SitemapView(Schema):
    id: int = Field(description="The id of its URL.")
    url: str = Field(examples=["https://example.com/sitemap.xml"])
    domain: str = Field(examples=["example.com"])
    origin: SitemapOrigin = Field(description="Where it was named.")
    hosts: list[str] = Field(description="Other domains whose URLs it may list: their robots.txt name it.")
    level: int = Field(description="How many sitemap indexes led to it.")
    kind: SitemapKind | None = Field(description="null: it was never read, or it is no sitemap.")
    fate: Fate
    status: int | None = Field(description="null: there was no response.")
    entries: int = Field(description="Addresses that were read.")
    refused: int = Field(description="Addresses of other hosts, out of scope, invalid or beyond a limit.")
    added: int = Field(description="Addresses that were not known to the worker that read it.")
    images: int = Field(description="Images that it names. They are stored with the pages that show them.")
    body_bytes: int = Field(description="Its size, uncompressed.")
    lastmod: LastmodTrust = Field(
        description="Whether its dates say when pages changed. `ignored`: they say when it was made."
    )
    read_at: datetime | None
    revisit_at: datetime | None = Field(description="When it is due again; null: never, or it waits.")
    error: str | None = Field(description="Why it was not read, or not to its end; null: no error.")


@router.get("/sitemaps", summary="List sitemaps", response_model=Part[SitemapView], **allow(Role.USER))
async def list_sitemaps(
    service: ServiceDep,
    domain: Annotated[
        str | None,
        Query(max_length=300, description="Only sitemaps of this domain.", examples=["example.com"]),
    ] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "id",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[SitemapView]:
    """Returns all addresses that were named as sitemaps, whether they could be read or not."""
    wanted = parse_slice(sort, limit, cursor)
    only = SitemapFilter(domain=None if domain is None else find_name(domain))
    found = await service.access.read(partial(slice_sitemaps, wanted=wanted, only=only))
    return format_part(found, SitemapView, sort)
