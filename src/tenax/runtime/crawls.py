"""Crawls of a store: listed, prepared, fed with urls and seeds, explained."""

import contextlib
from collections.abc import AsyncIterator, Collection, Sequence

from tenax import failpoints
from tenax.clock import SystemClock
from tenax.config.settings import Settings
from tenax.crawl.insight.explain import Explanation, explain
from tenax.private_files import make_folder
from tenax.record import record
from tenax.records.urls import ListedSeed, NewUrl
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import translating_errors
from tenax.runtime.runs import bury_dead_in
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
    """The oldest first; none also where there is no store yet, which is not made."""
    backend = find_backend(place)
    if not backend.has_store(place):
        return []
    async with backend.open_stores(place, SystemClock()) as stores:
        return await stores.crawls.list()


@record
class Prepared:
    """A crawl that a person is about to go on with."""

    crawl: Crawl
    last: LastRun | None  # its newest run
    taking: TakeoverResult  # what came from others
    others: tuple[CrawlSummary, ...]  # that have something to do, and are left alone


async def prepare_crawl(
    place: Place, name: str, seeds: Sequence[str], first_seed: str | None = None
) -> Prepared:
    """Make the crawl of that name, where there is none, and let it have its domains: see CrawlStore.ensure.
    Raises SourceExists and DomainsBusy. Killed at any moment, it may be repeated."""
    with translating_errors(place):
        make_folder(place.folder / LOGS_NAME)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        crawl = await stores.crawls.ensure(name, first_seed)
        runs = stores.of_source(crawl.id).runs
        # What they held would be theirs until their leases end.
        await bury_dead_in(place, stores)
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
    """Add urls to the crawl of that name. Without one, each goes to whoever has its domain; of unknown
    domains, to the only crawl that is under way, or the only one, or `default`. Returns how many were new.
    Raises SourceExists."""
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
    """What a crawl has; see FrontierStore.summarise."""
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.of_source(source_id).frontier.summarise(domains)


async def import_seeds(
    place: Place, crawl: str, source: str, chunks: AsyncIterator[Sequence[ListedSeed]]
) -> ImportedSeeds:
    """Bring a list of seeds into a store, for the crawl of that name, a transaction per chunk. Stopped at any
    moment, it may be repeated from its beginning: what is there already stays as it is. Raises
    SourceExists."""
    imported = ImportedSeeds(seeds=0, domains=0, ranked=0)
    # Before a data directory is made: perhaps there is nothing to put into it.
    chunk = await anext(chunks, None)
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        seeds = stores.seeds_of((await stores.crawls.ensure(crawl)).id)
        while chunk is not None:
            imported = imported.plus(await seeds.import_seeds(chunk, source, stores.clock.now()))
            chunk = await anext(chunks, None)
    return imported


async def explain_url(place: Place, url: str, defaults: Settings) -> Explanation:
    """Where a url stands in a crawl."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await explain(url, stores.lookup, stores.seeds_of, defaults, stores.clock.wall())


@contextlib.asynccontextmanager
async def open_domains(place: Place) -> AsyncIterator[DomainStore]:
    """For those who look after the domains of a crawl, also while it goes on."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        yield stores.domains
