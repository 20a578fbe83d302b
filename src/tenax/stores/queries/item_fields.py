"""Comparisons with fields of items, such as `price>10`: parsed from text, and as conditions in SQL.

A number is compared with numbers only, and a text with texts: a field of another type never matches. What
users write reaches the database as parameters.
"""

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any, Final

from sqlalchemy import ColumnElement, Numeric, Text, and_, case, cast, exists, false, func, literal, select
from sqlalchemy.dialects.postgresql import JSONB

from tenax.errors import UsageError
from tenax.record import record
from tenax.visible import clean

MOST_COMPARISONS: Final = 10
MAX_CHARS: Final = 300
_COMPARISON: Final = re.compile(r"([^<>=!]{1,100})(<=|>=|!=|<|>|=)(.*)", re.DOTALL)
_NUMBER: Final = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})")
_WORDS: Final = {"true": True, "false": False}
# PostgreSQL cannot look into JSON with this character, and would fail for all rows: such items never match.
_NUL: Final = "\\u0000"


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
    """A condition on a top-level field of the data."""

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
    comparison = FieldComparison(
        field=found[1].strip(), comparator=Comparator(found[2]), value=_parse_value(found[3].strip())
    )
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
    return _DIALECTS[dialect](data, comparison)


def _compare_in_sqlite(data: ColumnElement[str], wanted: FieldComparison) -> ColumnElement[bool]:
    field = func.json_each(data).table_valued("key", "value", "type", name="field")
    types: tuple[str, ...]
    value: ColumnElement[Any]
    if isinstance(wanted.value, bool):
        types, value = ("true", "false"), literal(int(wanted.value))
    elif isinstance(wanted.value, Decimal):
        types, value = ("integer", "real"), literal(float(wanted.value))
    else:
        types, value = ("text",), literal(wanted.value)
    is_met = _COMPARE[wanted.comparator](field.c.value, value)
    found = select(literal(1)).select_from(field).correlate_except(field)
    is_there = exists(found.where(field.c.key == wanted.field, field.c.type.in_(types), is_met))
    return and_(func.instr(data, _NUL) == 0, is_there)


def _compare_in_postgres(data: ColumnElement[str], wanted: FieldComparison) -> ColumnElement[bool]:
    parsed = cast(data, JSONB)
    text = parsed.op("->>", return_type=Text())(wanted.field)
    field: ColumnElement[Any]
    value: ColumnElement[Any]
    if isinstance(wanted.value, bool):
        kind, field, value = "boolean", text, literal(str(wanted.value).lower())
    elif isinstance(wanted.value, Decimal):
        kind, field, value = "number", cast(text, Numeric), literal(wanted.value, Numeric)
    else:
        # The order of bytes, as in SQLite, rather than that of a language.
        kind, field, value = "string", text.collate("C"), literal(wanted.value)
    is_kind = func.jsonb_typeof(parsed.op("->", return_type=JSONB())(wanted.field)) == kind
    # Only `case` keeps the order: a cast of what is no number would fail.
    is_met = case((is_kind, _COMPARE[wanted.comparator](field, value)), else_=false())
    return case((func.strpos(data, _NUL) > 0, false()), else_=is_met)


_DIALECTS: Final = {"sqlite": _compare_in_sqlite, "postgresql": _compare_in_postgres}
