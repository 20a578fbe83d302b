"""What a page showed of items, and whether that changed. Menus and dates around an item do not change it."""

from typing import Final

import xxhash

from tenax.records.items import PageItems
from tenax.records.visits import Fetched, Visit

MOST_KINDS: Final = 50


def find_shown(visit: Visit) -> PageItems | None:
    """The items that a visit found; None: no parser is for its page, or one failed."""
    if visit.parsed_by is None or not isinstance(visit.outcome, Fetched):
        return None
    items = [item for parsing in visit.parsings for item in parsing.items]
    said = "\n".join(sorted(f"{item.kind}\t{item.key}\t{item.content_hash}" for item in items))
    digest = xxhash.xxh3_64_intdigest(said.encode("utf-8", "replace")) if items else 0
    kinds = sorted({item.kind for item in items})[:MOST_KINDS]
    return PageItems(hash=digest - (1 << 64) if digest >> 63 else digest, kinds=tuple(kinds))


def compare_shown(visit: Visit) -> bool | None:
    """Whether the items of a page are those of its last visit; None: they do not say. Another version of a
    parser finds other items on the same page, and a page without items may be a list that grows."""
    before, now = visit.target.shown, find_shown(visit)
    if before is None or now is None or visit.parsed_by != visit.target.parsed_by:
        return None
    if not (before.kinds or now.kinds):
        return None
    return before == now


def list_kinds(visit: Visit) -> tuple[str, ...]:
    """The kinds of the items on a page, or of its last visit if this one does not say."""
    shown = find_shown(visit) or visit.target.shown
    return () if shown is None else shown.kinds
