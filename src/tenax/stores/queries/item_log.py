"""Items as their readers get them: changes in the order of the log, or all that there are."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, select, tuple_

from tenax.clock import Instant
from tenax.record import record
from tenax.records.items import ItemChangeKind
from tenax.stores.change_log import LogEntry, LogPosition, LogTopic, find_end, read_log
from tenax.stores.schema.change_log import change_log
from tenax.stores.schema.items import item_changes, items
from tenax.stores.schema.urls import urls

ROWS_AT_ONCE: Final = 50  # of up to `parsers.item_bytes` each


@record
class DeliveredItem:
    """An item as it is now, with the change that its reader is told."""

    position: LogPosition  # a reader that continues after it misses nothing
    id: int
    kind: str
    key: str
    url: str | None  # None: it was removed
    data: str  # JSON
    confidence: float | None
    at: Instant  # of the change
    run_id: int
    parser: str
    parser_version: str
    change: ItemChangeKind | None = None  # None: it is no change that is told
    fields: str | None = None  # JSON: field → [old, new]


class LogSlice(NamedTuple):
    items: list[DeliveredItem]
    end: LogPosition  # where the next slice begins
    is_last: bool  # there is no more at the moment


def read_changes(connection: Connection, after: LogPosition, source_id: int) -> LogSlice:
    """The next changes of items of a source, in one snapshot."""
    entries = read_log(connection, after, ROWS_AT_ONCE, (LogTopic.ITEM,), source_id)
    found = _load_changes(connection, entries)
    if len(entries) == ROWS_AT_ONCE:
        return LogSlice(found, entries[-1].position, is_last=False)
    # Past what other sources have logged, so that nobody reads that again.
    return LogSlice(found, max(after, find_end(connection)), is_last=True)


def has_hidden(connection: Connection, after: LogPosition, source_id: int) -> bool:
    """Whether more is committed than can be read now: it waits behind other transactions of the server."""
    log = change_log.c
    later = tuple_(log.xid, log.id) > tuple_(after.xid, after.id)
    found = select(log.id).where(log.topic == LogTopic.ITEM, log.source_id == source_id, later).limit(1)
    return connection.execute(found).first() is not None


def _load_changes(connection: Connection, entries: Sequence[LogEntry]) -> list[DeliveredItem]:
    """Those that there still are: a log may outlive what it is about."""
    ids = [entry.subject_id for entry in entries]
    rows = connection.execute(_CHANGES.where(item_changes.c.id.in_(ids))) if ids else ()
    by_id = {row.change_id: row for row in rows}
    return [_read(by_id[entry.subject_id], entry.position) for entry in entries if entry.subject_id in by_id]


def iter_items(connection: Connection, source_id: int) -> Iterator[DeliveredItem]:
    """All items of a source that a page shows, in constant memory. Each has the position at which the reading
    began: what changes meanwhile comes after it."""
    begun = find_end(connection)
    after_id = 0
    while rows := connection.execute(
        _ITEMS.where(items.c.source_id == source_id, items.c.id > after_id)
    ).all():
        # A slow reader must not hold back the database's cleanup.
        connection.commit()
        yield from (_read(row, begun) for row in rows)
        after_id = rows[-1].id


def find_beginning(connection: Connection, source_id: int, run_id: int) -> LogPosition:
    """The position before the first change of a run; the end of the log, if it has changed nothing yet."""
    first = (
        select(change_log.c.xid, change_log.c.id)
        .join(item_changes, item_changes.c.id == change_log.c.subject_id)
        .where(
            change_log.c.topic == LogTopic.ITEM,
            change_log.c.source_id == source_id,
            item_changes.c.run_id == run_id,
        )
        .order_by(change_log.c.xid, change_log.c.id)
        .limit(1)
    )
    row = connection.execute(first).one_or_none()
    return find_end(connection) if row is None else LogPosition(row.xid, row.id - 1)


_COLUMNS: Final = (items.c.id, items.c.kind, items.c.key, items.c.data, items.c.confidence, urls.c.url)
_CHANGES: Final[Select[Any]] = (
    select(
        *_COLUMNS,
        item_changes.c.id.label("change_id"),
        item_changes.c.at,
        item_changes.c.run_id,
        item_changes.c.parser,
        item_changes.c.parser_version,
        item_changes.c.kind.label("change"),
        item_changes.c.fields,
    )
    .join(items, items.c.id == item_changes.c.item_id)
    .outerjoin(urls, urls.c.id == item_changes.c.url_id)
)
_ITEMS: Final[Select[Any]] = (
    select(*_COLUMNS, items.c.changed_at.label("at"), items.c.run_id, items.c.parser, items.c.parser_version)
    .outerjoin(urls, urls.c.id == items.c.url_id)
    .where(items.c.gone_at.is_(None))
    .order_by(items.c.id)
    .limit(ROWS_AT_ONCE)
)


def _read(row: Any, position: LogPosition) -> DeliveredItem:
    change = getattr(row, "change", None)
    return DeliveredItem(
        position=position,
        id=row.id,
        kind=row.kind,
        key=row.key,
        url=row.url,
        data=row.data,
        confidence=row.confidence,
        at=row.at,
        run_id=row.run_id,
        parser=row.parser,
        parser_version=row.parser_version,
        change=None if change is None else ItemChangeKind(change),
        fields=getattr(row, "fields", None),
    )
