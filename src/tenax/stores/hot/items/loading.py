"""What parsers need to know of urls that are to be visited."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from tenax.record import replace
from tenax.records.items import FollowUp, PageItems
from tenax.records.urls import Target
from tenax.stores.contracts.batches import LoadedDomain, QueueHead

# The parameters are the ids of the urls, as the database takes a list, and the source of the run.
LIST_PARSED: Final = """
    SELECT url_id, parsed_by, items_hash, kinds
    FROM parsed_urls
    WHERE url_id {is_one} AND source_id = ?2
"""
LIST_FOLLOW_UPS: Final = """
    SELECT url_id, parser, data
    FROM follow_ups
    WHERE url_id {is_one} AND source_id = ?2
    ORDER BY url_id, parser
"""

FollowUps = Mapping[int, tuple[FollowUp, ...]]  # by url
Parsed = Mapping[int, tuple[int, PageItems | None]]  # by url: which parsers, and what they found


def list_target_ids(heads: Iterable[QueueHead]) -> list[int]:
    return [target.id for head in heads for target in head.targets]


def read_parsed(rows: Iterable[Sequence[Any]]) -> Parsed:
    """From LIST_PARSED."""
    return {
        url_id: (
            parsed_by,
            None if kinds is None else PageItems(hash=items_hash, kinds=tuple(orjson.loads(kinds))),
        )
        for url_id, parsed_by, items_hash, kinds in rows
    }


def read_follow_ups(rows: Iterable[Sequence[Any]]) -> FollowUps:
    """From LIST_FOLLOW_UPS."""
    found: defaultdict[int, tuple[FollowUp, ...]] = defaultdict(tuple)
    for url_id, parser, data in rows:
        found[url_id] += (FollowUp(parser=parser, data=data),)
    return found


def complete_domains(domains: Iterable[LoadedDomain], heads: Iterable[QueueHead]) -> list[LoadedDomain]:
    return [replace(domain, head=head) for domain, head in zip(domains, heads, strict=True)]


def complete_heads(heads: Iterable[QueueHead], parsed: Parsed, follow_ups: FollowUps) -> list[QueueHead]:
    return [
        replace(
            head,
            targets=tuple(_complete_target(target, parsed, follow_ups) for target in head.targets),
        )
        for head in heads
    ]


def _complete_target(target: Target, parsed: Parsed, follow_ups: FollowUps) -> Target:
    parsed_by, shown = parsed.get(target.id, (None, None))
    return replace(target, parsed_by=parsed_by, shown=shown, follow_ups=follow_ups.get(target.id, ()))
