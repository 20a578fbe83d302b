"""Crawls of a store: listed, prepared, fed with urls and seeds, explained."""

import contextlib
from collections.abc import AsyncIterator, Collection, Mapping, Sequence

from tenax import failpoints
from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.crawl.insight.explain import Explanation, explain
from tenax.private_files import make_folder
from tenax.record import record
from tenax.records.urls import ListedSeed, NewUrl
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import translating_errors
from tenax.runtime.runs import remove_dead_workers_in
from tenax.stores.backend import Stores
from tenax.stores.contracts.crawls import DEFAULT_NAME, Crawl, CrawlSummary
from tenax.stores.contracts.domains import DomainStore
from tenax.stores.contracts.overview import Summary
from tenax.stores.contracts.runs import LastRun
from tenax.stores.contracts.seeds import ImportedSeeds
from tenax.stores.contracts.takeover import TakeoverResult
from tenax.stores.layout import LOGS_NAME
from tenax.stores.place import Place
from tenax.web.urls import domain_of


async def list_crawls(place: Place) -> list[CrawlSummary]:
    """Oldest first. Empty if there is no store; none is created."""
    backend = find_backend(place)
    if not backend.has_store(place):
        return []
    async with backend.open_stores(place, SystemClock()) as stores:
        return await stores.crawls.list()


@record
class Prepared:
    """A crawl that a user is about to start or resume."""

    crawl: Crawl
    last: LastRun | None  # its newest run
    taking: TakeoverResult  # domains taken over from other crawls
    others: tuple[CrawlSummary, ...]  # other crawls with work left


async def prepare_crawl(
    place: Place, name: str, seeds: Sequence[str], first_seed: str | None = None
) -> Prepared:
    """Create the crawl if there is none of that name, and take over its domains: see CrawlStore.ensure.
    Raises SourceExists and DomainsBusy. Repeating is safe, also after a crash at any point."""
    with translating_errors(place):
        make_folder(place.folder / LOGS_NAME)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        crawl = await stores.crawls.ensure(name, first_seed)
        runs = stores.of_source(crawl.id).runs
        # Otherwise their domains would stay leased until the leases expire.
        await remove_dead_workers_in(place, stores)
        failpoints.reach("take.before")
        taking = await runs.take({domain_of(seed) for seed in seeds})
        failpoints.reach("take.after")
        snapshots = await stores.crawls.list()
        return Prepared(
            crawl=crawl,
            last=await runs.find_last(),
            taking=taking,
            others=tuple(each for each in snapshots if each.id != crawl.id and each.has_work),
        )


async def add_by_hand(stores: Stores, urls: Sequence[NewUrl], crawl: str | None) -> int:
    """Add urls to the crawl of that name; returns how many were new. Raises SourceExists.

    Without a name, each url goes to the owner of its domain; urls of unknown domains go to the only active
    crawl, else to the only crawl, else to `default`.
    """
    owners: dict[str, int] = {}
    if crawl is None:
        owners = await stores.crawls.find_owners({url.domain for url in urls})
    by_owner: dict[int | None, list[NewUrl]] = {}
    for url in urls:
        by_owner.setdefault(owners.get(url.domain), []).append(url)
    added = 0
    for owner, part in by_owner.items():
        source_id = await _find_hand(stores, crawl) if owner is None else owner
        added += await stores.of_source(source_id).frontier.add_urls(part, stores.clock.now())
    return added


async def _find_hand(stores: Stores, crawl: str | None) -> int:
    if crawl is None:
        snapshots = await stores.crawls.list()
        for chosen in ([each for each in snapshots if each.run_id is not None], snapshots):
            if len(chosen) == 1:
                return chosen[0].id
    return (await stores.crawls.ensure(crawl or DEFAULT_NAME)).id


async def summarise(place: Place, source_id: int, domains: Collection[str]) -> Summary:
    """See FrontierStore.summarise."""
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.of_source(source_id).frontier.summarise(domains)


async def find_outdated_parsers(place: Place, source_id: int, versions: Mapping[str, str]) -> list[str]:
    """See FrontierStore.find_outdated_parsers."""
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.of_source(source_id).frontier.find_outdated_parsers(versions)


async def import_seeds(
    place: Place, crawl: str, source: str, chunks: AsyncIterator[Sequence[ListedSeed]]
) -> ImportedSeeds:
    """Import a seed list for the crawl of that name, one transaction per chunk. Repeating it from the start
    is safe, also after a crash: seeds that exist stay as they are. Raises SourceExists."""
    imported = ImportedSeeds(seeds=0, domains=0, ranked=0)
    # Before a data directory is created: the list may be empty.
    chunk = await anext(chunks, None)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        seeds = stores.seeds_of((await stores.crawls.ensure(crawl)).id)
        while chunk is not None:
            imported = imported.plus(await seeds.import_seeds(chunk, source, stores.clock.now()))
            chunk = await anext(chunks, None)
    return imported


async def explain_url(place: Place, url: str, defaults: Settings) -> Explanation:
    """The fate of a url, and the facts behind it."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await explain(url, stores.lookup, stores.seeds_of, defaults, stores.clock.wall())


@contextlib.asynccontextmanager
async def open_domains(place: Place) -> AsyncIterator[DomainStore]:
    """The domains of a crawl, which may be running."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        yield stores.domains
