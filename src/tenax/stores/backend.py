"""What every database offers to runtime/: its stores behind the contracts, and its maintenance."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from tenax.clock import Clock, MachineClock
from tenax.record import record
from tenax.stores.contracts.bodies import BodyStore
from tenax.stores.contracts.crawls import CrawlStore
from tenax.stores.contracts.domains import DomainStore
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.contracts.guesses import GuessStore
from tenax.stores.contracts.lookup import LookupStore
from tenax.stores.contracts.merging import MergeStore
from tenax.stores.contracts.refresh import RefreshStore
from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.contracts.sitemaps import SitemapStore
from tenax.stores.place import Place


@record
class Stores:
    frontier: FrontierStore
    runs: RunStore
    refresh: RefreshStore
    merges: MergeStore
    guesses: GuessStore
    lookup: LookupStore
    domains: DomainStore
    seeds: SeedStore
    sitemaps: SitemapStore
    bodies: BodyStore
    crawls: CrawlStore
    identify: Callable[[], Awaitable[str]]  # its name for data that is kept outside of it
    clock: Clock  # the store's, which leases, waits and the frontier are measured by
    calendar: Clock  # what people read and plan by; it may be set
    of_source: Callable[[int], "Stores"]  # the same store, for the runs of a source or crawl

    def seeds_of(self, source_id: int) -> SeedStore:
        return self.of_source(source_id).seeds


class Backend(Protocol):
    """The module `backend` of each database."""

    def open_stores(
        self, place: Place, clock: MachineClock, cache_bytes: int = ...
    ) -> AbstractAsyncContextManager[Stores]:
        """`clock`: this machine's. `cache_bytes`: memory for pages of a file."""
        ...

    def refuse_missing(self, place: Place) -> None:
        """Raise StoreError unless there is a store to be opened."""
        ...

    def has_store(self, place: Place) -> bool:
        """There is one, or a server that may have one."""
        ...

    def discard(self, place: Place) -> None:
        """Delete the crawl, unless a process works on it."""
        ...

    def migrate(self, place: Place) -> None:
        """Create the schema, or bring it up to date. Repeating is safe, also concurrently."""
        ...

    async def scrub(self, place: Place) -> bool:
        """Remove all traces of secrets that were stored unsealed. False: another process is in the way at the
        moment. Repeating is safe. Raises StoreError."""
        ...
