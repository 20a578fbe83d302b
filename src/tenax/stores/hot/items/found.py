"""What the visits of a batch say of items. Pure."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import orjson

from tenax.clock import Instant
from tenax.policy.revisit import is_miss, is_unwanted, keeps_fate
from tenax.policy.shown_items import find_shown
from tenax.record import record
from tenax.records.items import MAX_KEY_CHARS, MAX_KIND_CHARS, FoundItem, Parsing
from tenax.records.visits import Fetched, Merged, Unchanged, Visit
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.outcomes import iter_visits

NUL: Final = "\0"


class ItemName(NamedTuple):
    """Of an item within its source."""

    kind: str
    key: str


@record
class Sighting:
    """An item on the page of a url."""

    name: ItemName
    url_id: int
    domain_id: int
    at: Instant
    parser: str
    version: str
    item: FoundItem


@record
class FoundItems:
    """What a batch found. If there are two visits to a url, the last one counts."""

    sightings: dict[tuple[int, ItemName], Sighting]  # by url and item; valid items
    invalid: list[Sighting]
    # Parsers that have read the page of a url: what they saw there before is replaced.
    replaced: dict[tuple[int, str], Instant]
    withdrawn: dict[int, Instant]  # urls that have no page any more
    touched: dict[int, Instant]  # urls whose page is as it was
    parsed: list[tuple[int, int, int, int, str]]  # (url, domain, parsers, hash of items, kinds)
    unparsed: list[int]  # urls that have none

    @property
    def url_ids(self) -> list[int]:
        """Of all urls whose observations may change."""
        return sorted({*self.withdrawn, *self.touched, *(url_id for url_id, _ in self.replaced)})

    @property
    def names(self) -> list[ItemName]:
        return sorted({name for _, name in self.sightings})


def find_items(works: Sequence[DomainWork]) -> FoundItems:
    found = FoundItems(
        sightings={}, invalid=[], replaced={}, withdrawn={}, touched={}, parsed=[], unparsed=[]
    )
    last = {visit.target.id: (work.lease.domain_id, visit) for work, visit in iter_visits(works)}
    for url_id, (domain_id, visit) in last.items():
        if isinstance(visit.outcome, Fetched):
            _add_page(found, domain_id, visit)
        elif isinstance(visit.outcome, Unchanged):
            found.touched[url_id] = visit.at
        elif _is_withdrawn(visit):
            found.withdrawn[url_id] = visit.at
            found.unparsed.append(url_id)
    return found


def _is_withdrawn(visit: Visit) -> bool:
    """Whether its url has no page any more, as certain as that is for the page itself."""
    has_none = is_miss(visit) or is_unwanted(visit) or isinstance(visit.outcome, Merged)
    return has_none and not keeps_fate(visit)


def _add_page(found: FoundItems, domain_id: int, visit: Visit) -> None:
    url_id = visit.target.id
    shown = find_shown(visit)
    if visit.parsed_by is not None and shown is not None:
        kinds = orjson.dumps([fit_text(kind, MAX_KIND_CHARS) for kind in shown.kinds]).decode()
        found.parsed.append((url_id, domain_id, visit.parsed_by, shown.hash, kinds))
    else:
        # A parser that failed gets the page again, even if it has not changed.
        found.unparsed.append(url_id)
    for parsing in visit.parsings:
        if parsing.error is not None:
            continue
        found.replaced[url_id, parsing.parser] = visit.at
        for sighting in _list_sightings(domain_id, visit, parsing):
            if sighting.item.faults:
                found.invalid.append(sighting)
            else:
                found.sightings[url_id, sighting.name] = sighting


def _list_sightings(domain_id: int, visit: Visit, parsing: Parsing) -> Iterator[Sighting]:
    for item in parsing.items:
        yield Sighting(
            name=ItemName(fit_text(item.kind, MAX_KIND_CHARS), fit_text(item.key, MAX_KEY_CHARS)),
            url_id=visit.target.id,
            domain_id=domain_id,
            at=visit.at,
            parser=parsing.parser,
            version=parsing.version,
            item=item,
        )


def count_items(works: Sequence[DomainWork]) -> int:
    """Valid items that the visits yielded."""
    return sum(
        not item.faults
        for _, visit in iter_visits(works)
        for parsing in visit.parsings
        for item in parsing.items
    )


def fit_text(value: str, limit: int) -> str:
    """As both databases can store it: one text that they refuse would keep a whole batch from being
    settled."""
    if len(value) > limit:
        value = value[:limit]
    if value.isascii():
        return value.replace(NUL, "\ufffd") if NUL in value else value
    return value.encode("utf-8", "replace").decode().replace(NUL, "\ufffd")


def invalid_rows(found: FoundItems, source_id: int, run_id: int) -> list[tuple[Any, ...]]:
    """Rows of `invalid_items`, in the order of their key. Of two with the same key, the last one counts."""
    rows = {
        (each.url_id, each.parser, each.name): (
            source_id,
            each.domain_id,
            each.url_id,
            *each.name,
            each.parser,
            each.version,
            each.item.data,
            orjson.dumps(each.item.faults).decode(),
            each.at,
            run_id,
        )
        for each in found.invalid
    }
    return [row for _, row in sorted(rows.items(), key=lambda entry: entry[0])]
