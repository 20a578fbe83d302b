"""The contract for looking after domains, whatever crawls beside it.

Actions of a user (block, unblock, reset) are one transaction each and raise the fence: a worker that holds
the domain loses it. It may go on requesting until it notices, at the latest when its lease ends, so the
domain is not given to another worker before then.
"""

from typing import Protocol

from tenax.clock import Instant
from tenax.record import record
from tenax.records.domains import DomainStatus


@record
class CounterDifference:
    """A counter that differs from what it counts."""

    domain: str
    counter: str
    stored: int | Instant | None
    counted: int | Instant | None


@record
class CounterCheck:
    """How many domains were checked, and which of their counters were wrong."""

    domains: int
    last_id: int
    differences: tuple[CounterDifference, ...]


class DomainStore(Protocol):
    async def block(self, name: str, reason: str) -> DomainStatus | None:
        """Leave the domain alone until a user unblocks it; returns its earlier status, None: it is not known.
        Its urls keep waiting."""
        ...

    async def unblock(self, name: str, reason: str) -> DomainStatus | None:
        """Allow requests to a blocked or unreachable domain again, with a clean record; returns as `block`
        does. Raises ForbiddenTransition if it is neither."""
        ...

    async def reset(self, name: str, reason: str) -> DomainStatus | None:
        """Queue every url of the domain again, with a clean record; returns as `block` does."""
        ...

    async def recalculate(self, run_id: int | None = None) -> int:
        """Compute the quality signals, scores and tiers again, for all domains or for those that the run
        requested last; returns for how many. Not one transaction: repeating is safe."""
        ...

    async def check(self, after_id: int, *, is_dry: bool) -> CounterCheck:
        """Compare the counters of the next domains, in the order of their ids, with what they count, and
        correct them unless `is_dry`. `domains` is 0 after the last one. Repeating is safe."""
        ...
