"""Formats of exports: JSON lines, CSV and Parquet, written as rows arrive."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, BinaryIO, cast

import orjson

from tenax.clock import Instant, format_instant
from tenax.errors import UsageError
from tenax.stores.queries.export.fields import FieldKind, Values
from tenax.stores.queries.export.formulas import neutralize
from tenax.visible import escape_json

Columns = Mapping[str, FieldKind]

FLUSH_BYTES = 65_536
# Limits of a row group. Each running export holds one in memory several times while building it.
GROUP_ROWS = 10_000
GROUP_CHARS = 8_000_000


class Format(StrEnum):
    JSONL = "jsonl"  # one JSON object per line
    CSV = "csv"  # RFC 4180, with a header; formulas are neutralized by an apostrophe
    PARQUET = "parquet"  # needs the 'parquet' extra


class ParquetMissing(UsageError):
    """Parquet needs pyarrow: install Tenax with its 'parquet' extra, or choose jsonl or csv."""


def write_rows(
    format: Format, columns: Columns, rows: Iterable[Values], out: BinaryIO, *, is_raw: bool = False
) -> int:
    """Write all rows and return their number. `is_raw`: see iter_chunks."""
    counted = _Counted(rows)
    pending = bytearray()
    for chunk in iter_chunks(format, columns, counted, is_raw=is_raw):
        pending += chunk
        if len(pending) >= FLUSH_BYTES:
            out.write(pending)
            pending.clear()
    out.write(pending)
    out.flush()
    return counted.count


def iter_chunks(
    format: Format, columns: Columns, rows: Iterable[Values], *, is_raw: bool = False
) -> Iterator[bytes]:
    """The chunks of a file: lines, or row groups of Parquet. `is_raw`: leave CSV cells as they are, for
    programs rather than spreadsheets."""
    match format:
        case Format.JSONL:
            return _json_lines(columns, rows)
        case Format.CSV:
            return _csv_lines(columns, rows, is_raw)
        case Format.PARQUET:
            return _parquet_groups(columns, rows)


class _Counted:
    def __init__(self, rows: Iterable[Values]) -> None:
        self._rows = rows
        self.count = 0

    def __iter__(self) -> Iterator[Values]:
        for row in self._rows:
            self.count += 1
            yield row


def _json_lines(columns: Columns, rows: Iterable[Values]) -> Iterator[bytes]:
    names = tuple(columns)
    objects = [at for at, kind in enumerate(columns.values()) if kind is FieldKind.JSON]
    for row in _format_instants(columns, rows):
        for at in objects:
            row[at] = None if row[at] is None else orjson.Fragment(row[at])
        line = orjson.dumps(dict(zip(names, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE)
        yield escape_json(line)


def _csv_lines(columns: Columns, rows: Iterable[Values], is_raw: bool) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    # Always quote text: where spreadsheets split at semicolons, one in a text must not start a new cell.
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    yield _take(buffer)
    format_cell = _format_raw_cell if is_raw else _format_cell
    for row in _format_instants(columns, rows):
        writer.writerow([format_cell(value) for value in row])
        yield _take(buffer)


def _format_instants(columns: Columns, rows: Iterable[Values]) -> Iterator[Values]:
    """Format instants as ISO 8601, in place: these formats have no type for them."""
    places = _find_instants(columns)
    for row in rows:
        for at in places:
            row[at] = format_instant(row[at])
        yield row


def _find_instants(columns: Columns) -> list[int]:
    return [at for at, kind in enumerate(columns.values()) if kind is FieldKind.INSTANT]


def _take(buffer: io.StringIO) -> bytes:
    line = buffer.getvalue().encode("utf-8", "replace")
    buffer.seek(0)
    buffer.truncate()
    return line


def _format_raw_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value


def _format_cell(value: Any) -> Any:
    return neutralize(value) if isinstance(value, str) else _format_raw_cell(value)


def require_parquet() -> None:
    """Raises ParquetMissing if pyarrow is not installed."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise ParquetMissing from error


def _parquet_groups(columns: Columns, rows: Iterable[Values]) -> Iterator[bytes]:
    # Imported late: an optional package, and a large one.
    import pyarrow
    from pyarrow import parquet

    types = {
        FieldKind.TEXT: pyarrow.string(),
        FieldKind.INTEGER: pyarrow.int64(),
        FieldKind.NUMBER: pyarrow.float64(),
        FieldKind.FLAG: pyarrow.bool_(),
        FieldKind.INSTANT: pyarrow.timestamp("us", tz="UTC"),
        FieldKind.JSON: pyarrow.string(),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    out = _Outbox()
    with parquet.ParquetWriter(cast(BinaryIO, out), schema, compression="zstd") as writer:
        for group in _group(columns, rows):
            arrays = [
                pyarrow.array(values, field.type)
                for values, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            yield out.take()
    yield out.take()


def _group(columns: Columns, rows: Iterable[Values]) -> Iterator[list[Values]]:
    """Row groups, limited by rows and by characters, with instants in microseconds."""
    places = _find_instants(columns)
    group: list[Values] = []
    chars = 0
    for row in rows:
        for at in places:
            row[at] = _count_us(row[at])
        group.append(row)
        chars += sum(len(value) for value in row if isinstance(value, str))
        if len(group) >= GROUP_ROWS or chars >= GROUP_CHARS:
            yield group
            group, chars = [], 0
    if group:
        yield group


def _count_us(instant: Instant | None) -> int | None:
    return None if instant is None else round(instant * 1_000_000)


class _Outbox(io.RawIOBase):
    """An append-only file in memory. What was written so far can be taken out at any time."""

    def __init__(self) -> None:
        super().__init__()
        self._pending = bytearray()
        self._bytes = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._bytes

    def write(self, data: Any) -> int:
        size = memoryview(data).nbytes
        self._pending += data
        self._bytes += size
        return size

    def take(self) -> bytes:
        chunk = bytes(self._pending)
        self._pending.clear()
        return chunk
