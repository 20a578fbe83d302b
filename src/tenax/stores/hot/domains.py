"""Counters and facts of domains: what both databases share. See contracts/domains.py."""

from collections.abc import Mapping
from dataclasses import fields

from tenax.clock import Instant
from tenax.policy.scoring import DomainFacts
from tenax.records.domains import DomainStatus
from tenax.stores.contracts.domains import CounterDifference
from tenax.stores.hot.column_lists import join_names

# Every counter of a domain d and the query that counts the same from the rows.
TRUTHS: Mapping[str, str] = {
    "queued": "SELECT count(*) FROM urls WHERE domain_id = d.id AND due_at IS NOT NULL",
    "pages_discovered": "SELECT count(*) FROM urls WHERE domain_id = d.id",
    "pages_crawled": "SELECT count(*) FROM pages WHERE domain_id = d.id",
    "pages_changed": "SELECT count(*) FROM changes WHERE domain_id = d.id AND kind <> 'new'",
    "requests": "SELECT count(*) FROM visits WHERE domain_id = d.id",
    "wire_bytes": "SELECT CAST(coalesce(sum(wire_bytes), 0) AS bigint) FROM visits WHERE domain_id = d.id",
    "total_errors": "SELECT count(*) FROM visits WHERE domain_id = d.id AND outcome = 'failed'",
    # Not from pages: a page that asked not to be stored was reached nevertheless.
    "depth_reached": "SELECT coalesce(max(u.depth), 0) FROM visits v JOIN urls u ON u.id = v.url_id"
    " WHERE v.domain_id = d.id AND v.outcome = 'fetched'",
    "images_found": "SELECT CAST(coalesce(sum(images_count), 0) AS bigint) FROM pages WHERE domain_id = d.id",
    "images_stored": "SELECT count(*) FROM images WHERE domain_id = d.id",
    "last_crawled_at": "SELECT max(at) FROM visits WHERE domain_id = d.id AND url_id IS NOT NULL",
}

_FACTS = tuple(field.name for field in fields(DomainFacts))
FACT_COLUMNS = join_names(_FACTS)


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
