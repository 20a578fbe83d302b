"""The images of a batch, as the values of rows: the same for every database. Pure."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

from tenax.clock import Instant
from tenax.record import record
from tenax.records.visits import Fetched
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.hot.outcomes import iter_visits


@record
class ImageCounts:
    """What a batch adds to the counters of each domain."""

    found: Counter[int]  # on its pages; negative if pages show fewer than before
    stored: Counter[int]


def image_rows(batch: Batch, works: Sequence[DomainWork], now: Instant) -> list[tuple[Any, ...]]:
    """Each image once, by key: (key, url, url_id, domain_id, run_id, alt, discovery, first_seen_at)"""
    rows: dict[int, tuple[Any, ...]] = {}
    for work, visit in iter_visits(works):
        if not isinstance(visit.outcome, Fetched) or not visit.outcome.new_images:
            continue
        page = (visit.target.id, work.lease.domain_id, batch.run_id)
        discovery = "discovery" if visit.target.content_hash is None else "refresh"
        for image in visit.outcome.new_images:
            if image.key not in rows:
                rows[image.key] = (image.key, image.url, *page, image.alt, discovery, now)
    return [rows[key] for key in sorted(rows)]


def count_found(
    works: Sequence[DomainWork], before: Counter[int], after: Counter[int], unkept: Collection[int]
) -> Counter[int]:
    """`before` and `after`: on the pages of the batch that were stored already, by domain; `unkept`: ids of
    urls whose page is not stored."""
    # If there are two visits to a url, the last one counts.
    first = {
        visit.target.id: (work.lease.domain_id, visit.outcome.page.images_count)
        for work, visit in iter_visits(works)
        if visit.target.content_hash is None
        and isinstance(visit.outcome, Fetched)
        and visit.target.id not in unkept
    }
    found = Counter(after)
    found.subtract(before)
    for domain_id, number in first.values():
        found[domain_id] += number
    return found
