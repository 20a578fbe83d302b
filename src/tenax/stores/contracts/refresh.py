"""The contract for refreshing pages."""

from typing import Protocol

from tenax.record import record


@record
class RefreshBudget:
    """How much a step of a refresh may queue."""

    domains: int
    per_domain: int  # urls of each domain
    limit: int  # urls in all
    idle_s: float  # when a domain without any plan is checked again
    ahead_s: float = 0.0  # also revisits that are planned up to this much later


@record
class RefreshStep:
    """What a step of a refresh has done."""

    urls: int  # that were queued
    domains: int  # that were checked; 0: no other one is due


class RefreshStore(Protocol):
    async def promote(self, step: RefreshBudget) -> RefreshStep:
        """Queue pages whose revisit is due, the longest due first, in domains that have nothing else to do
        and are not held, the most rewarding first. Repeating is safe, also concurrently: queued urls are not
        queued again."""
        ...
