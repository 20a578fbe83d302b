"""Comparisons with fields of items, such as `price>10`: parsed from text, and as conditions in SQL.

`price.amount` is a field with this name, or the field `amount` of the object `price`.

A number is compared with numbers only, and a text with texts: a field of another type never matches. What
users write reaches the database as parameters.
"""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    Numeric,
    Text,
    and_,
    case,
    cast,
    exists,
    false,
    func,
    literal,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import JSONB

from tenax.errors import UsageError
from tenax.record import record
from tenax.visible import clean

MOST_COMPARISONS: Final = 10
MAX_CHARS: Final = 300
MOST_LEVELS: Final = 8
_COMPARISON: Final = re.compile(r"([^<>=!]{1,100})(<=|>=|!=|<|>|=)(.*)", re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})")
_WORDS: Final = {"true": True, "false": False}
# PostgreSQL cannot look into JSON with this character, and would fail for all rows: such items never match.
_NUL: Final = "\\u0000"


Path = tuple[str, ...]


class Comparator(StrEnum):
    EQUAL = "="
    UNEQUAL = "!="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="


_COMPARE: Final[dict[Comparator, Callable[[Any, Any], Any]]] = {
    Comparator.EQUAL: lambda field, value: field == value,
    Comparator.UNEQUAL: lambda field, value: field != value,
    Comparator.LESS: lambda field, value: field < value,
    Comparator.LESS_OR_EQUAL: lambda field, value: field <= value,
    Comparator.GREATER: lambda field, value: field > value,
    Comparator.GREATER_OR_EQUAL: lambda field, value: field >= value,
}


@record
class FieldComparison:
    """A condition on a field of the data, or of an object in it."""

    field: str
    comparator: Comparator
    value: str | Decimal | bool


def parse_comparison(written: str) -> FieldComparison:
    """Parse `price>10`, `name=Boat`, `sku="10"` or `sold=true`. Raises UsageError."""
    found = _COMPARISON.fullmatch(written) if len(written) <= MAX_CHARS and "\0" not in written else None
    if found is None or not found[1].strip():
        raise UsageError(
            f"{clean(written[:MAX_CHARS])!r} is not a comparison: write, for example, price>10 or name=Boat."
        )
    field, value = found[1].strip(), found[3].strip()
    if value.startswith(tuple("<>=!")):
        raise UsageError(
            f"{clean(written)!r} is not a comparison: it has two signs. Write one of =, !=, <, <=, > and >=,"
            f' and a text that begins with a sign in double quotes: {clean(field)}{found[2]}"{clean(value)}".'
        )
    if not value and found[2] not in ("=", "!="):
        raise UsageError(
            f"{clean(written)!r} compares with nothing: write, for example, {clean(field)}{found[2]}10."
        )
    if field.count(".") >= MOST_LEVELS:
        raise UsageError(f"{clean(field)!r} is no field: fields have at most {MOST_LEVELS} levels.")
    comparison = FieldComparison(field=field, comparator=Comparator(found[2]), value=_parse_value(value))
    if isinstance(comparison.value, bool) and comparison.comparator not in ("=", "!="):
        raise UsageError(f"{clean(written)!r}: true and false are compared by = and != only.")
    return comparison


def _parse_value(written: str) -> str | Decimal | bool:
    if written in _WORDS:
        return _WORDS[written]
    if len(written) > 1 and written[0] == written[-1] == '"':
        return written[1:-1]
    if not _NUMBER.fullmatch(written):
        return written
    try:
        return Decimal(written)
    except InvalidOperation:
        return written


def compare_field(dialect: str, data: ColumnElement[str], comparison: FieldComparison) -> ColumnElement[bool]:
    """`data`: a column with JSON objects."""
    compare = _COMPARISONS[dialect]
    is_met = [compare(data, path, comparison) for path in _list_paths(comparison.field)]
    return _where_readable(dialect, data, is_met)


def has_field(dialect: str, data: ColumnElement[str], field: str) -> ColumnElement[bool]:
    """Whether an object has the field, with any value."""
    is_there = _PRESENCES[dialect]
    return _where_readable(dialect, data, [is_there(data, path) for path in _list_paths(field)])


def _list_paths(field: str) -> list[Path]:
    """The names to follow from the data, in each way that a field can be meant."""
    path = tuple(field.split("."))
    return [(field,), path] if len(path) > 1 and all(path) else [(field,)]


def _where_readable(
    dialect: str, data: ColumnElement[str], is_met: Sequence[ColumnElement[bool]]
) -> ColumnElement[bool]:
    # Only `case` keeps the order: PostgreSQL would fail.
    find = func.strpos if dialect == "postgresql" else func.instr
    return case((find(data, _NUL) > 0, false()), else_=or_(*is_met))


def _compare_in_sqlite(data: ColumnElement[str], path: Path, wanted: FieldComparison) -> ColumnElement[bool]:
    types: tuple[str, ...]
    value: ColumnElement[Any]
    if isinstance(wanted.value, bool):
        types, value = ("true", "false"), literal(int(wanted.value))
    elif isinstance(wanted.value, Decimal):
        types, value = ("integer", "real"), literal(float(wanted.value))
    else:
        types, value = ("text",), literal(wanted.value)
    compare = _COMPARE[wanted.comparator]
    return _find_in_sqlite(
        data, path, lambda field: and_(field.c.type.in_(types), compare(field.c.value, value))
    )


def _find_in_sqlite(
    data: ColumnElement[str], path: Path, condition: Callable[[Any], ColumnElement[bool]]
) -> ColumnElement[bool]:
    """Whether there is a field at the path that meets the condition."""
    fields: list[Any] = []
    conditions: list[ColumnElement[bool]] = []
    inside: ColumnElement[Any] = data
    for name in path:
        field = func.json_each(inside).table_valued(
            "key", "value", "type", name=f"field_{len(fields)}", joins_implicitly=True
        )
        fields.append(field)
        conditions.append(field.c.key == name)
        # What is no object has no fields; other text would not be JSON.
        inside = case((field.c.type == "object", field.c.value), else_="{}")
    found = select(literal(1)).select_from(*fields).correlate_except(*fields)
    return exists(found.where(*conditions, condition(fields[-1])))


def _is_there_in_sqlite(data: ColumnElement[str], path: Path) -> ColumnElement[bool]:
    return _find_in_sqlite(data, path, lambda field: true())


def _compare_in_postgres(
    data: ColumnElement[str], path: Path, wanted: FieldComparison
) -> ColumnElement[bool]:
    found = _find_in_postgres(data, path)
    text = _find_in_postgres(data, path[:-1]).op("->>", return_type=Text())(literal(path[-1], Text()))
    field: ColumnElement[Any]
    value: ColumnElement[Any]
    if isinstance(wanted.value, bool):
        kind, field, value = "boolean", text, literal(str(wanted.value).lower())
    elif isinstance(wanted.value, Decimal):
        kind, field, value = "number", cast(text, Numeric), literal(wanted.value, Numeric)
    else:
        # The order of bytes, as in SQLite, rather than that of a language.
        kind, field, value = "string", text.collate("C"), literal(wanted.value)
    # Only `case` keeps the order: a cast of what is no number would fail.
    is_kind = func.jsonb_typeof(found) == kind
    return case((is_kind, _COMPARE[wanted.comparator](field, value)), else_=false())


def _find_in_postgres(data: ColumnElement[str], path: Path) -> ColumnElement[Any]:
    """The value at the path, or NULL. Step by step: `#>` would take a number for a place in a list."""
    found: ColumnElement[Any] = cast(data, JSONB)
    for name in path:
        found = found.op("->", return_type=JSONB())(literal(name, Text()))
    return found


def _is_there_in_postgres(data: ColumnElement[str], path: Path) -> ColumnElement[bool]:
    return _find_in_postgres(data, path).is_not(None)


_COMPARISONS: Final = {"sqlite": _compare_in_sqlite, "postgresql": _compare_in_postgres}
_PRESENCES: Final = {"sqlite": _is_there_in_sqlite, "postgresql": _is_there_in_postgres}
