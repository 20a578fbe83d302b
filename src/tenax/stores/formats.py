"""Rows as JSON lines, CSV or Parquet, written as they come."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Any, BinaryIO

import orjson

from tenax.errors import UsageError
from tenax.stores.exports import Kind, Values

Columns = Mapping[str, Kind]

FLUSH_BYTES = 65_536
GROUP_ROWS = 10_000
GROUP_CHARS = 32_000_000

# What spreadsheets take for a formula (OWASP), also in full width and behind white space, which some of them
# skip. A cell that begins with a control character is shifted into another one by others.
_FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r\n\0]")


class Format(StrEnum):
    JSONL = "jsonl"  # one JSON object per line
    CSV = "csv"  # RFC 4180, with a header; formulas are neutralised by an apostrophe
    PARQUET = "parquet"  # needs the extra tenax[parquet]


def write_rows(format: Format, columns: Columns, rows: Iterable[Values], out: BinaryIO) -> int:
    """Returns how many rows there were."""
    if format is Format.PARQUET:
        return _write_parquet(columns, rows, out)
    return _write_lines(iter_lines(format, columns, rows), out) - (format is Format.CSV)


def iter_lines(format: Format, columns: Columns, rows: Iterable[Values]) -> Iterator[bytes]:
    """Of a format that has lines."""
    return _csv_lines(columns, rows) if format is Format.CSV else _json_lines(columns, rows)


def _write_lines(lines: Iterable[bytes], out: BinaryIO) -> int:
    pending = bytearray()
    count = 0
    for line in lines:
        count += 1
        pending += line
        if len(pending) >= FLUSH_BYTES:
            out.write(pending)
            pending.clear()
    out.write(pending)
    out.flush()
    return count


def _json_lines(columns: Columns, rows: Iterable[Values]) -> Iterator[bytes]:
    names = tuple(columns)
    for row in rows:
        yield orjson.dumps(dict(zip(names, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE)


def _csv_lines(columns: Columns, rows: Iterable[Values]) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    # Texts are always quoted: a semicolon in one must not start a cell where those separate cells.
    writer = csv.writer(buffer, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    yield _take(buffer)
    for row in rows:
        writer.writerow([_format_cell(value) for value in row])
        yield _take(buffer)


def _take(buffer: io.StringIO) -> bytes:
    line = buffer.getvalue().encode("utf-8", "replace")
    buffer.seek(0)
    buffer.truncate()
    return line


def _format_cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return neutralise(value) if isinstance(value, str) else value


def neutralise(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if _FORMULA.match(text) else text


def require_parquet() -> None:
    try:
        import pyarrow.parquet  # noqa: F401
    except ImportError as error:
        raise UsageError(
            "Parquet needs the package pyarrow: install it with `pip install 'tenax[parquet]'`, "
            "or choose --format jsonl or csv."
        ) from error


def _write_parquet(columns: Columns, rows: Iterable[Values], out: BinaryIO) -> int:
    # Late: an optional package, and a large one.
    import pyarrow
    from pyarrow import parquet

    types = {
        Kind.TEXT: pyarrow.string(),
        Kind.INTEGER: pyarrow.int64(),
        Kind.NUMBER: pyarrow.float64(),
        Kind.FLAG: pyarrow.bool_(),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in columns.items()])
    count = 0
    with parquet.ParquetWriter(out, schema, compression="zstd") as writer:
        for group in _group(rows):
            count += len(group)
            arrays = [
                pyarrow.array(values, field.type)
                for values, field in zip(zip(*group, strict=True), schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
    return count


def _group(rows: Iterable[Values]) -> Iterator[list[Values]]:
    """Row groups, bounded by rows and by characters."""
    group: list[Values] = []
    chars = 0
    for row in rows:
        group.append(row)
        chars += sum(len(value) for value in row if isinstance(value, str))
        if len(group) >= GROUP_ROWS or chars >= GROUP_CHARS:
            yield group
            group, chars = [], 0
    if group:
        yield group
