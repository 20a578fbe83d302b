"""What an administrator tells the frontier: add, seed, recover, clear, take one out."""

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
from tenax.records import NewUrl, Priority
from tenax.runtime.crawls import add_by_hand
from tenax.runtime.runs import bury_dead
from tenax.stores.commands.frontier import clear, recover, remove_url
from tenax.stores.hot.seeds import make_seed
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

router = new_router("frontier")

OF_CRAWL = (
    "The crawl that they are for, made where there is none. Without it, whoever has their domains; of unknown"
    " domains, the only crawl that is under way, or the only one, or the one named default."
)
WRITE = allow(Role.ADMIN, scope=TokenScope.WRITE)
SEEDING = allow(Role.ADMIN, scope=TokenScope.WRITE, tier=Tier.SEEDING)


class NewUrls(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: Urls
    priority: PriorityWord = Field(PriorityWord.MEDIUM, description="What a domain is asked for first.")
    name: CrawlName | None = Field(None, description=OF_CRAWL)


class NewSeeds(BaseModel):
    model_config = ConfigDict(extra="forbid")

    urls: Urls
    name: CrawlName | None = Field(None, description=OF_CRAWL)


class Added(BaseModel):
    given: int = Field(description="Different addresses.")
    added: int = Field(description="Those that were not known before.")


class Recovered(Schema):
    domains: int = Field(description="Domains that may be claimed again.")
    urls: int = Field(description="Urls that wait in them.")
    workers: int = Field(description="Workers that nobody waits for any more.")


class Cleared(BaseModel):
    urls: int = Field(description="How many were taken out.")


@router.post("/frontier/add", status_code=201, summary="Add urls", response_model=Added, **WRITE)
@router.post(
    "/frontier", status_code=201, summary="Add urls", name="post_frontier", response_model=Added, **WRITE
)
async def add_urls(service: ServiceDep, audit: AuditDep, body: NewUrls) -> Added:
    """To be fetched once; links of theirs are followed as those of other pages are. What is known already
    stays as it is, unless it had been taken out."""
    taken = check_urls(body.urls, service.settings)
    async with audit("frontier.add", urls=taken[:20], count=len(taken)) as entry:
        new = [_make_url(url, body.priority.priority) for url in taken]
        added = await add_by_hand(service.stores, new, body.name)
        entry.detail["added"] = added
    return Added(given=len(taken), added=added)


@router.post("/frontier/seed", status_code=201, summary="Add seeds", response_model=Added, **SEEDING)
async def add_seeds(service: ServiceDep, audit: AuditDep, body: NewSeeds) -> Added:
    """With high priority. A seed widens the scope: workers hear of it with their next claim. One that was
    given up or refused gets another try."""
    taken = check_urls(body.urls, service.settings)
    async with audit("frontier.seed", urls=taken[:20], count=len(taken)) as entry:
        added = await add_by_hand(service.stores, [make_seed(url) for url in taken], body.name)
        entry.detail["added"] = added
    return Added(given=len(taken), added=added)


@router.post("/frontier/recover", summary="Free what dead workers hold", response_model=Recovered, **WRITE)
async def recover_frontier(service: ServiceDep, audit: AuditDep) -> Recovered:
    """It happens by itself when a lease ends; this does it now. Workers that are alive keep theirs."""
    async with audit("frontier.recover") as entry:
        await bury_dead(service.place)
        done = await recover(service.access, service.clock)
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
    confirm: Annotated[bool, Query(description="Must be true, if no domain is named.")] = False,
) -> Cleared:
    """Everything that waits is refused from now on, until somebody adds it again. Pages are kept."""
    name = find_domain(domain)
    if name is None and not confirm:
        raise conflict("This takes out everything that waits: say so with confirm=true, or name a domain.")
    domain_id = None if name is None else await get_domain_id(service, name)
    async with audit("frontier.clear", target=name) as entry:
        entry.detail["urls"] = cleared = await clear(service.access, service.clock, domain_id)
    return Cleared(urls=cleared)


@router.delete(
    "/frontier/urls/{id}",
    status_code=204,
    summary="Take one url out",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
@router.delete(
    "/frontier/{id}",
    status_code=204,
    summary="Take one url out",
    name="delete_frontier_url",
    **allow(Role.ADMIN, scope=TokenScope.WRITE, responses=(404, 409)),
)
async def remove_frontier_url(service: ServiceDep, audit: AuditDep, id: UrlIdPath) -> None:
    """It is refused from now on, until somebody adds it again."""
    async with audit("frontier.remove", target=f"url {id}"):
        if not await service.access.write(partial(remove_url, url_id=id, clock=service.clock)):
            raise conflict(f"The url {id} does not wait in the frontier.")


def _make_url(url: str, priority: Priority) -> NewUrl:
    return NewUrl(url=url, key=url_key(url), domain=domain_of(url), depth=0, priority=priority)
