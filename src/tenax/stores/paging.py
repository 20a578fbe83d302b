"""Keyset pagination: each slice starts after the last entry of the one before, so the last slice costs as
much as the first.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, Generic, NamedTuple, TypeVar

from sqlalchemy import BigInteger, ColumnElement, Connection, Row, Select, and_, func, or_, select

from tenax.errors import UsageError
from tenax.record import record

T = TypeVar("T")

# Rows examined between two checks of the clock: few at first, as most requests find enough among them.
FEWEST_ROWS: Final = 500
MOST_ROWS: Final = 20_000
SCAN_S: Final = 1.0

_DECIMAL: Final = re.compile(r"\d{1,12}(?:\.\d{1,6})?", re.ASCII)
WRONG_CURSOR: Final = "This cursor belongs to another list or sort order: leave it out to start from the top."

Conditions = Sequence[ColumnElement[bool]]


class ListPosition(NamedTuple):
    """The last entry of a slice: its sort key, and the number that tells entries with equal keys apart."""

    value: Any
    number: int


@record
class SliceRequest:
    """Which slice of a list is requested."""

    key: str  # one of the list's sort keys
    is_descending: bool
    after: ListPosition | None
    limit: int


@record
class ListSlice(Generic[T]):
    items: Sequence[T]
    next: ListPosition | None  # None: this is the end of the list


@record
class SortOrder:
    """What a list may be sorted by. Keys are never NULL: wrap a nullable column in an expression."""

    keys: Mapping[str, ColumnElement[Any]]
    number: ColumnElement[Any]  # unique


EMPTY: Final[ListSlice[Any]] = ListSlice(items=(), next=None)


def load_slice(
    connection: Connection,
    statement: Select[Any],
    order: SortOrder,
    wanted: SliceRequest,
    read: Callable[[Row[*tuple[Any, ...]]], T],
) -> ListSlice[T]:
    """One slice of a statement whose conditions an index can answer."""
    key, number = order.keys[wanted.key], order.number
    statement = statement.add_columns(key.label("sort_key"), number.label("sort_number"))
    statement = statement.where(*_after_position(order, wanted)).order_by(*_order_columns(order, wanted))
    rows = connection.execute(statement.limit(wanted.limit + 1)).all()
    shown = rows[: wanted.limit]
    is_more = len(rows) > wanted.limit
    last = ListPosition(shown[-1].sort_key, shown[-1].sort_number) if is_more else None
    return ListSlice(items=[read(row) for row in shown], next=last)


def scan_slice(
    connection: Connection,
    statement: Select[Any],
    order: SortOrder,
    wanted: SliceRequest,
    read: Callable[[Row[*tuple[Any, ...]]], T],
    within: Conditions = (),
) -> ListSlice[T]:
    """One slice of a statement with conditions that no index can answer: every row has to be examined, in
    the order of the list. After SCAN_S the scan stops and returns what it has found so far, perhaps nothing;
    `next` continues from there. `within`: conditions that the index of the sort order can answer as well."""
    found: list[T] = []
    ends_at = time.monotonic() + SCAN_S
    rows_at_once = FEWEST_ROWS
    while True:
        end = _find_end(connection, order, wanted, within, rows_at_once)
        part = statement.where(*within, *_up_to_position(end, order, wanted))
        sliced = load_slice(connection, part, order, wanted, read)
        found += sliced.items
        if sliced.next is not None or end is None:
            return ListSlice(items=found, next=sliced.next)
        if len(sliced.items) == wanted.limit or time.monotonic() >= ends_at:
            return ListSlice(items=found, next=end)
        wanted = replace(wanted, after=end, limit=wanted.limit - len(sliced.items))
        rows_at_once = min(4 * rows_at_once, MOST_ROWS)


def _find_end(
    connection: Connection, order: SortOrder, wanted: SliceRequest, within: Conditions, rows: int
) -> ListPosition | None:
    """The position of the last of the next `rows` rows, matching or not; None: there are fewer."""
    statement = select(order.keys[wanted.key].label("value"), order.number.label("number"))
    statement = statement.where(*within, *_after_position(order, wanted)).order_by(
        *_order_columns(order, wanted)
    )
    row = connection.execute(statement.offset(rows - 1).limit(1)).one_or_none()
    return None if row is None else ListPosition(row.value, row.number)


def _order_columns(order: SortOrder, wanted: SliceRequest) -> list[ColumnElement[Any]]:
    parts = (order.keys[wanted.key], order.number)
    return [part.desc() if wanted.is_descending else part.asc() for part in parts]


def _after_position(order: SortOrder, wanted: SliceRequest) -> Conditions:
    """Conditions on what comes after the requested position."""
    if wanted.after is None:
        return ()
    key, number, after = order.keys[wanted.key], order.number, wanted.after
    value = _fit_value(key, after.value)
    _fit_value(number, after.number)
    if wanted.is_descending:
        beyond, at_most = key < value, key <= value
        tied = and_(key == value, number < after.number)
    else:
        beyond, at_most = key > value, key >= value
        tied = and_(key == value, number > after.number)
    # Redundant, but the planner needs the first condition to choose the index.
    return [at_most, or_(beyond, tied)]


def _up_to_position(end: ListPosition | None, order: SortOrder, wanted: SliceRequest) -> Conditions:
    """Conditions on what comes up to a position, inclusive."""
    if end is None:
        return ()
    key, number = order.keys[wanted.key], order.number
    if wanted.is_descending:
        before, at_least, tied = key > end.value, key >= end.value, number >= end.number
    else:
        before, at_least, tied = key < end.value, key <= end.value, number <= end.number
    return [at_least, or_(before, and_(key == end.value, tied))]


def _fit_value(key: ColumnElement[Any], value: Any) -> Any:
    """The value as the column has it. Raises UsageError if it cannot hold it: clients can forge positions,
    and a database that compares text with a number, or a number out of range, would fail or return
    nonsense."""
    kind = key.type.python_type
    if kind is Decimal and not isinstance(value, Decimal):
        return _read_decimal(value)
    if kind is str:
        fits = isinstance(value, str) and "\0" not in value
    elif kind is int:
        bits = 63 if isinstance(key.type, BigInteger) else 31
        fits = isinstance(value, int) and abs(value) < 1 << bits
    else:
        fits = isinstance(value, int | float | Decimal)
    if not fits:
        raise UsageError(WRONG_CURSOR)
    return value


def _read_decimal(value: Any) -> Decimal:
    """Of a cursor that has been with a client, as text."""
    if not isinstance(value, str) or not _DECIMAL.fullmatch(value):
        raise UsageError(WRONG_CURSOR)
    return Decimal(value)


def contains(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column contains this text, ignoring case."""
    return func.lower(column).contains(text.lower(), autoescape=True)


def starts_with(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column starts with this text, ignoring case."""
    return func.lower(column).startswith(text.lower(), autoescape=True)
