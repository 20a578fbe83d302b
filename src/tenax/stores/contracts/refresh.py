"""The contract for refreshing pages."""

from typing import Protocol

from tenax.record import record


@record
class RefreshBudget:
    """Of a refresh: how much it may take on."""

    domains: int
    per_domain: int  # urls of each domain
    limit: int  # urls in all
    idle_s: float  # when a domain without any plan is looked at again
    ahead_s: float = 0.0  # also what would come so much later


@record
class RefreshStep:
    """What a step has done."""

    urls: int  # that were queued
    domains: int  # that were looked at; 0: no other one is due


class RefreshStore(Protocol):
    async def promote(self, step: RefreshBudget) -> RefreshStep:
        """Queue the pages whose revisit has come, the longest due first: of domains that have nothing else to
        do and are held by nobody, the most rewarding first. Repeating is safe, also at once: what is queued
        is not queued again."""
        ...
