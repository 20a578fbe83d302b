"""Items: the list, one with the urls that show it, and how many there are of each kind."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

import orjson
from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select

from tenax.clock import Instant
from tenax.record import record
from tenax.records.jobs import NO_SOURCE
from tenax.stores.paging import (
    EMPTY,
    ListPosition,
    ListSlice,
    SliceRequest,
    SortOrder,
    contains,
    scan_slice,
)
from tenax.stores.queries.filters import Facet, Facets, Filter, find_domain_id, find_names, list_span
from tenax.stores.queries.item_fields import FieldComparison, compare_field, has_field
from tenax.stores.schema.domains import domains
from tenax.stores.schema.items import items, observations
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

# One slice holds no more, however large its items are; at least one item.
MOST_CHARS: Final = 4_000_000
MOST_OBSERVATIONS: Final = 100
MOST_KINDS: Final = 500
ORDER: Final = SortOrder(keys={"id": items.c.id, "changed_at": items.c.changed_at}, number=items.c.id)

ITEM_FACETS: Final[Facets] = {
    Facet.RUN: items.c.run_id,
    Facet.SOURCE: items.c.source_id,
    Facet.DOMAIN: items.c.domain_id,
    Facet.DATE: items.c.changed_at,
    Facet.KIND: items.c.kind,
}


class ItemState(StrEnum):
    PRESENT = "present"  # a url shows it
    GONE = "gone"


@record
class ItemFilter(Filter):
    """`since` and `until` are about the last change."""

    parser: str | None = None
    state: ItemState | None = None
    url_id: int | None = None  # items that this url shows
    key: str | None = None
    text: str | None = None  # in the key or the data
    fields: Sequence[FieldComparison] = ()
    having: str | None = None  # items that have this field


@record
class ItemSummary:
    id: int
    source_id: int
    source: str | None  # its name; None: it was removed
    kind: str
    key: str
    # of the newest observation
    url_id: int
    url: str
    domain: str
    run_id: int
    parser: str
    parser_version: str
    data: dict[str, Any]
    confidence: float | None  # None: the parser does not say
    field_confidence: dict[str, float] | None
    first_seen_at: Instant
    last_seen_at: Instant
    changed_at: Instant
    gone_at: Instant | None
    changes: int

    @property
    def state(self) -> ItemState:
        return ItemState.PRESENT if self.gone_at is None else ItemState.GONE


@record
class ItemObservation:
    """That a url shows an item."""

    url_id: int
    url: str
    parser: str
    parser_version: str
    at: Instant  # when it was last seen
    confidence: float | None
    data: dict[str, Any] | None  # None: as in the item


@record
class KindCount:
    kind: str
    items: int  # those that are gone included


def slice_items(connection: Connection, wanted: SliceRequest, only: ItemFilter) -> ListSlice[ItemSummary]:
    """Raises UsageError if the filter names something unknown."""
    within = _find_within(connection, wanted, only)
    if within is None:
        return EMPTY
    sizes = select(items.c.id, func.length(items.c.data).label("chars")).where(
        *_list_conditions(connection, only)
    )
    found = scan_slice(connection, sizes, ORDER, wanted, lambda row: row, within)
    fitting = _count_fitting(found.items)
    shown = load_items(connection, [row.id for row in found.items[:fitting]])
    end = found.next
    if fitting < len(found.items):
        last = shown[-1]
        end = ListPosition(getattr(last, wanted.key), last.id)
    return ListSlice(items=shown, next=end)


def _count_fitting(rows: Sequence[Row[*tuple[Any, ...]]]) -> int:
    chars = 0
    for number, row in enumerate(rows):
        chars += row.chars
        if chars > MOST_CHARS and number:
            return number
    return len(rows)


def _find_within(
    connection: Connection, wanted: SliceRequest, only: ItemFilter
) -> list[ColumnElement[bool]] | None:
    """The conditions that the index of the list answers as well; None: nothing can match."""
    names = find_names(connection, Filter(run_id=only.run_id, source=only.source))
    if only.url_id is not None:
        shown = select(observations.c.item_id).where(observations.c.url_id == only.url_id)
        return [items.c.id.in_(shown)]
    if only.key is not None and only.item_kind is not None:
        chosen = _list_sources(connection, names.source_id)
        return [items.c.source_id.in_(chosen), items.c.kind == only.item_kind, items.c.key == only.key]
    if wanted.key == "changed_at":
        return list_span(ITEM_FACETS, only)
    if only.domain is not None:
        domain_id = find_domain_id(connection, only.domain)
        return None if domain_id is None else [items.c.domain_id == domain_id]
    if only.item_kind is not None:
        return [items.c.kind == only.item_kind]
    return [] if names.source_id is None else [items.c.source_id == names.source_id]


def _list_conditions(connection: Connection, only: ItemFilter) -> list[ColumnElement[bool]]:
    """All of them. Additions keep the planner from indexes that return rows in another order."""
    names = find_names(connection, Filter(source=only.source))
    domain_id = None if only.domain is None else find_domain_id(connection, only.domain) or 0
    equal: list[tuple[ColumnElement[Any], Any]] = [
        (items.c.run_id, only.run_id),
        (items.c.source_id + 0, names.source_id),
        (items.c.domain_id + 0, domain_id),
        (items.c.kind + "", only.item_kind),
        (items.c.key + "", only.key),
        (items.c.parser, only.parser),
    ]
    conditions: list[ColumnElement[bool]] = [
        column == value for column, value in equal if value is not None
    ] + list_span(ITEM_FACETS, only)
    if only.state is not None:
        is_gone = only.state is ItemState.GONE
        conditions.append(items.c.gone_at.is_not(None) if is_gone else items.c.gone_at.is_(None))
    if only.text is not None:
        conditions.append(or_(contains(items.c.key, only.text), contains(items.c.data, only.text)))
    dialect = connection.dialect.name
    if only.having is not None:
        conditions.append(has_field(dialect, items.c.data, only.having))
    return conditions + [compare_field(dialect, items.c.data, each) for each in only.fields]


def load_items(connection: Connection, ids: Sequence[int]) -> list[ItemSummary]:
    """Those that there are, in this order."""
    rows = connection.execute(_select().where(items.c.id.in_(ids))) if ids else ()
    found = {row.id: _read(row) for row in rows}
    return [found[id] for id in ids if id in found]


def find_item(connection: Connection, item_id: int) -> ItemSummary | None:
    return next(iter(load_items(connection, [item_id])), None)


def find_by_key(connection: Connection, kind: str, key: str, source: str | None) -> list[ItemSummary]:
    """Items of several sources may have the same kind and key. Raises UsageError for an unknown source."""
    names = find_names(connection, Filter(source=source))
    statement = _select().where(items.c.kind == kind, items.c.key == key).order_by(items.c.id)
    chosen = _list_sources(connection, names.source_id)
    return [_read(row) for row in connection.execute(statement.where(items.c.source_id.in_(chosen)))]


def _list_sources(connection: Connection, source_id: int | None) -> list[int]:
    """The ids of all sources, unless there is one: the index on keys starts with them."""
    return [NO_SOURCE, *connection.scalars(select(sources.c.id))] if source_id is None else [source_id]


def list_observations(connection: Connection, item_id: int) -> list[ItemObservation]:
    """The newest ones."""
    statement = (
        select(observations, urls.c.url)
        .join(urls, urls.c.id == observations.c.url_id)
        .where(observations.c.item_id == item_id)
        .order_by(observations.c.at.desc(), observations.c.id.desc())
        .limit(MOST_OBSERVATIONS)
    )
    return [
        ItemObservation(
            url_id=row.url_id,
            url=row.url,
            parser=row.parser,
            parser_version=row.parser_version,
            at=row.at,
            confidence=row.confidence,
            data=None if row.data is None else orjson.loads(row.data),
        )
        for row in connection.execute(statement)
    ]


def count_observations(connection: Connection, item_id: int) -> int:
    counted = select(func.count()).where(observations.c.item_id == item_id)
    return connection.scalar(counted) or 0


def load_shown_by(
    connection: Connection, only: Filter, item_id: int | None, after: int, limit: int
) -> tuple[list[tuple[int, str]], int | None]:
    """Ids and addresses of the urls that show the next items, by the source, domain and kind of the filter,
    or one item; and the last item, after which to go on. None: there are no more. Raises UsageError for an
    unknown source or domain."""
    names = find_names(connection, Filter(source=only.source, domain=only.domain))
    statement = select(items.c.id).where(items.c.id > after).order_by(items.c.id).limit(limit)
    equal = (
        (items.c.id, item_id),
        (items.c.kind, only.item_kind),
        (items.c.source_id, names.source_id),
        (items.c.domain_id, names.domain_id),
    )
    chosen = connection.scalars(
        statement.where(*(column == value for column, value in equal if value is not None))
    ).all()
    if not chosen:
        return [], None
    shown = (
        select(urls.c.id, urls.c.url)
        .join(observations, observations.c.url_id == urls.c.id)
        .where(observations.c.item_id.in_(chosen))
        .distinct()
    )
    return [(row.id, row.url) for row in connection.execute(shown)], chosen[-1]


def list_kinds(connection: Connection, source: str | None = None) -> list[KindCount]:
    """The kinds and how many items each has, by the index alone. Raises UsageError for an unknown source."""
    source_id = find_names(connection, Filter(source=source)).source_id
    within = [] if source_id is None else [items.c.source_id == source_id]
    found: list[KindCount] = []
    after = connection.scalar(select(func.min(items.c.kind)).where(*within))
    while after is not None and len(found) < MOST_KINDS:
        counted = select(func.count()).select_from(items).where(*within, items.c.kind == after)
        found.append(KindCount(kind=after, items=connection.scalar(counted) or 0))
        after = connection.scalar(select(func.min(items.c.kind)).where(*within, items.c.kind > after))
    return found


def _select() -> Select[Any]:
    return (
        select(items, urls.c.url, domains.c.name.label("domain"), sources.c.name.label("source"))
        .join(urls, urls.c.id == items.c.url_id)
        .join(domains, domains.c.id == items.c.domain_id)
        .outerjoin(sources, sources.c.id == items.c.source_id)
    )


def _read(row: Row[*tuple[Any, ...]]) -> ItemSummary:
    return ItemSummary(
        id=row.id,
        source_id=row.source_id,
        source=row.source,
        kind=row.kind,
        key=row.key,
        url_id=row.url_id,
        url=row.url,
        domain=row.domain,
        run_id=row.run_id,
        parser=row.parser,
        parser_version=row.parser_version,
        data=orjson.loads(row.data),
        confidence=row.confidence,
        field_confidence=None if row.field_confidence is None else orjson.loads(row.field_confidence),
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        changed_at=row.changed_at,
        gone_at=row.gone_at,
        changes=row.changes,
    )
