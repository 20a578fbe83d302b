"""Sites: domains grouped by their registrable domain."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.queries.sites import slice_sites

router = new_router("domains")

Sort = Literal["name", "-domains", "-urls", "-pages", "-queued", "-requests", "-errors", "-last_crawled_at"]


class Site(Schema):
    """All domains of a site together, including subdomains and ports."""

    name: str = Field(examples=["example.com"])
    domains: int
    urls: int = Field(description="Known URLs.")
    pages: int = Field(description="Stored pages.")
    queued: int = Field(description="Waiting URLs.")
    requests: int
    errors: int = Field(description="Failed requests.")
    wire_bytes: int = Field(description="Body bytes as transferred.")
    last_crawled_at: datetime | None


@router.get("/sites", summary="List sites", response_model=Part[Site], **allow(Role.USER))
async def list_sites(
    service: ServiceDep,
    q: Annotated[str | None, Query(max_length=200, description="Only names that contain this text.")] = None,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "-urls",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[Site]:
    """Returns all known domains, grouped by site. `GET /domains?site=` lists the domains of one site."""
    wanted = parse_slice(sort, limit, cursor)
    found = await service.access.read(lambda connection: slice_sites(connection, wanted, q))
    return format_part(found, Site, sort)
