"""Keeps the roots that a process knows in step with the store's seeds: the I/O half of policy/roots.py."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Self

from tenax.config.crawl import ScopeKind
from tenax.crawl.visits.admission import OUTSIDE_PER_PAGE
from tenax.policy.roots import MAX_HELD, Roots, list_roots, root_of
from tenax.records.pages import Outside
from tenax.records.urls import NewUrl
from tenax.records.visits import Fetched, Visit
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.seeds import SeedStore
from tenax.stores.hot.outcomes import iter_discovered

SEEDS_AT_ONCE = 1000
_NAMED = 3  # of a long list, in the sentence about what is out of scope


class SeedRoots:
    """Every method may be repeated, for example after the store was unavailable."""

    def __init__(self, seeds: SeedStore, roots: Roots, newest_id: int) -> None:
        self.roots = roots
        self._seeds = seeds
        self._newest_id = newest_id

    @classmethod
    async def open(cls, seeds: SeedStore, kind: ScopeKind) -> Self:
        if kind is ScopeKind.ANY:
            return cls(seeds, Roots(kind), 0)
        # Before the seeds themselves: a seed that is added in between is seen twice rather than never.
        count = await seeds.count_seeds()
        held = count.seeds if count.seeds <= MAX_HELD else _NAMED
        first, _ = await seeds.load_seeds(0, held)
        return cls(seeds, Roots(kind, first, others=count.seeds - len(first)), count.newest_id)

    async def refresh(self) -> bool:
        """Apply seeds that were added since, for example by other workers when a seed redirects; returns
        whether the scope admits more."""
        if self.roots.kind is ScopeKind.ANY:
            return False
        seeds, newest_id = await self._seeds.load_seeds(self._newest_id, SEEDS_AT_ONCE)
        if len(seeds) < SEEDS_AT_ONCE:
            self._newest_id = newest_id
            return sum(self.roots.add(seed) for seed in seeds) > 0
        # A long list is being imported.
        count = await self._seeds.count_seeds()
        self.roots.add_many(max(count.newest_id - self._newest_id, 1))
        self._newest_id = count.newest_id
        return True

    async def hold(self, domains: Iterable[str]) -> None:
        """Learn whether the urls of these domains are in scope; known until the next call."""
        if self.roots.is_complete:
            return
        kind = self.roots.kind
        self.roots.hold(await self._find({root for domain in domains for root in list_roots(kind, domain)}))

    async def learn(self, urls: Iterable[tuple[str, str]]) -> None:
        """Learn whether these urls, each with its domain, are in scope."""
        if self.roots.is_complete:
            return
        kind = self.roots.kind
        # Known ones are included: what is learned together is not forgotten halfway.
        self.roots.cache(await self._find({root_of(kind, url, domain) for url, domain in urls}))

    async def drop_outside(self, works: Sequence[DomainWork]) -> Sequence[DomainWork]:
        """Remove links to other domains that were admitted provisionally and turn out to be out of scope."""
        if self.roots.is_complete:
            return works
        await self.learn((url.url, url.domain) for url in iter_discovered(works) if not url.is_seed)
        return [
            replace(
                work,
                visits=[self._without(visit) for visit in work.visits],
                found=[url for url in work.found if self._is_inside(url)],
            )
            for work in works
        ]

    def _without(self, visit: Visit) -> Visit:
        dropped = [url for url in visit.discovered if not (url.is_seed or self._is_inside(url))]
        if not dropped:
            return visit
        outcome = visit.outcome
        if isinstance(outcome, Fetched):
            outcome = replace(outcome, outside=(*outcome.outside, *_list_outside(dropped)))
        keys = {url.key for url in dropped}
        kept = tuple([url for url in visit.discovered if url.key not in keys])
        return replace(visit, discovered=kept, outcome=outcome)

    def _is_inside(self, url: NewUrl) -> bool:
        return bool(self.roots.find(root_of(self.roots.kind, url.url, url.domain)))

    async def _find(self, roots: set[str]) -> dict[str, bool]:
        answers = {root: found for root in roots if (found := self.roots.find(root)) is not None}
        if unknown := roots - answers.keys():
            found_there = await self._seeds.find_roots(self.roots.kind, unknown)
            answers |= {root: root in found_there for root in unknown}
        return answers


def _list_outside(urls: Iterable[NewUrl]) -> list[Outside]:
    numbers = Counter(url.domain for url in urls)
    examples = {url.domain: url.url for url in urls}
    return [(domain, examples[domain], number) for domain, number in numbers.items()][:OUTSIDE_PER_PAGE]
