"""Links out of scope in a batch, as the values of rows: the same for every database. Pure."""

from collections.abc import Sequence
from typing import Any

from tenax.clock import Instant
from tenax.records.visits import Fetched
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.outcomes import iter_visits

# Bounds what a batch writes, whatever its pages link to. Some of the others will be found again.
DOMAINS_AT_ONCE = 300


def discovered_rows(works: Sequence[DomainWork], now: Instant) -> list[tuple[Any, ...]]:
    """A row per domain, in the order of their names: (domain, url, discovered_from, links, pages,
    first_seen_at, last_seen_at)"""
    found: dict[str, list[Any]] = {}
    for _, visit in iter_visits(works):
        if not isinstance(visit.outcome, Fetched):
            continue
        for domain, url, links in visit.outcome.outside:
            row = found.get(domain)
            if row is not None:
                row[3] += links
                row[4] += 1
            elif len(found) < DOMAINS_AT_ONCE:
                found[domain] = [domain, url, visit.target.id, links, 1, now, now]
    return [tuple(found[domain]) for domain in sorted(found)]
