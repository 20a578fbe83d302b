"""Actions on the frontier: add URLs and seeds, recover, clear, remove one URL."""

from functools import partial
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.errors import conflict
from tenax.api.middleware.auditing import AuditDep
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.parameters import DomainQuery, UrlIdPath, find_domain, get_domain_id
from tenax.api.schemas import PriorityWord, Schema
from tenax.api.service import ServiceDep
from tenax.api.url_checks import CrawlName, Urls, check_urls
from tenax.records.urls import FoundBy, NewUrl, Priority
from tenax.runtime.crawls import add_by_hand
from tenax.runtime.runs import remove_dead_workers
from tenax.stores.commands.frontier import empty_frontier, recover_leases, remove_url
from tenax.stores.hot.seeds import make_seed
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

router = new_router("frontier")

OF_CRAWL = (
    "The crawl to add them to; it is created if it does not exist. Without a name: the crawl or source that "
    "has the domain; for unknown domains, the only active crawl, else the only crawl, else the crawl named "
    "default."
)
WRITE = allow(Role.ADMIN, scope=TokenScope.WRITE)
SEEDING = allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING)


class NewUrls(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: Urls
    priority: PriorityWord = Field(
        PriorityWord.MEDIUM, description="URLs with a higher priority are fetched first within their domain."
    )
    name: CrawlName | None = Field(None, description=OF_CRAWL)


class NewSeeds(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: Urls
    name: CrawlName | None = Field(None, description=OF_CRAWL)


class Added(BaseModel):
    given: int = Field(description="The number of different URLs in the request.")
    added: int = Field(description="The number of URLs that were not known before.")


class Recovered(Schema):
    domains: int = Field(description="Domains that can be claimed again.")
    urls: int = Field(description="Waiting URLs in these domains.")
    workers: int = Field(description="Dead workers whose leases were released.")


class Cleared(BaseModel):
    urls: int = Field(description="The number of URLs that were removed.")


@router.post("/frontier/add", status_code=201, summary="Add URLs", response_model=Added, **WRITE)
@router.post(
    "/frontier", status_code=201, summary="Add URLs", name="post_frontier", response_model=Added, **WRITE
)
async def add_urls(service: ServiceDep, audit: AuditDep, body: NewUrls) -> Added:
    """Adds URLs to be fetched once; their links are followed like those of other pages. Known URLs stay
    unchanged, unless they had been removed."""
    taken = check_urls(body.urls, service.settings)
    async with audit("frontier.add", urls=taken[:20], count=len(taken)) as entry:
        new = [_make_url(url, body.priority.priority) for url in taken]
        added = await add_by_hand(service.stores, new, body.name)
        entry.detail["added"] = added
    return Added(given=len(taken), added=added)


@router.post("/frontier/seed", status_code=201, summary="Add seeds", response_model=Added, **SEEDING)
async def add_seeds(service: ServiceDep, audit: AuditDep, body: NewSeeds) -> Added:
    """Adds seeds with high priority. A seed widens the scope; workers apply it at their next claim. A URL
    that was given up or refused gets another try."""
    taken = check_urls(body.urls, service.settings)
    async with audit("frontier.seed", urls=taken[:20], count=len(taken)) as entry:
        added = await add_by_hand(service.stores, [make_seed(url) for url in taken], body.name)
        entry.detail["added"] = added
    return Added(given=len(taken), added=added)


@router.post(
    "/frontier/recover", summary="Release the leases of dead workers", response_model=Recovered, **WRITE
)
async def recover_frontier(service: ServiceDep, audit: AuditDep) -> Recovered:
    """Does now what otherwise happens when a lease expires. Live workers keep their leases."""
    async with audit("frontier.recover") as entry:
        await remove_dead_workers(service.place)
        done = await recover_leases(service.access, service.clock)
        entry.detail["domains"] = done.domains
    return Recovered.model_validate(done)


@router.delete(
    "/frontier",
    summary="Clear the frontier",
    response_model=Cleared,
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def clear_frontier(
    service: ServiceDep,
    audit: AuditDep,
    domain: DomainQuery = None,
    confirm: Annotated[bool, Query(description="Must be true if no domain is given.")] = False,
) -> Cleared:
    """Removes all waiting URLs; they are refused until they are added again. Pages are kept."""
    name = find_domain(domain)
    if name is None and not confirm:
        raise conflict("This removes all waiting URLs: confirm with confirm=true, or give a domain.")
    domain_id = None if name is None else await get_domain_id(service, name)
    async with audit("frontier.clear", target=name) as entry:
        entry.detail["urls"] = cleared = await empty_frontier(service.access, service.clock, domain_id)
    return Cleared(urls=cleared)


@router.delete(
    "/frontier/urls/{id}",
    status_code=204,
    summary="Remove a URL",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
@router.delete(
    "/frontier/{id}",
    status_code=204,
    summary="Remove a URL",
    name="delete_frontier_url",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def remove_frontier_url(service: ServiceDep, audit: AuditDep, id: UrlIdPath) -> None:
    """Removes a waiting URL; it is refused until it is added again."""
    async with audit("frontier.remove", target=f"url {id}"):
        if not await service.access.write(partial(remove_url, url_id=id, clock=service.clock)):
            raise conflict(f"URL {id} is not waiting in the frontier.")


def _make_url(url: str, priority: Priority) -> NewUrl:
    return NewUrl(
        url=url,
        key=url_key(url),
        domain=domain_of(url),
        depth=0,
        priority=priority,
        found_by=FoundBy.SEED,
    )
