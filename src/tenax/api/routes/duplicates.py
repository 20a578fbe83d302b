"""Duplicates: pages that others repeat, with the pages that repeat them."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import DomainQuery, SourceQuery, find_domain
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.stores.queries.duplicates import MOST_MEMBERS, ClusterFilter, Likeness, slice_clusters

router = new_router("pages")

SORT = "id"


class ClusterMember(Schema):
    id: int = Field(description="The id of the page's URL.")
    url: str = Field(examples=["https://example.com/about?print=1"])
    likeness: Likeness = Field(description="`exact`: its text is the same; `near`: nearly the same.")
    bits: int | None = Field(
        description="In how many of 64 bits the fingerprints differ; null: one of the texts has none.",
        examples=[2],
    )
    fetched_at: datetime


class DuplicateCluster(Schema):
    id: int = Field(description="The id of the original's URL.")
    url: str = Field(description="The original.", examples=["https://example.com/about"])
    domain: str = Field(examples=["example.com"])
    title: str | None
    size: int = Field(description="Number of pages, with the original.")
    exact: int = Field(description="Pages with the same text.")
    near: int = Field(description="Pages with nearly the same text.")
    members: list[ClusterMember] = Field(
        description=f"The first {MOST_MEMBERS} pages that repeat the original."
    )


@router.get(
    "/duplicates", summary="List duplicates", response_model=Part[DuplicateCluster], **allow(Role.USER)
)
async def list_duplicates(
    service: ServiceDep,
    domain: DomainQuery = None,
    source: SourceQuery = None,
    kind: Annotated[Likeness | None, Query(description="Only clusters with such pages.")] = None,
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[DuplicateCluster]:
    """Returns clusters of stored pages that repeat each other, in the order in which their originals were
    discovered. Pages are scanned one by one: a part may have few entries although more follow."""
    wanted = parse_slice(SORT, limit, cursor)
    only = ClusterFilter(domain=find_domain(domain), source=source, likeness=kind)
    found = await service.access.read(lambda connection: slice_clusters(connection, wanted, only))
    return format_part(found, DuplicateCluster, SORT)
