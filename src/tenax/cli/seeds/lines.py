"""Parses a line of a seed list: an address, a rank and a name, or a mistake.

Three kinds of lists are recognized line by line: plain URLs or hosts; `rank,domain`, as Tranco publishes; CSV
whose first line names its columns, as Majestic publishes. A list from the web may contain anything, so each
error is reported for its line.
"""

import csv
import re
from collections.abc import Iterable, Iterator

from tenax.record import record
from tenax.records.urls import ListedSeed
from tenax.web.addresses import TOO_LONG, Mistake, parse_address
from tenax.web.parameters import NO_NAMES, Names

MAX_RANK = 2**31 - 1
SHOWN_CHARS = 80


_NAME_COLUMNS = ("domain", "host", "hostname", "site", "url")
_RANK_COLUMNS = ("globalrank", "rank")
_match_ranked = re.compile(r"\"?([0-9]+)\"?\s*,(.*)").fullmatch


@record
class BadLine:
    number: int  # counted from 1
    text: str  # how it begins
    reason: str  # a predicate whose subject is the text

    def __str__(self) -> str:
        return f"line {self.number}: {self.text!r} {self.reason}"


@record
class _Columns:
    name: int
    rank: int | None


class SeedLines:
    """Reads one list. Counts its lines, and remembers the columns that a header names."""

    def __init__(self, keep: Names = NO_NAMES) -> None:
        self._keep = keep
        self.number = 0
        self._columns: _Columns | None = None
        self._may_be_header = True

    def read_all(self, lines: Iterable[str | None]) -> Iterator[ListedSeed | BadLine]:
        """Parse all lines. None stands for a line that is too long."""
        for line in lines:
            found = self.read(line)
            if found is not None:
                yield found

    def read(self, line: str | None, rank: int | None = None) -> ListedSeed | BadLine | None:
        """Parse one line. None: it is empty. `rank`: its rank, unless the line has one itself."""
        self.number += 1
        if line is None:
            return BadLine(number=self.number, text="…", reason=TOO_LONG)
        text = line.strip()
        if not text or text[0] == "#":
            return None
        try:
            if self._is_header(text):
                return None
            name, own_rank = self._split(text)
            return ListedSeed(
                url=parse_address(name, self._keep), rank=rank if own_rank is None else own_rank
            )
        except Mistake as mistake:
            return BadLine(number=self.number, text=_show(text), reason=str(mistake))

    def _is_header(self, text: str) -> bool:
        if not self._may_be_header:
            return False
        self._may_be_header = False
        self._columns = _find_columns(text)
        return self._columns is not None

    def _split(self, text: str) -> tuple[str, int | None]:
        if self._columns is not None:
            return _pick(_split_cells(text), self._columns)
        match = _match_ranked(text)
        if match is None:
            return text, None
        rank, name = match.groups()
        # An address may contain commas, a name may not: what follows it are other columns.
        return (name if "://" in name else _split_cells(name)[0]), _parse_rank(rank)


def _show(text: str) -> str:
    """How the text begins; bytes that are not text become question marks."""
    return text[:SHOWN_CHARS].encode("utf-8", "replace").decode()


def _find_columns(text: str) -> _Columns | None:
    """None: the line is not a header."""
    names = [cell.strip().casefold() for cell in _split_cells(text)]
    at = {name: number for number, name in reversed(list(enumerate(names)))}
    name = next((at[known] for known in _NAME_COLUMNS if known in at), None)
    if name is None:
        return None
    return _Columns(name=name, rank=next((at[known] for known in _RANK_COLUMNS if known in at), None))


def _pick(cells: list[str], columns: _Columns) -> tuple[str, int | None]:
    try:
        rank = None if columns.rank is None else _parse_rank(cells[columns.rank].strip())
        return cells[columns.name], rank
    except IndexError:
        raise Mistake("has too few columns") from None


def _split_cells(text: str) -> list[str]:
    if '"' not in text:
        return text.split(",")
    try:
        return next(csv.reader([text]), [""])
    except csv.Error:
        raise Mistake("is not valid CSV") from None


def _parse_rank(text: str) -> int:
    # Ten digits at most: Python refuses to parse a number with thousands of digits.
    rank = int(text) if re.fullmatch("[0-9]{1,10}", text) else 0
    if not 1 <= rank <= MAX_RANK:
        raise Mistake(f"has no rank between 1 and {MAX_RANK:,}")
    return rank
