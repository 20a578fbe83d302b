"""Links that lead out of scope: whom they lead to, how many there are; make seeds of them, or hide them."""

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
    hide,
    load_urls,
    slice_discovered,
)

router = new_router("discovered links")

MOST_IDS = 500

Sort = Literal["-links", "-pages", "-last_seen_at", "-first_seen_at", "domain"]
Id = Annotated[int, Field(ge=1, le=LARGEST_ID)]
IdPath = Annotated[int, Path(ge=1, le=LARGEST_ID, description="The id of a discovered link.", examples=[3])]


class DiscoveredLink(Schema):
    id: int
    domain: str = Field(examples=["partner.example"])
    url: str = Field(description="The first of its links.")
    discovered_from: str | None = Field(description="The page that it stood on.")
    links: int = Field(description="Different addresses of the domain, as each worker counted them.")
    pages: int = Field(description="Pages that named one of them first.")
    first_seen_at: datetime
    last_seen_at: datetime
    is_hidden: bool


class Ids(BaseModel):
    model_config = ConfigDict(extra="forbid")

    ids: list[Id] = Field(min_length=1, max_length=MOST_IDS, examples=[[3, 5]])


class Promoted(BaseModel):
    urls: list[str] = Field(description="What is a seed now.")


class Hidden(BaseModel):
    hidden: int


@router.get(
    "/discovered-links",
    summary="List links out of scope",
    response_model=Part[DiscoveredLink],
    **allow(Role.USER),
)
async def list_discovered_links(
    service: ServiceDep,
    q: Annotated[Text | None, Query(description="Only domains whose name holds this.")] = None,
    hidden: Annotated[bool, Query(description="Also those that were deleted from the list.")] = False,
    sort: Annotated[Sort, Query(description="A minus: the greatest first.")] = "-links",
    limit: LimitQuery = 50,
    cursor: CursorQuery = None,
) -> Part[DiscoveredLink]:
    """One entry for every domain out of scope that pages link to."""
    wanted, only = parse_slice(sort, limit, cursor), DiscoveredFilter(text=q, with_hidden=hidden)
    found = await service.access.read(partial(slice_discovered, wanted=wanted, only=only))
    return format_part(found, DiscoveredLink, sort)


@router.get(
    "/discovered-links/{id}",
    summary="Get one of them",
    response_model=DiscoveredLink,
    **allow(Role.USER, responses=(404,)),
)
async def get_discovered_link(service: ServiceDep, id: IdPath) -> DiscoveredLink:
    """A domain out of scope."""
    found = await service.access.read(partial(find_discovered, id=id))
    if found is None:
        raise not_found(f"The discovered link {id}")
    return DiscoveredLink.model_validate(found)


@router.post(
    "/discovered-links/promote",
    summary="Make seeds of them",
    response_model=Promoted,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING),
)
async def promote_discovered_links(service: ServiceDep, audit: AuditDep, body: Ids) -> Promoted:
    """Their domains are in scope from now on; workers hear of it with their next claim."""
    # They were found on pages, which anybody may have written.
    check_urls(await service.access.read(partial(load_urls, ids=body.ids)), service.settings)
    async with audit("discovered_links.promote", ids=body.ids[:20]) as entry:
        urls = await promote(service.access, service.stores.frontier, body.ids, service.clock.now())
        entry.detail["urls"] = urls[:20]
    return Promoted(urls=urls)


@router.delete(
    "/discovered-links",
    summary="Delete several from the list",
    response_model=Hidden,
    **allow(Role.ADMIN, scope=TokenScope.WRITE),
)
async def delete_discovered_links(
    service: ServiceDep,
    audit: AuditDep,
    id: Annotated[list[Id], Query(max_length=MOST_IDS, min_length=1, description="Which; may be repeated.")],
) -> Hidden:
    """They are counted further, so that they do not come back with the next page that names them."""
    async with audit("discovered_links.delete", ids=id[:20]):
        return Hidden(hidden=await service.access.write(partial(hide, ids=id)))


@router.delete(
    "/discovered-links/{id}",
    status_code=204,
    summary="Delete one from the list",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404,)),
)
async def delete_discovered_link(service: ServiceDep, audit: AuditDep, id: IdPath) -> None:
    """It is counted further, so that it does not come back with the next page that names it."""
    async with audit("discovered_links.delete", target=f"discovered link {id}"):
        if await service.access.read(partial(find_discovered, id=id)) is None:
            raise not_found(f"The discovered link {id}")
        await service.access.write(partial(hide, ids=[id]))
