"""Looks links to other domains up in the seen filter before they go to the store.

The store decides about every url that the filter does not know; it would ignore those that the filter knows.
So losing the filter costs time and nothing else.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from tenax.coordination.base import SeenFilter, UrlName
from tenax.records.visits import Visit
from tenax.stores.contracts.batches import DomainWork


async def drop_seen(works: Sequence[DomainWork], seen: SeenFilter) -> list[DomainWork]:
    """Remove the links to other domains that the store has already."""
    names = list_foreign(works)
    known = await seen.find_seen(names) if names else set()
    if not known:
        return list(works)
    return [replace(work, visits=[_without(visit, known) for visit in work.visits]) for work in works]


def list_foreign(works: Sequence[DomainWork], lost: AbstractSet[int] = frozenset()) -> list[UrlName]:
    """`lost`: ids of domains whose work was not written."""
    return [
        (url.domain, url.key)
        for work in works
        if work.lease.domain_id not in lost
        for visit in work.visits
        for url in visit.discovered
        # A seed is always sent to the store, which may give it another try.
        if url.domain != work.lease.domain and not url.is_seed
    ]


def _without(visit: Visit, known: AbstractSet[UrlName]) -> Visit:
    if not visit.discovered:
        return visit
    kept = tuple([url for url in visit.discovered if (url.domain, url.key) not in known or url.is_seed])
    return visit if len(kept) == len(visit.discovered) else replace(visit, discovered=kept)
