"""The contract for the frontier: claim, load, settle, renew, release."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.records.domains import DomainRules, Lease
from tenax.records.traps import Trap
from tenax.records.urls import NewUrl
from tenax.stores.contracts.batches import Batch, LoadedDomain, QueueHead, Release, Settled
from tenax.stores.contracts.overview import Overview, RemainingWork, Summary
from tenax.stores.contracts.vitals import Vitals

# A domain that was free for this long is not wanted by the workers whose share it would be.
UNWANTED_AFTER_S = 2.0
# A worker with slightly less than its share is not hungry: a domain that moves has to be loaded again.
HUNGRY_BELOW = 0.75
# The keys of a domain with more urls are not loaded: at 0.3 µs each, that would cost more than the pages of a
# lease save by them, an estimated 0.1 ms each.
MOST_KNOWN = 20_000


class FrontierStore(Protocol):
    """The frontier of one source or crawl: its domains are what is claimed and counted."""

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        """Add urls, each of them once, and those that are seeds also as seeds; returns how many were new, or
        were only wanted by other sources until now. A url that a user names, rather than a page, gets another
        try if it was given up or refused, or if its domain was unreachable. A url of a domain that another
        source owns waits until this source owns it. Repeating is safe."""
        ...

    async def requeue(self, urls: Sequence[str]) -> int:
        """Queue visited urls of its domains again, before everything that waits there; returns how many. A
        domain that is blocked or resting stays so. Repeating is safe: urls that wait are not queued again."""
        ...

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        """Lease up to `limit` domains that may be requested now, atomically. An expired lease of another
        worker counts as free; its domain then rests for a full delay, as its last request is unknown. A
        worker that is not alone in its run gets no more than its share: the live workers may hold equally
        many of all domains that are held or can be claimed; a domain that was free for two seconds can be
        claimed by any of them. A worker that gets none and holds less than three quarters of its share is
        hungry; the others are notified through `Settled.share`. `site_gap_s`: the domains of a site share one
        pace. At most one domain of each site is held at any time, by any worker, and it is claimed this long
        after the last request to any other of them. Domains of other sources do not count."""
        ...

    async def load(
        self, leases: Sequence[Lease], head_limit: int, known_limit: int, *, has_parsers: bool = False
    ) -> list[LoadedDomain]:
        """Load what the leased domains hold; `known_limit` bounds the number of keys over all of them.
        Domains with more than MOST_KNOWN urls come without keys. `has_parsers`: with what parsers need to
        know of the urls."""
        ...

    async def heads(self, wanted: Sequence[tuple[int, int]], *, has_parsers: bool = False) -> list[QueueHead]:
        """The most wanted due urls for each (domain id, limit). Only reads: no url is marked as taken.
        `has_parsers`: as in `load`."""
        ...

    async def settle(self, batch: Batch) -> Settled:
        """Write the visits and everything that follows from them, and renew the leases. Domains with a stale
        fence are left out and named in `lost`. Fetched pages use up granted pages. Repeating is safe: a batch
        whose number the worker has settled before writes nothing and only renews the leases."""
        ...

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        """Renew leases without results; this is also the worker's heartbeat."""
        ...

    async def release(self, releases: Sequence[Release]) -> None:
        """Give domains back. A domain with a stale fence is skipped silently: there is nothing to give
        back."""
        ...

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        """The domains of the worker whose rules a user has ever changed: (domain id, version of the lease,
        rules). Writes nothing and waits for no lock."""
        ...

    async def list_decided_traps(self, worker_id: int) -> list[tuple[int, int, Trap]]:
        """The clusters in domains of the worker that a user has ever opened or closed: (domain id, version of
        the lease, cluster). Writes nothing and waits for no lock."""
        ...

    async def horizon(self, worker_id: int) -> RemainingWork: ...

    async def has_untried(self, before: Instant) -> bool:
        """Whether a url whose last visit did not fail waits in a domain that can be claimed by then."""
        ...

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        """For progress and forecast; `delay_s` is the minimum delay, `pages_per_domain` caps the queue of a
        domain."""
        ...

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        """`domains`: their pages are also counted separately."""
        ...

    async def find_outdated_parsers(self, versions: Mapping[str, str]) -> list[str]:
        """The parsers of these names and versions that see the stored pages only if they are visited again:
        another version was the last to see pages, or no parser has seen any."""
        ...
