"""The contract for what a crawl learns by guessing. It is written when a batch is settled (DomainWork)."""

from collections.abc import Sequence
from typing import Protocol

from tenax.records.guesses import KnownUrl, Learned


class GuessStore(Protocol):
    async def load(self, domain_ids: Sequence[int]) -> dict[int, Learned]:
        """What is known about these domains; those about which nothing is known are left out."""
        ...

    async def sample(self, domain_id: int, limit: int) -> list[KnownUrl]:
        """Up to `limit` of a domain's urls, chosen without regard to their addresses."""
        ...
