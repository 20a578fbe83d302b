"""The contracts of the store. Every method is one transaction; a raised StoreError wrote nothing."""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.records import (
    DomainRules,
    Lease,
    NewUrl,
)
from tenax.stores.contracts.batches import Batch, LoadedDomain, QueueHead, Release, Settled
from tenax.stores.contracts.overview import Overview, RemainingWork, Summary
from tenax.stores.contracts.vitals import Vitals

# A domain that is free for so long is not wanted by those whose share it would be.
UNWANTED_AFTER_S = 2.0
# A worker with a little less than its share is left in peace: a domain that moves is loaded again.
HUNGRY_BELOW = 0.75


class FrontierStore(Protocol):
    """The frontier of one source or crawl: its domains are what is claimed and counted."""

    async def add_urls(self, urls: Sequence[NewUrl], now: Instant) -> int:
        """Keep each url once, and seeds among them as seeds; returns how many were new, or wanted by others
        alone until now. What a person names, and no page, gets another try if it was given up or refused, or
        its domain was unreachable. A url of a domain that another source has waits until this one has it.
        Repeating is safe."""
        ...

    async def requeue(self, urls: Sequence[str]) -> int:
        """Have known urls of its domains visited again that have had their visit, before all that waits
        there; returns how many. A domain that is blocked or rests goes on doing so. Repeating is safe: what
        waits is not queued again."""
        ...

    async def claim(
        self, worker_id: int, run_id: int, limit: int, lease_s: float, site_gap_s: float | None = None
    ) -> list[Lease]:
        """Take up to `limit` domains that may be asked now, atomically. An expired lease of another
        worker counts as free; its domain then rests a full delay, as its last request is unknown.
        A worker that is not alone in its run gets no more than its share: of all domains that are held or
        may be claimed, the live workers may hold equally many; what nobody took for two seconds is free for
        all. One that gets none and holds less than three quarters of its share is hungry; the others hear of
        it by `Settled.share`.
        `site_gap_s`: the domains of a site share one pace. Of each site, one domain at most is held at any
        time, by whichever worker, and it is claimed so long after the last request to any other of them.
        Those of other sources do not count."""
        ...

    async def load(self, leases: Sequence[Lease], head_limit: int, known_limit: int) -> list[LoadedDomain]:
        """What the leased domains hold; `known_limit` bounds the keys over all of them."""
        ...

    async def heads(self, wanted: Sequence[tuple[int, int]]) -> list[QueueHead]:
        """The most wanted due urls for each (domain id, limit). Reads only: nothing marks a url as
        taken."""
        ...

    async def settle(self, batch: Batch) -> Settled:
        """Write the visits and everything that follows from them, and renew the leases. Domains with
        a stale fence are left out and named in `lost`. Fetched pages use up what was granted. Repeating is
        safe: a batch whose number the worker has settled before writes nothing and only renews the leases."""
        ...

    async def renew(
        self, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float, vitals: Vitals = Vitals()
    ) -> Settled:
        """Prolong leases without results; also the worker's heartbeat."""
        ...

    async def release(self, releases: Sequence[Release]) -> None:
        """Give domains back. A stale fence is skipped silently: there is nothing to give back."""
        ...

    async def list_rules(self, worker_id: int) -> list[tuple[int, int, DomainRules]]:
        """Of the domains that the worker holds, those whose rules a person has ever changed: (domain id,
        version of the lease, rules). A look that writes nothing and waits for nobody."""
        ...

    async def horizon(self, worker_id: int) -> RemainingWork: ...

    async def has_untried(self, before: Instant) -> bool:
        """Whether a url waits whose last visit did not fail, in a domain that can be claimed by then."""
        ...

    async def overview(self, delay_s: float, pages_per_domain: int) -> Overview:
        """For progress and forecast; `delay_s` is the least delay, the cap bounds a domain's queue."""
        ...

    async def summarise(self, domains: Collection[str] = ()) -> Summary:
        """`domains`: whose pages are counted by themselves, too."""
        ...
