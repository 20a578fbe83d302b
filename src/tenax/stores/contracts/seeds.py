"""The contract for seeds.

If several lists name a seed or a domain, the one with the best rank counts: its rank and its name are kept.
With equal ranks, and with lists without ranks, the name of the first one stays.
"""

from collections.abc import Collection, Sequence
from typing import Protocol

from tenax.clock import Instant
from tenax.config.crawl import ScopeKind
from tenax.record import record
from tenax.records.urls import ListedSeed


@record
class ImportedSeeds:
    seeds: int  # new ones
    domains: int  # new ones
    ranked: int  # known domains whose rank or source changed

    def plus(self, other: "ImportedSeeds") -> "ImportedSeeds":
        return ImportedSeeds(
            seeds=self.seeds + other.seeds,
            domains=self.domains + other.domains,
            ranked=self.ranked + other.ranked,
        )


@record
class SeedCount:
    seeds: int
    newest_id: int  # 0: none


class SeedStore(Protocol):
    async def import_seeds(self, seeds: Sequence[ListedSeed], source: str, now: Instant) -> ImportedSeeds:
        """Add each seed once, to the frontier and as a seed, and record the rank of its domain, which sets
        its priority until it is first crawled. Known urls and domains stay as they are: a url that was given
        up is not retried, and a resting domain keeps resting. Repeating is safe."""
        ...

    async def replace_seeds(self, urls: Collection[str]) -> None:
        """Make these the only seeds of the source that users named; if that changes anything, targets of
        redirects are no longer seeds either. Repeating is safe."""
        ...

    async def load_seeds(self, after_id: int, limit: int) -> tuple[list[str], int]:
        """The first seeds added after the one with this id, and the id of the last of them."""
        ...

    async def count_seeds(self) -> SeedCount: ...

    async def find_roots(self, kind: ScopeKind, roots: Collection[str]) -> set[str]:
        """Those of the roots that a seed has."""
        ...
