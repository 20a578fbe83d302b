"""How commands show things: plain text in columns, safe for a terminal.

Crawled text may be hostile. It passes through `clean` or `escape_json` before it is shown.
"""

import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
import typer
from rich.cells import cell_len

from tenax.clock import Instant, format_instant
from tenax.visible import clean, escape_json

NOTHING = "–"
GAP = "  "

_SPACES = re.compile(r"\s+")
_BYTE_UNITS = ("kB", "MB", "GB", "TB")


def show(text: str = "", *, is_bold: bool = False) -> None:
    """Write to stdout. Characters that its encoding lacks are shown as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    safe = text.encode(encoding, "backslashreplace").decode(encoding)
    typer.secho(safe, bold=is_bold)


def show_json(value: Any, *, is_line: bool = False) -> None:
    """Show one JSON document, on one line or indented. Instants must be text already."""
    text = orjson.dumps(value, option=None if is_line else orjson.OPT_INDENT_2)
    show(escape_json(text).decode())


def as_json(value: Any) -> Any:
    """Prepare a dict for JSON: instants, recognized by the names of their fields, become ISO 8601."""
    if isinstance(value, dict):
        return {str(name): _field_as_json(str(name), field) for name, field in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(each) for each in value]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def _field_as_json(name: str, value: Any) -> Any:
    if isinstance(value, float) and name.endswith(("_at", "_until", "_after")):
        return format_instant(value)
    return as_json(value)


def tidy(text: str, limit: int) -> str:
    """Clean the text, collapse white space, and cut it to `limit` characters."""
    line = clean(_SPACES.sub(" ", text[: limit * 4]).strip())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def format_count(number: int) -> str:
    return f"{number:,}"


def format_bytes(size: int) -> str:
    if size < 1000:
        return f"{size} B"
    amount = float(size)
    for unit in _BYTE_UNITS:
        amount /= 1000
        if amount < 999.5 or unit == _BYTE_UNITS[-1]:
            break
    return f"{amount:.1f} {unit}" if amount < 99.95 else f"{amount:,.0f} {unit}"


def format_duration(seconds: float) -> str:
    """Two units at most: "0.8 ms", "1.25 s", "3 min 20 s", "2 h 5 min", "4 d 3 h"."""
    if seconds < 0:
        return f"-{format_duration(-seconds)}"
    if seconds < 0.9995:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{_trim(f'{seconds:.2f}' if seconds < 10 else f'{seconds:.1f}')} s"
    whole = round(seconds)
    for unit, size, smaller, part in (
        ("d", 86400, "h", 3600),
        ("h", 3600, "min", 60),
        ("min", 60, "s", 1),
    ):
        if whole >= size:
            rest = whole % size // part
            return f"{whole // size:,} {unit}" + (f" {rest} {smaller}" if rest else "")
    return f"{whole} s"


def _trim(number: str) -> str:
    return number.rstrip("0").rstrip(".")


def format_moment(instant: Instant | None) -> str:
    """Format an instant in UTC, to the second."""
    text = format_instant(instant)
    return NOTHING if text is None else text[:19].replace("T", " ") + " UTC"


def format_when(instant: Instant | None, now: Instant) -> str:
    """Format an instant and its distance from now: "2024-05-01 10:00:00 UTC (3 min ago)"."""
    if instant is None:
        return NOTHING
    return f"{format_moment(instant)} ({format_distance(instant, now)})"


def format_distance(instant: Instant | None, now: Instant) -> str:
    if instant is None:
        return NOTHING
    away_s = instant - now
    if abs(away_s) < 1:
        return "now"
    text = format_duration(float(round(abs(away_s))))
    return f"in {text}" if away_s > 0 else f"{text} ago"


def name_source(source_id: int | None, name: str | None) -> str:
    """The name of the source that something belongs to; the source may have been removed."""
    return NOTHING if source_id is None else clean(name or f"source {source_id}")


def clip(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[: chars - 1]}…"


def format_table(headers: Sequence[str], rows: Iterable[Sequence[str]], right: frozenset[int]) -> list[str]:
    """Format lines with aligned columns, those in `right` to the right. Cells must be clean already."""
    table = [headers, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*table, strict=True)]
    return [_format_row(row, widths, right) for row in table]


def _format_row(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    cells = []
    for position, (cell, width) in enumerate(zip(row, widths, strict=True)):
        padding = " " * (width - cell_len(cell))
        cells.append(padding + cell if position in right else cell + padding)
    return GAP.join(cells).rstrip()


def show_table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: Iterable[int] = (),
    notes: Iterable[str | None] | None = None,
) -> None:
    """`notes` has a line, or None, to show under each row."""
    first, *lines = format_table(headers, rows, frozenset(right))
    show(first, is_bold=True)
    for line, note in zip(lines, notes or [None] * len(lines), strict=True):
        show(line)
        if note is not None:
            show(note)


def show_facts(facts: Iterable[tuple[str, str]], indent: str = "") -> None:
    """Show names and their values, the values aligned."""
    listed = list(facts)
    width = max((cell_len(name) for name, _ in listed), default=0)
    for name, value in listed:
        show(f"{indent}{name}{' ' * (width - cell_len(name))}{GAP}{value}")
