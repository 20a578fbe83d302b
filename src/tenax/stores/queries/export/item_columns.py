"""The columns of an export of items where a format needs them: one for each field of the data.

The items are read twice: first for the names and types of their fields, then for the rows. What has no
column, or does not fit its type, is in the last column, so that nothing is lost.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson
from sqlalchemy import Connection

from tenax.record import replace
from tenax.stores.queries.export.formats import Format
from tenax.stores.queries.export.rows import EXPORTS, Export, ExportField, FieldKind, Noun, Values, iter_rows
from tenax.stores.queries.filters import Filter
from tenax.stores.schema.items import items

# Parsers may take names of fields from pages.
MOST_FIELDS: Final = 200
MAX_NAME_CHARS: Final = 100
REST: Final = "data.*"

_NUMBERS: Final = frozenset((FieldKind.INTEGER, FieldKind.NUMBER))
_DATA: Final = (ExportField("data", items.c.data, FieldKind.JSON),)


def plan_export(connection: Connection, noun: Noun, only: Filter, format: Format) -> Export:
    """What to export, and with which columns. Raises UsageError as `iter_rows` does."""
    export = EXPORTS[noun]
    if noun is not Noun.ITEMS or format is Format.JSONL:
        return export
    kinds = find_field_kinds(connection, only)
    fixed = {name: kind for name, kind in export.columns.items() if name != "data"}
    fields = {f"data.{name}": kind for name, kind in kinds.items()}

    def expand(values: Values) -> Iterator[Values]:
        *first, data = values
        yield [*first, *split_data(data, kinds)]

    return replace(export, columns={**fixed, **fields, REST: FieldKind.JSON}, expand=expand)


def find_field_kinds(connection: Connection, only: Filter) -> dict[str, FieldKind]:
    """The fields of all matching items, by name; of very many, the first ones."""
    found: dict[str, FieldKind | None] = {}
    for (data,) in iter_rows(connection, replace(EXPORTS[Noun.ITEMS], fields=_DATA), only):
        for name, value in orjson.loads(data).items():
            if name in found or (len(found) < MOST_FIELDS and len(name) <= MAX_NAME_CHARS):
                found[name] = _merge(found.get(name), _find_kind(value))
    return {name: kind or FieldKind.TEXT for name, kind in sorted(found.items())}


def split_data(data: str, kinds: Mapping[str, FieldKind]) -> Values:
    """The values of the columns, and the rest."""
    rest: dict[str, Any] = orjson.loads(data)
    values = []
    for name, kind in kinds.items():
        value = rest.get(name)
        fits = value is None or _merge(kind, _find_kind(value)) is kind
        values.append(_format(value, kind) if fits else None)
        if fits:
            rest.pop(name, None)
    return [*values, orjson.dumps(rest).decode() if rest else None]


def _find_kind(value: Any) -> FieldKind | None:
    """None: any."""
    match value:
        case None:
            return None
        case bool():
            return FieldKind.FLAG
        case int():
            return FieldKind.INTEGER if -(1 << 63) <= value < 1 << 63 else FieldKind.NUMBER
        case float():
            return FieldKind.NUMBER
        case str():
            return FieldKind.TEXT
    return FieldKind.JSON


def _merge(one: FieldKind | None, other: FieldKind | None) -> FieldKind | None:
    """A kind that holds values of both."""
    if one is None or other is None or one is other:
        return one or other
    return FieldKind.NUMBER if {one, other} <= _NUMBERS else FieldKind.JSON


def _format(value: Any, kind: FieldKind) -> Any:
    if value is None:
        return None
    if kind is FieldKind.JSON:
        return orjson.dumps(value).decode()
    return float(value) if kind is FieldKind.NUMBER else value
