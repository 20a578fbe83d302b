"""Changes of pages, newest first: a slice of them, or all of them in constant memory.

The list merges two tables. A new page is known by its own row in `pages`, every other change by a row in
`changes`; both are read in order of time.
"""

import heapq
from collections.abc import Collection, Iterator
from itertools import islice, takewhile
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, and_, literal, or_, select

from tenax.clock import Instant
from tenax.record import record, replace
from tenax.records.pages import ChangeKind
from tenax.stores.paging import (
    EMPTY,
    Conditions,
    ListPosition,
    ListSlice,
    SliceRequest,
    SortOrder,
    scan_slice,
)
from tenax.stores.queries.filters import (
    Facet,
    Facets,
    Filter,
    find_conditions,
    find_domain_id,
    find_names,
    list_span,
    source_of,
)
from tenax.stores.schema.domains import domains
from tenax.stores.schema.pages import changes, pages
from tenax.stores.schema.urls import urls
from tenax.stores.schema.visits import visits

ROWS_AT_ONCE: Final = 1000
_RECORDED: Final = SortOrder(keys={"at": changes.c.at}, number=changes.c.id)
_NEW: Final = SortOrder(keys={"at": pages.c.first_fetched_at}, number=pages.c.url_id)
_ALL, _NONE = (1 << 63) - 1, 0  # of the entries at the exact instant of a position
_RECORDED_FACETS: Final[Facets] = {
    Facet.RUN: changes.c.run_id,
    Facet.SOURCE: source_of(changes.c.domain_id),
    Facet.DATE: changes.c.at,
}

# Which run stored a page first is known only from the visit at that exact instant.
_FIRST_RUN = (
    select(visits.c.run_id)
    .where(
        visits.c.domain_id == pages.c.domain_id,
        visits.c.at == pages.c.first_fetched_at,
        visits.c.url_id == pages.c.url_id,
    )
    .limit(1)
)

_NEW_FACETS: Final[Facets] = {
    Facet.RUN: _FIRST_RUN.scalar_subquery(),
    Facet.SOURCE: source_of(pages.c.domain_id),
    Facet.DATE: pages.c.first_fetched_at,
}


@record
class PageChange:
    at: Instant
    kind: ChangeKind
    url: str
    domain: str
    title: str | None
    old_hash: int | None  # None: it was not seen before
    new_hash: int | None  # None: it is gone
    old_bytes: int | None
    new_bytes: int | None


@record
class ChangeFilter(Filter):
    kinds: Collection[ChangeKind] = tuple(ChangeKind)


class _Entry(NamedTuple):
    change: PageChange
    at: Instant
    number: int  # twice its id, plus one if it is from `changes`

    @property
    def rank(self) -> tuple[Instant, int, int]:
        """Entries are sorted by this, greatest first. At one instant, rows of `changes` precede new pages."""
        return _rank(ListPosition(self.at, self.number))


class _Conditions(NamedTuple):
    """Conditions on rows of `changes` and on new pages."""

    recorded: list[ColumnElement[bool]]
    new: list[ColumnElement[bool]]


def iter_changes(connection: Connection, only: ChangeFilter) -> Iterator[PageChange]:
    """All matching changes, in constant memory. Raises UsageError if the filter names something unknown."""
    find_names(connection, only)
    conditions = _find_conditions(connection, only)
    assert conditions is not None
    return _iter_merged(connection, conditions, only.kinds)


def _iter_merged(
    connection: Connection, conditions: _Conditions, kinds: Collection[ChangeKind]
) -> Iterator[PageChange]:
    """A new page is shown as it is now."""
    recorded = _select_recorded(kinds).where(*conditions.recorded)
    found = _iter_rows(connection, recorded, (changes.c.at, changes.c.id))
    if ChangeKind.NEW not in kinds:
        yield from found
        return
    new = _select_new().where(*conditions.new)
    found_new = _iter_rows(connection, new, (pages.c.first_fetched_at, pages.c.url_id))
    yield from heapq.merge(found, found_new, key=attrgetter("at"), reverse=True)


def _iter_rows(connection: Connection, statement: Select[Any], key: tuple[Any, Any]) -> Iterator[PageChange]:
    """`key`: the instant, and the id that tells entries of one instant apart."""
    at, number = key
    statement = statement.order_by(at.desc(), number.desc()).limit(ROWS_AT_ONCE)
    rows = connection.execute(statement).all()
    while rows:
        # A slow reader must not hold back the database's cleanup.
        connection.commit()
        yield from map(_read, rows)
        last = rows[-1]
        before = or_(at < last.at, and_(at == last.at, number < last.key))
        # Redundant, but the planner needs the first condition to choose the index.
        rows = connection.execute(statement.where(at <= last.at, before)).all()


def slice_changes(connection: Connection, wanted: SliceRequest, only: ChangeFilter) -> ListSlice[PageChange]:
    """A slice of the merged list. Like scan_slice, it stops after a while with what it has found."""
    conditions = _find_conditions(connection, only)
    if conditions is None:
        return EMPTY
    # One more than requested of each: which of them come first is known once they are merged.
    more = replace(wanted, limit=wanted.limit + 1)
    found = [_load_recorded(connection, more, only, conditions.recorded)]
    if ChangeKind.NEW in only.kinds:
        found.append(_load_new(connection, more, only, conditions.new))
    return _merge(found, wanted.limit)


def _merge(found: list[ListSlice[_Entry]], limit: int) -> ListSlice[PageChange]:
    """Stop at the end of an incomplete part: beyond it, entries of the other part may not be next."""
    ends = [part.next for part in found if part.next is not None]
    end = max(ends, key=_rank, default=None)
    merged: Iterator[_Entry] = heapq.merge(*(part.items for part in found), key=_get_rank, reverse=True)
    if end is not None:
        merged = takewhile(lambda entry: entry.rank >= _rank(end), merged)
    entries = list(islice(merged, limit + 1))
    shown = entries[:limit]
    last = ListPosition(shown[-1].at, shown[-1].number) if len(entries) > limit else end
    return ListSlice(items=[entry.change for entry in shown], next=last)


def _find_conditions(connection: Connection, only: ChangeFilter) -> _Conditions | None:
    """None: the domain is unknown."""
    found = _Conditions(
        recorded=find_conditions(connection, _RECORDED_FACETS, only),
        new=find_conditions(connection, _NEW_FACETS, only),
    )
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        if domain_id is None:
            return None
        found.recorded.append(changes.c.domain_id == domain_id)
        # The addition keeps the planner from using the index on domains, which returns rows unsorted.
        found.new.append(pages.c.domain_id + 0 == domain_id)
    return found


def _load_recorded(
    connection: Connection, wanted: SliceRequest, only: ChangeFilter, conditions: Conditions
) -> ListSlice[_Entry]:
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=ListPosition(value, number >> 1 if number & 1 else _NONE))
    found = scan_slice(
        connection,
        _select_recorded(only.kinds).where(*conditions),
        _RECORDED,
        wanted,
        lambda row: _Entry(_read(row), row.at, 2 * row.key + 1),
        list_span(_RECORDED_FACETS, only),
    )
    return replace(found, next=found.next and ListPosition(found.next.value, 2 * found.next.number + 1))


def _load_new(
    connection: Connection, wanted: SliceRequest, only: ChangeFilter, conditions: Conditions
) -> ListSlice[_Entry]:
    if wanted.after is not None:
        value, number = wanted.after
        wanted = replace(wanted, after=ListPosition(value, _ALL if number & 1 else number >> 1))
    found = scan_slice(
        connection,
        _select_new().where(*conditions),
        _NEW,
        wanted,
        lambda row: _Entry(_read(row), row.at, 2 * row.key),
        [pages.c.first_fetched_at.isnot(None), *list_span(_NEW_FACETS, only)],
    )
    return replace(found, next=found.next and ListPosition(found.next.value, 2 * found.next.number))


def _get_rank(entry: _Entry) -> tuple[Instant, int, int]:
    return entry.rank


def _rank(position: ListPosition) -> tuple[Instant, int, int]:
    return position.value, position.number & 1, position.number >> 1


def _select_recorded(kinds: Collection[ChangeKind]) -> Select[Any]:
    return (
        select(
            changes.c.id.label("key"),
            changes.c.at,
            changes.c.kind,
            urls.c.url,
            domains.c.name.label("domain"),
            changes.c.title,
            changes.c.old_hash,
            changes.c.new_hash,
            changes.c.old_bytes,
            changes.c.new_bytes,
        )
        .join(urls, urls.c.id == changes.c.url_id)
        .join(domains, domains.c.id == changes.c.domain_id)
        .where(changes.c.kind.in_(kinds))
    )


def _select_new() -> Select[Any]:
    return (
        select(
            pages.c.url_id.label("key"),
            pages.c.first_fetched_at.label("at"),
            literal(ChangeKind.NEW.value).label("kind"),
            urls.c.url,
            domains.c.name.label("domain"),
            pages.c.title,
            literal(None).label("old_hash"),
            pages.c.content_hash.label("new_hash"),
            literal(None).label("old_bytes"),
            pages.c.body_bytes.label("new_bytes"),
        )
        .join(urls, urls.c.id == pages.c.url_id)
        .join(domains, domains.c.id == pages.c.domain_id)
        .where(pages.c.first_fetched_at.isnot(None))
    )


def _read(row: Any) -> PageChange:
    return PageChange(
        at=row.at,
        kind=ChangeKind(row.kind),
        url=row.url,
        domain=row.domain,
        title=row.title,
        old_hash=row.old_hash,
        new_hash=row.new_hash,
        old_bytes=row.old_bytes,
        new_bytes=row.new_bytes,
    )
