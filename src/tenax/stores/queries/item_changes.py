"""Changes of items: the history of one, and the feed of all, in an order in which no reader misses any."""

from collections.abc import Sequence
from typing import Any, Final

import orjson
from sqlalchemy import Connection, Row, Select, select

from tenax.clock import Instant, format_instant
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.stores.change_log import LogEntry, LogPosition, LogTopic, read_log
from tenax.stores.paging import ListSlice, SliceRequest, SortOrder, load_slice
from tenax.stores.queries.filters import Filter, find_names
from tenax.stores.schema.items import item_changes, items
from tenax.stores.schema.jobs import sources
from tenax.stores.schema.urls import urls

HISTORY_ORDER: Final = SortOrder(keys={"id": item_changes.c.id}, number=item_changes.c.id)
# One answer holds no more, however large the items are; at least one change.
MOST_CHARS: Final = 4_000_000
MOST_FIELD_BYTES: Final = 16_384  # in a message

FieldChanges = dict[str, list[Any]]  # field → [old, new]


@record
class ItemChange:
    id: int
    at: Instant
    kind: ItemChangeKind
    fields: FieldChanges | None  # None: it is gone
    url_id: int
    url: str | None  # that showed it, or no longer shows it; None: the url was deleted
    run_id: int
    parser: str
    parser_version: str


@record
class LoggedChange:
    """A change with its place in the change log, and its item as it is now."""

    position: LogPosition
    change: ItemChange
    item_id: int
    source_id: int
    source: str | None
    item_kind: str
    key: str
    data: dict[str, Any]


@record
class ChangeFeed:
    changes: list[LoggedChange]
    end: LogPosition  # where the next call goes on


def slice_history(connection: Connection, wanted: SliceRequest, item_id: int) -> ListSlice[ItemChange]:
    statement = _select().where(item_changes.c.item_id == item_id)
    return load_slice(connection, statement, HISTORY_ORDER, wanted, _read)


def read_feed(
    connection: Connection, after: LogPosition, limit: int, only: Filter | None = None
) -> ChangeFeed:
    """The next changes of items; of the filter, its source and its kind of item count. There may be fewer
    than `limit` although more follow: the end has been reached when it is the same as `after`. Raises
    UsageError for an unknown source."""
    only = only or Filter()
    source_id = find_names(connection, Filter(source=only.source)).source_id
    entries = read_log(connection, after, limit, [LogTopic.ITEM], source_id)
    end = entries[-1].position if entries else after
    found = list_logged(connection, entries, only.item_kind)
    fitting = _count_fitting(found)
    if fitting < len(found):
        found, end = found[:fitting], found[fitting - 1].position
    return ChangeFeed(changes=found, end=end)


def list_logged(
    connection: Connection, entries: Sequence[LogEntry], item_kind: str | None = None
) -> list[LoggedChange]:
    """What the entries are about, in their order; without what has been deleted since."""
    statement = (
        _select()
        .add_columns(
            items.c.source_id,
            sources.c.name.label("source"),
            items.c.kind.label("item_kind"),
            items.c.key,
            items.c.data,
        )
        .join(items, items.c.id == item_changes.c.item_id)
        .outerjoin(sources, sources.c.id == items.c.source_id)
        .where(item_changes.c.id.in_([entry.subject_id for entry in entries]))
    )
    if item_kind is not None:
        statement = statement.where(items.c.kind == item_kind)
    rows = {row.id: row for row in connection.execute(statement)} if entries else {}
    return [
        _read_logged(entry.position, rows[entry.subject_id]) for entry in entries if entry.subject_id in rows
    ]


def describe_change(logged: LoggedChange) -> dict[str, Any]:
    """For messages, which have no room for all data."""
    change = logged.change
    fields = change.fields
    is_cut = fields is not None and len(orjson.dumps(fields)) > MOST_FIELD_BYTES
    return {
        "item_id": logged.item_id,
        "kind": logged.item_kind,
        "key": logged.key,
        "change": change.kind,
        "at": format_instant(change.at),
        "fields": None if is_cut else fields,
        "fields_cut": is_cut,
        "url": change.url,
        "source_id": logged.source_id or None,
        "source": logged.source,
        "run_id": change.run_id,
        "parser": change.parser,
        "parser_version": change.parser_version,
    }


def _count_fitting(found: Sequence[LoggedChange]) -> int:
    chars = 0
    for number, each in enumerate(found):
        chars += len(orjson.dumps((each.data, each.change.fields)))
        if chars > MOST_CHARS and number:
            return number
    return len(found)


def _select() -> Select[Any]:
    return select(item_changes, urls.c.url).outerjoin(urls, urls.c.id == item_changes.c.url_id)


def _read(row: Row[*tuple[Any, ...]]) -> ItemChange:
    return ItemChange(
        id=row.id,
        at=row.at,
        kind=ItemChangeKind(row.kind),
        fields=None if row.fields is None else orjson.loads(row.fields),
        url_id=row.url_id,
        url=row.url,
        run_id=row.run_id,
        parser=row.parser,
        parser_version=row.parser_version,
    )


def _read_logged(position: LogPosition, row: Row[*tuple[Any, ...]]) -> LoggedChange:
    return LoggedChange(
        position=position,
        change=_read(row),
        item_id=row.item_id,
        source_id=row.source_id,
        source=row.source,
        item_kind=row.item_kind,
        key=row.key,
        data=orjson.loads(row.data),
    )
