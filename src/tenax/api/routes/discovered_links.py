"""Links that lead out of scope: list them by domain, promote them to seeds, or hide them."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import not_found
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.paging import CursorQuery, LimitQuery, Part, format_part, parse_slice
from tenax.api.parameters import LARGEST_ID, Text
from tenax.api.schemas import Schema
from tenax.api.service import ServiceDep
from tenax.api.url_checks import check_urls
from tenax.crawl.run.promotion import promote
from tenax.stores.queries.discovered import (
    DiscoveredFilter,
    find_discovered,
    hide_discovered,
    load_link_urls,
    slice_discovered,
)

router = new_router("discovered links")

MOST_IDS = 500

Sort = Literal["-links", "-pages", "-last_seen_at", "-first_seen_at", "domain"]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of the discovered link.", examples=[3])]


class DiscoveredLink(Schema):
    id: int
    domain: str = Field(examples=["partner.example"])
    url: str = Field(description="The first link to this domain.")
    discovered_from: str | None = Field(description="The page with that link.")
    links: int = Field(description="Different URLs of the domain, as counted by each worker.")
    pages: int = Field(description="Pages on which one of them was first found.")
    first_seen_at: datetime
    last_seen_at: datetime
    is_hidden: bool


class Ids(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS, examples=[[3, 5]])


class Promoted(BaseModel):
    urls: list[str] = Field(description="The URLs that are now seeds.")


class Hidden(BaseModel):
    hidden: int


@router.get(
    "/discovered-links",
    summary="List out-of-scope links",
    response_model=Part[DiscoveredLink],
    **allow(Role.USER),
)
async def list_discovered_links(
    service: ServiceDep,
    q: Annotated[Text | None, Query(description="Only domains whose name contains this text.")] = None,
    hidden: Annotated[bool, Query(description="Include entries that were deleted from the list.")] = False,
    sort: Annotated[Sort, Query(description="A leading minus sorts in descending order.")] = "-links",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[DiscoveredLink]:
    """Returns one entry for every out-of-scope domain that pages link to."""
    wanted, only = parse_slice(sort, limit, cursor), DiscoveredFilter(text=q, with_hidden=hidden)
    found = await service.access.read(partial(slice_discovered, wanted=wanted, only=only))
    return format_part(found, DiscoveredLink, sort)


@router.get(
    "/discovered-links/{id}",
    summary="Get an out-of-scope link",
    response_model=DiscoveredLink,
    **allow(Role.USER, responses=(404,)),
)
async def get_discovered_link(service: ServiceDep, id: IdPath) -> DiscoveredLink:
    """Returns one out-of-scope domain."""
    found = await service.access.read(partial(find_discovered, id=id))
    if found is None:
        raise not_found(f"Discovered link {id}")
    return DiscoveredLink.model_validate(found)


@router.post(
    "/discovered-links/promote",
    summary="Promote out-of-scope links to seeds",
    response_model=Promoted,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING),
)
async def promote_discovered_links(service: ServiceDep, audit: AuditDep, body: Ids) -> Promoted:
    """Brings the domains into scope; workers apply it at their next claim."""
    # They were found on pages, which anyone may have written.
    check_urls(await service.access.read(partial(load_link_urls, ids=body.ids)), service.settings)
    async with audit("discovered_links.promote", ids=body.ids[:20]) as entry:
        urls = await promote(service.access, service.stores.frontier, body.ids, service.clock.now())
        entry.detail["urls"] = urls[:20]
    return Promoted(urls=urls)


@router.delete(
    "/discovered-links",
    summary="Delete out-of-scope links from the list",
    response_model=Hidden,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def delete_discovered_links(
    service: ServiceDep,
    audit: AuditDep,
    id: Annotated[
        list[Id], Query(max_length=MOST_IDS, min_length=1, description="The ids to delete; may be repeated.")
    ],
) -> Hidden:
    """The links are still counted, so that they do not reappear with the next page that has them."""
    async with audit("discovered_links.delete", ids=id[:20]):
        return Hidden(hidden=await service.access.write(partial(hide_discovered, ids=id)))


@router.delete(
    "/discovered-links/{id}",
    status_code=204,
    summary="Delete an out-of-scope link from the list",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def delete_discovered_link(service: ServiceDep, audit: AuditDep, id: IdPath) -> None:
    """The link is still counted, so that it does not reappear with the next page that has it."""
    async with audit("discovered_links.delete", target=f"discovered link {id}"):
        if await service.access.read(partial(find_discovered, id=id)) is None:
            raise not_found(f"Discovered link {id}")
        await service.access.write(partial(hide_discovered, ids=[id]))
