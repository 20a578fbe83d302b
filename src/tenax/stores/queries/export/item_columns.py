"""The columns of an export of items where a format needs them: one for each field of the data, and of objects
in it that have few.

The items are read twice: first for the names and types of their fields, then for the rows. What has no
column, or does not fit its type, is in the last column, so that nothing is lost.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson
from sqlalchemy import Connection

from tenax.record import replace
from tenax.stores.queries.export.fields import ExportField, FieldKind, Values
from tenax.stores.queries.export.formats import Format
from tenax.stores.queries.export.rows import EXPORTS, Export, Noun, iter_rows
from tenax.stores.queries.filters import Filter
from tenax.stores.schema.items import items

# Parsers may take names of fields from pages.
MOST_FIELDS: Final = 200
MOST_INNER: Final = 20  # of an object, over all items: more are rather keys of a list than fields
MOST_LEVELS: Final = 4
MAX_NAME_CHARS: Final = 100
REST: Final = "data.*"

Path = tuple[str, ...]  # names, from the data on

_NUMBERS: Final = frozenset((FieldKind.INTEGER, FieldKind.NUMBER))
_DATA: Final = (ExportField("data", items.c.data, FieldKind.JSON),)


def plan_export(connection: Connection, noun: Noun, only: Filter, format: Format) -> Export:
    """What to export, and with which columns. Raises UsageError as `iter_rows` does."""
    export = EXPORTS[noun]
    if noun is not Noun.ITEMS or format is Format.JSONL:
        return export
    kinds = find_field_kinds(connection, only)
    fixed = {name: kind for name, kind in export.columns.items() if name != "data"}
    fields = {f"data.{_join(path)}": kind for path, kind in kinds.items()}

    def expand(values: Values) -> Iterator[Values]:
        *first, data = values
        yield [*first, *split_data(data, kinds)]

    return replace(export, columns={**fixed, **fields, REST: FieldKind.JSON}, expand=expand)


def find_field_kinds(connection: Connection, only: Filter) -> dict[Path, FieldKind]:
    """The fields of all matching items; of very many, the first ones."""
    found: dict[str, _Shape] = {}
    for (data,) in iter_rows(connection, replace(EXPORTS[Noun.ITEMS], fields=_DATA), only):
        for name, value in orjson.loads(data).items():
            if name in found or (len(found) < MOST_FIELDS and len(name) <= MAX_NAME_CHARS):
                found.setdefault(name, _Shape()).note(value)
    return _list_columns(found)


@dataclass(slots=True)
class _Shape:
    """What the values of a field have in common."""

    kind: FieldKind | None = None  # None: all are null
    inner: dict[str, "_Shape"] = field(default_factory=dict)
    is_table: bool = True  # objects with few names, if they are objects

    def note(self, value: Any, levels: int = MOST_LEVELS) -> None:
        """Calls itself as deep as columns go."""
        if value is None:
            return
        self.kind = _merge(self.kind, _find_kind(value))
        self.is_table = self.is_table and levels > 1 and isinstance(value, dict)
        for name, each in value.items() if self.is_table else ():
            if name not in self.inner and (len(self.inner) >= MOST_INNER or len(name) > MAX_NAME_CHARS):
                self.is_table = False
                break
            self.inner.setdefault(name, _Shape()).note(each, levels - 1)
        if not self.is_table:
            self.inner.clear()


def _list_columns(shapes: Mapping[str, _Shape]) -> dict[Path, FieldKind]:
    """A column for each field. Those of an object replace it, as long as there is room and no name twice."""
    columns: dict[Path, _Shape] = {(name,): shape for name, shape in shapes.items()}
    for _ in range(1, MOST_LEVELS):
        for path, shape in sorted(columns.items()):
            opened = {(*path, name): each for name, each in shape.inner.items()}
            names = set(map(_join, columns))
            has_room = len(columns) + len(opened) - 1 <= MOST_FIELDS
            if opened and has_room and names.isdisjoint(map(_join, opened)):
                del columns[path]
                columns |= opened
    return {path: columns[path].kind or FieldKind.TEXT for path in sorted(columns, key=_join)}


def _join(path: Path) -> str:
    return ".".join(path)


def split_data(data: str, kinds: Mapping[Path, FieldKind]) -> Values:
    """The values of the columns, and the rest."""
    rest: dict[str, Any] = orjson.loads(data)
    values = []
    for path, kind in kinds.items():
        value = _find(rest, path)
        fits = value is None or _merge(kind, _find_kind(value)) is kind
        values.append(_format(value, kind) if fits else None)
        if fits:
            _remove(rest, path)
    return [*values, orjson.dumps(rest).decode() if rest else None]


def _find(data: Any, path: Path) -> Any:
    for name in path:
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _remove(data: dict[str, Any], path: Path) -> None:
    """Remove a field, and objects that are empty without it. Calls itself as deep as columns go."""
    name, *further = path
    inner = data.get(name)
    if further and isinstance(inner, dict) and inner:
        _remove(inner, tuple(further))
        if inner:
            return
    elif further and inner is not None:
        return
    data.pop(name, None)


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
