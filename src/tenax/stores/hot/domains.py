"""The contract of those who look after domains, whatever crawls beside them.

Orders of a person (block, unblock, reset) are one transaction each and lift the fence: a worker that holds
the domain loses it. It may go on asking until it hears of that, at the latest when its lease ends, so nobody
else gets the domain before then.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Protocol

from tenax.clock import Instant
from tenax.policy.scoring import DomainFacts
from tenax.record import record
from tenax.records import DomainStatus
from tenax.stores.hot.column_lists import join_names

# Every counter of a domain d beside the query that counts what it stands for.
TRUTHS: Mapping[str, str] = {
    "queued": "SELECT count(*) FROM urls WHERE domain_id = d.id AND due_at IS NOT NULL",
    "pages_discovered": "SELECT count(*) FROM urls WHERE domain_id = d.id",
    "pages_crawled": "SELECT count(*) FROM pages WHERE domain_id = d.id",
    "pages_changed": "SELECT count(*) FROM changes WHERE domain_id = d.id AND kind <> 'new'",
    "requests": "SELECT count(*) FROM visits WHERE domain_id = d.id",
    "wire_bytes": "SELECT CAST(coalesce(sum(wire_bytes), 0) AS bigint) FROM visits WHERE domain_id = d.id",
    "total_errors": "SELECT count(*) FROM visits WHERE domain_id = d.id AND outcome = 'failed'",
    # Not from pages: one that asked not to be kept was reached all the same.
    "depth_reached": "SELECT coalesce(max(u.depth), 0) FROM visits v JOIN urls u ON u.id = v.url_id"
    " WHERE v.domain_id = d.id AND v.outcome = 'fetched'",
    "images_found": "SELECT CAST(coalesce(sum(images_count), 0) AS bigint) FROM pages WHERE domain_id = d.id",
    "images_stored": "SELECT count(*) FROM images WHERE domain_id = d.id",
    "last_crawled_at": "SELECT max(at) FROM visits WHERE domain_id = d.id AND url_id IS NOT NULL",
}

_FACTS = tuple(field.name for field in fields(DomainFacts))
FACT_COLUMNS = join_names(_FACTS)


@record
class CounterDifference:
    """A counter that is not what it counts."""

    domain: str
    counter: str
    stored: int | Instant | None
    counted: int | Instant | None


@record
class CounterCheck:
    """So many domains were looked at, and these counters were wrong."""

    domains: int
    last_id: int
    differences: tuple[CounterDifference, ...]


class DomainStore(Protocol):
    async def block(self, name: str, reason: str) -> DomainStatus | None:
        """Leave the domain alone until somebody unblocks it; returns its earlier status, None: it is not
        known. Its urls keep waiting."""
        ...

    async def unblock(self, name: str, reason: str) -> DomainStatus | None:
        """Let a domain that is blocked or unreachable be asked again, with a clean record; returns as `block`
        does. Raises ForbiddenTransition when it is neither."""
        ...

    async def reset(self, name: str, reason: str) -> DomainStatus | None:
        """Want every url of the domain again, with a clean record; returns as `block` does."""
        ...

    async def recalculate(self, run_id: int | None = None) -> int:
        """Compute the quality signals, scores and tiers anew, of all domains or of those that the run asked
        last; returns of how many. Not one transaction: repeating is safe."""
        ...

    async def check(self, after_id: int, *, is_dry: bool) -> CounterCheck:
        """Compare the counters of the next domains, in the order of their ids, with what they count, and
        correct them unless `is_dry`. `domains` is 0 after the last one. Repeating is safe."""
        ...


def read_facts(row: tuple[object, ...]) -> DomainFacts:
    """From FACT_COLUMNS."""
    facts = dict(zip(_FACTS, row, strict=True))
    return DomainFacts(**{**facts, "status": DomainStatus(str(facts["status"]))})  # type: ignore[arg-type]


def compare(name: str, values: tuple[int | Instant | None, ...]) -> list[CounterDifference]:
    """`values`: each counter as it is stored, and as it was counted, in the order of TRUTHS."""
    pairs = zip(TRUTHS, values[::2], values[1::2], strict=True)
    return [
        CounterDifference(domain=name, counter=counter, stored=stored, counted=counted)
        for counter, stored, counted in pairs
        if stored != counted
    ]


CHECKED_COLUMNS = ", ".join(f"d.{counter}, ({truth})" for counter, truth in TRUTHS.items())
