"""What has happened to pages, in parts, the newest first: two lists as one. See changes.py."""

import heapq
from collections.abc import Collection, Iterator
from itertools import islice, takewhile
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from tenax.clock import Instant
from tenax.record import record, replace
from tenax.records.pages import ChangeKind
from tenax.stores.paging import (
    NOTHING,
    Conditions,
    ListPosition,
    ListSlice,
    SliceRequest,
    SortOrder,
    scan_slice,
)
from tenax.stores.queries.changes import (
    PageChange,
    find_domain_id,
    iter_changes,
    read_change,
    select_first,
    select_told,
)
from tenax.stores.queries.filters import (
    Facet,
    Facets,
    Filter,
    find_conditions,
    find_names,
    list_span,
    source_of,
)
from tenax.stores.schema.crawl import changes, pages, visits

_TOLD: Final = SortOrder(keys={"at": changes.c.at}, number=changes.c.id)
_FIRST: Final = SortOrder(keys={"at": pages.c.first_fetched_at}, number=pages.c.url_id)
_ALL, _NONE = (1 << 63) - 1, 0  # of those at the very instant of a position

_TOLD_FACETS: Final[Facets] = {
    Facet.RUN: changes.c.run_id,
    Facet.SOURCE: source_of(changes.c.domain_id),
    Facet.DATE: changes.c.at,
}
# Who stored a page first, only the log of that very instant tells.
_FIRST_VISIT = (
    select(visits.c.run_id)
    .where(
        visits.c.domain_id == pages.c.domain_id,
        visits.c.at == pages.c.first_fetched_at,
        visits.c.url_id == pages.c.url_id,
    )
    .limit(1)
)
_FIRST_FACETS: Final[Facets] = {
    Facet.RUN: _FIRST_VISIT.scalar_subquery(),
    Facet.SOURCE: source_of(pages.c.domain_id),
    Facet.DATE: pages.c.first_fetched_at,
}


class _Entry(NamedTuple):
    change: PageChange
    at: Instant
    number: int  # twice its id, and one more for those that `changes` tells

    @property
    def rank(self) -> tuple[Instant, int, int]:
        """The greatest first. At one instant, what `changes` tells comes before new pages."""
        return _rank(ListPosition(self.at, self.number))


class _Wanted(NamedTuple):
    told: list[ColumnElement[bool]]
    first: list[ColumnElement[bool]]


@record
class ChangeFilter(Filter):
    kinds: Collection[ChangeKind] = tuple(ChangeKind)


def iter_filtered(connection: Connection, only: ChangeFilter) -> Iterator[PageChange]:
    """All of them, in constant memory. Raises UsageError where the filter names what is not known."""
    find_names(connection, only)
    conditions = _find_conditions(connection, only)
    assert conditions is not None
    return iter_changes(connection, told=conditions.told, first=conditions.first, kinds=only.kinds)


def slice_changes(connection: Connection, wanted: SliceRequest, only: ChangeFilter) -> ListSlice[PageChange]:
    """Ends after a while with what it has found, as scan_slice does."""
    conditions = _find_conditions(connection, only)
    if conditions is None:
        return NOTHING
    # One more than wanted of each: which of them come first is seen when they are put together.
    more = replace(wanted, limit=wanted.limit + 1)
    found = [_load_told(connection, more, only, conditions.told)]
    if ChangeKind.NEW in only.kinds:
        found.append(_load_first(connection, more, only, conditions.first))
    return _merge(found, wanted.limit)


def _merge(found: list[ListSlice[_Entry]], limit: int) -> ListSlice[PageChange]:
    """Beyond the end of one that is not complete, entries of the other may not be next."""
    ends = [part.next for part in found if part.next is not None]
    end = max(ends, key=_rank, default=None)
    merged: Iterator[_Entry] = heapq.merge(*(part.items for part in found), key=_get_rank, reverse=True)
    if end is not None:
        merged = takewhile(lambda entry: entry.rank >= _rank(end), merged)
    entries = list(islice(merged, limit + 1))
    shown = entries[:limit]
    last = ListPosition(shown[-1].at, shown[-1].number) if len(entries) > limit else end
    return ListSlice(items=[entry.change for entry in shown], next=last)


def _find_conditions(connection: Connection, only: ChangeFilter) -> _Wanted | None:
    """None: the domain is not known."""
    found = _Wanted(
        told=find_conditions(connection, _TOLD_FACETS, only),
        first=find_conditions(connection, _FIRST_FACETS, only),
    )
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return None
        found.told.append(changes.c.domain_id == domain_id)
        # The addition keeps the index of domains out of it, which would bring all of them unsorted.
        found.first.append(pages.c.domain_id + 0 == domain_id)
    return found


def _load_told(
    connection: Connection, wanted: SliceRequest, only: ChangeFilter, conditions: Conditions
) -> ListSlice[_Entry]:
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=ListPosition(value, number >> 1 if number & 1 else _NONE))
    found = scan_slice(
        connection,
        select_told(only.kinds).where(*conditions),
        _TOLD,
        wanted,
        lambda row: _Entry(read_change(row), row.at, 2 * row.key + 1),
        list_span(_TOLD_FACETS, only),
    )
    return replace(found, next=found.next and ListPosition(found.next.value, 2 * found.next.number + 1))


def _load_first(
    connection: Connection, wanted: SliceRequest, only: ChangeFilter, conditions: Conditions
) -> ListSlice[_Entry]:
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=ListPosition(value, _ALL if number & 1 else number >> 1))
    found = scan_slice(
        connection,
        select_first().where(*conditions),
        _FIRST,
        wanted,
        lambda row: _Entry(read_change(row), row.at, 2 * row.key),
        [pages.c.first_fetched_at.isnot(None), *list_span(_FIRST_FACETS, only)],
    )
    return replace(found, next=found.next and ListPosition(found.next.value, 2 * found.next.number))


def _get_rank(entry: _Entry) -> tuple[Instant, int, int]:
    return entry.rank


def _rank(position: ListPosition) -> tuple[Instant, int, int]:
    return position.value, position.number & 1, position.number >> 1
