"""Looks links to other domains up in the seen filter before they go to the store.

The store decides about every url that the filter does not know; it would ignore those that the filter knows.
So losing the filter costs time and nothing else.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from tenax.coordination.base import SeenFilter, UrlName
from tenax.records.urls import NewUrl
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
        if url.domain != work.lease.domain and not _is_always_sent(url)
    ]


def _without(visit: Visit, known: AbstractSet[UrlName]) -> Visit:
    if not visit.discovered:
        return visit
    kept = tuple(
        [url for url in visit.discovered if (url.domain, url.key) not in known or _is_always_sent(url)]
    )
    return visit if len(kept) == len(visit.discovered) else replace(visit, discovered=kept)


def _is_always_sent(url: NewUrl) -> bool:
    """The store may give a seed another try, and has to know which parser is to see a url."""
    return url.is_seed or url.follow_up is not None
