"""The change log: what has changed, in an order in which no reader misses a row.

PostgreSQL commits transactions in another order than that in which their rows get ids, so that a reader who
continues after the greatest id that it has seen loses rows. An entry has the number of its transaction, and
is only read when all transactions with smaller numbers have ended: no entry can then appear before it. So a
transaction that writes for long, in whatever database of the server, delays readers, but loses them nothing.
"""

from collections.abc import Collection
from enum import StrEnum
from typing import Final, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    delete,
    insert,
    literal_column,
    select,
    text,
    tuple_,
    update,
)

from tenax.clock import Instant
from tenax.errors import UsageError
from tenax.record import record
from tenax.stores.schema.change_log import change_log, log_cursors

KEPT_S: Final = 30 * 86_400.0
PRUNED_AT_ONCE: Final = 5_000
# The least transaction that has not ended. SQLite has one writer, so that there is none in its way.
_HORIZON: Final[dict[str, ColumnElement[int]]] = {
    "postgresql": literal_column("pg_snapshot_xmin(pg_current_snapshot())::text::bigint", BigInteger),
    "sqlite": literal_column("1", BigInteger),
}


class LogTopic(StrEnum):
    ITEM = "item"  # a row of `item_changes`
    RUN = "run"  # a run that has ended
    EXECUTION = "execution"  # an execution that has ended and found new or changed pages
    DOMAIN_EVENT = "domain_event"  # a domain that became blocked: a row of `domain_events`


class LogPosition(NamedTuple):
    """How far a reader has read. Later entries have greater positions."""

    xid: int = 0
    id: int = 0

    def __str__(self) -> str:
        return f"{self.xid}-{self.id}"


START: Final = LogPosition()


@record
class LogEntry:
    position: LogPosition
    at: Instant
    topic: LogTopic
    source_id: int
    subject_id: int


def parse_position(value: str) -> LogPosition:
    """Raises UsageError."""
    xid, mark, id = value.partition("-")
    if not (mark and _is_number(xid) and _is_number(id)):
        raise UsageError(f"{value!r} is no cursor: use one that was printed or returned before.")
    return LogPosition(int(xid), int(id))


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) <= 18


def read_log(
    connection: Connection,
    after: LogPosition,
    limit: int,
    topics: Collection[LogTopic] = (),
    source_id: int | None = None,
) -> list[LogEntry]:
    """The next entries; `topics`: empty: all; `source_id`: None: of all sources."""
    log = change_log.c
    statement = select(change_log).where(
        log.xid < _HORIZON[connection.dialect.name], tuple_(log.xid, log.id) > tuple_(after.xid, after.id)
    )
    if topics:
        statement = statement.where(log.topic.in_(topics))
    if source_id is not None:
        statement = statement.where(log.source_id == source_id)
    return [
        LogEntry(
            position=LogPosition(row.xid, row.id),
            at=row.at,
            topic=LogTopic(row.topic),
            source_id=row.source_id,
            subject_id=row.subject_id,
        )
        for row in connection.execute(statement.order_by(log.xid, log.id).limit(limit))
    ]


def find_end(connection: Connection) -> LogPosition:
    """The position of the last entry that can be read now: a reader that starts there gets what follows."""
    log = change_log.c
    row = connection.execute(
        select(log.xid, log.id)
        .where(log.xid < _HORIZON[connection.dialect.name])
        .order_by(log.xid.desc(), log.id.desc())
        .limit(1)
    ).one_or_none()
    return START if row is None else LogPosition(row.xid, row.id)


# The transaction that is under way.
_XID: Final[dict[str, ColumnElement[int]]] = {
    "postgresql": literal_column("pg_current_xact_id()::text::bigint", BigInteger),
    "sqlite": literal_column("0", BigInteger),
}


def add_to_log(connection: Connection, topic: LogTopic, source_id: int, subject_id: int, at: Instant) -> None:
    """In the transaction of the change. `at`: by the calendar."""
    entry = {"at": at, "topic": topic, "source_id": source_id, "subject_id": subject_id}
    connection.execute(insert(change_log).values(xid=_XID[connection.dialect.name], **entry))


_CREATE = text(
    """
    INSERT INTO log_cursors (name, xid, log_id)
    VALUES (:name, 0, 0)
    ON CONFLICT (name) DO NOTHING
    """
)


def hold_log_cursor(connection: Connection, name: str) -> LogPosition:
    """Lock the cursor until the transaction ends and return its position. Other transactions that want it
    wait."""
    # A write that changes nothing locks the row in both databases.
    locked = (
        update(log_cursors)
        .where(log_cursors.c.name == name)
        .values(xid=log_cursors.c.xid)
        .returning(log_cursors.c.xid, log_cursors.c.log_id)
    )
    row = connection.execute(locked).one_or_none()
    if row is None:
        connection.execute(_CREATE, {"name": name})
        row = connection.execute(locked).one()
    return LogPosition(row.xid, row.log_id)


def find_log_cursor(connection: Connection, name: str) -> LogPosition | None:
    """None: it was never held."""
    columns = select(log_cursors.c.xid, log_cursors.c.log_id)
    row = connection.execute(columns.where(log_cursors.c.name == name)).one_or_none()
    return None if row is None else LogPosition(row.xid, row.log_id)


def move_log_cursor(connection: Connection, name: str, position: LogPosition) -> None:
    """The caller holds the cursor."""
    connection.execute(
        update(log_cursors).where(log_cursors.c.name == name).values(xid=position.xid, log_id=position.id)
    )


# Transactions that this server has not begun yet: their entries come from a server whose dump was restored
# here. All entries up to the last one of these do, and they precede whatever is written from now on.
_IS_FOREIGN = "xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
_ADOPT_CURSORS = text(
    f"""
    UPDATE log_cursors c
    SET
        xid = 0,
        log_id = coalesce(
            (SELECT min(l.id) - 1 FROM change_log l WHERE (l.xid, l.id) > (c.xid, c.log_id)), c.log_id
        )
    WHERE c.{_IS_FOREIGN}
    """
)
_ADOPT_ENTRIES = text(
    f"""
    UPDATE change_log
    SET xid = 0
    WHERE xid > 0 AND id <= (SELECT max(id) FROM change_log WHERE {_IS_FOREIGN})
    """
)


def adopt_log(connection: Connection, now: Instant) -> None:
    """Number the entries of a restored dump anew: this server would not let anybody read them, and its own
    would come before them. Readers that have a name may get some entries again."""
    if connection.dialect.name == "postgresql":
        connection.execute(_ADOPT_CURSORS)
        connection.execute(_ADOPT_ENTRIES)


def prune_log(connection: Connection, now: Instant) -> bool:
    """Delete old entries; what they are about stays. True: there is more to do."""
    old = select(change_log.c.id).where(change_log.c.at < now - KEPT_S).limit(PRUNED_AT_ONCE)
    deleted = connection.execute(delete(change_log).where(change_log.c.id.in_(old)))
    return deleted.rowcount == PRUNED_AT_ONCE
