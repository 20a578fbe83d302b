"""Lists in parts, each found by where the last one ended: the last part costs what the first one costs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_

from tenax.errors import UsageError
from tenax.values import record

T = TypeVar("T")


class Position(NamedTuple):
    """The last entry of a part: what the list is sorted by, and what tells equal ones apart."""

    value: Any
    number: int


@record(frozen=True, slots=True, kw_only=True)
class Slice:
    """A part of a list that is wanted."""

    key: str  # one of the list's sort keys
    is_descending: bool
    after: Position | None
    limit: int


@record(frozen=True, slots=True, kw_only=True)
class Sliced(Generic[T]):
    items: Sequence[T]
    next: Position | None  # None: there is no more


@record(frozen=True, slots=True, kw_only=True)
class Order:
    """What a list may be sorted by. Keys never NULL: an expression stands for those that could be."""

    keys: Mapping[str, ColumnElement[Any]]
    number: ColumnElement[Any]  # unique


def load_slice(
    connection: Connection,
    statement: Select[Any],
    order: Order,
    wanted: Slice,
    read: Callable[[Row[*tuple[Any, ...]]], T],
) -> Sliced[T]:
    key, number = order.keys[wanted.key], order.number
    directed = [part.desc() if wanted.is_descending else part.asc() for part in (key, number)]
    statement = statement.add_columns(key.label("sort_key"), number.label("sort_number"))
    if wanted.after is not None:
        _check_kind(key, wanted.after.value)
        statement = statement.where(*_find_rest(key, number, wanted.after, wanted.is_descending))
    rows = connection.execute(statement.order_by(*directed).limit(wanted.limit + 1)).all()
    shown = rows[: wanted.limit]
    is_more = len(rows) > wanted.limit
    last = Position(shown[-1].sort_key, shown[-1].sort_number) if is_more else None
    return Sliced(items=[read(row) for row in shown], next=last)


def _find_rest(
    key: ColumnElement[Any], number: ColumnElement[Any], after: Position, is_descending: bool
) -> list[ColumnElement[bool]]:
    if is_descending:
        beyond, at_most = key < after.value, key <= after.value
        tied = and_(key == after.value, number < after.number)
    else:
        beyond, at_most = key > after.value, key >= after.value
        tied = and_(key == after.value, number > after.number)
    # Said twice, as the index is found by the first alone.
    return [at_most, or_(beyond, tied)]


def _check_kind(key: ColumnElement[Any], value: Any) -> None:
    """A database that is asked to compare a text with a number would fail, or find nonsense."""
    if issubclass(key.type.python_type, str) != isinstance(value, str):
        raise UsageError("The cursor does not belong to this list and order: leave it out to begin.")


def holds(column: ColumnElement[Any], text: str) -> ColumnElement[bool]:
    """Whether the column has this text in it, in whatever case."""
    return func.lower(column).contains(text.lower(), autoescape=True)
