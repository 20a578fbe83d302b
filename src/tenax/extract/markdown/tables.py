"""Tables: which of them hold data, and how those are written as Markdown of GitHub."""

from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.tags import HIDDEN, find_id, find_ids

MAX_COLUMNS: Final = 200  # that cells may span
_FILLED: Final = 2_000  # cells of a table that others span
_MAX_ROWS: Final = 1_000  # that a cell may span

_TABLE: Final = find_id("table")
_ROW: Final = find_id("tr")
_HEADER: Final = find_id("th")
_CELLS: Final = find_ids("td th")
_CAPTION: Final = find_id("caption")
# What does not fit into one line: a table with these lays out a page.
_STRUCTURE: Final = find_ids("article blockquote dl fieldset form h1 h2 h3 h4 h5 h6 hr pre section table")


@dataclass(slots=True)
class _Facts:
    has_structure: bool = False
    has_headers: bool = False
    cells: int = 0  # of the current row
    columns: int = 0
    rows: int = 0

    @property
    def is_data(self) -> bool:
        if self.has_structure:
            return False
        return self.columns > 1 and (self.rows > 1 or self.has_headers)


def find_data_tables(table: LexborNode) -> frozenset[int]:
    """Find the tables with data in the table and inside it, by `mem_id`. Reads each element once."""
    found: set[int] = set()
    opened: list[tuple[LexborNode, _Facts | None]] = []  # ancestors; with facts, if tables
    around: list[_Facts] = []
    node: LexborNode | None = table
    while node is not None:
        tag_id, facts = node.tag_id, None
        if tag_id == _TABLE:
            facts = _Facts(has_structure=(node.attributes.get("role") or "") in ("none", "presentation"))
        if around:
            _note(around[-1], tag_id)
        child = None if tag_id in HIDDEN else node.first_child
        if child is not None:
            opened.append((node, facts))
            if facts is not None:
                around.append(facts)
            node = child
            continue
        node = _leave(node, opened, around, found)
    return frozenset(found)


def _note(facts: _Facts, tag_id: int) -> None:
    if tag_id in _CELLS:
        facts.cells += 1
        facts.columns = max(facts.columns, facts.cells)
        facts.has_headers |= tag_id == _HEADER
    elif tag_id == _ROW:
        facts.rows += 1
        facts.cells = 0
    elif tag_id in _STRUCTURE:
        facts.has_structure = True


def _leave(
    node: LexborNode,
    opened: list[tuple[LexborNode, _Facts | None]],
    around: list[_Facts],
    found: set[int],
) -> LexborNode | None:
    """Find the next node in document order, and judge the tables that end before it."""
    while opened:
        if (following := node.next) is not None:
            return following
        node, facts = opened.pop()
        if facts is not None:
            around.pop()
            if facts.is_data:
                found.add(node.mem_id)
    return None


@dataclass(slots=True)
class TableText:
    """The cells of a table that is being read."""

    rows: list[list[str]] = field(default_factory=list)
    has_head: bool = False
    _held: dict[int, int] = field(default_factory=dict)  # columns that cells above hold, for how many rows
    _budget: int = _FILLED
    _has_data: bool = False  # in the current row

    def begin_row(self) -> None:
        self._end_row()
        self.rows.append([])
        self._has_data = False

    def add(self, text: str, *, is_header: bool, columns: int, rows: int) -> None:
        if not self.rows:
            self.begin_row()
        self._skip_held()
        row = self.rows[-1]
        first = len(row)
        row.append(text)
        self._has_data |= not is_header
        extra = min(columns - 1, self._budget, MAX_COLUMNS)
        if extra > 0:
            self._budget -= extra
            row += [""] * extra
        if rows > 1 and self._budget > 0:
            for column in range(first, min(len(row), MAX_COLUMNS)):
                self._held[column] = min(rows, _MAX_ROWS)

    def format(self) -> list[str]:
        self._end_row()
        self._drop_empty()
        width = max((len(row) for row in self.rows), default=0)
        if width == 0:
            return []
        head = self.rows.pop(0) if self.has_head else []
        head += [""] * (width - len(head))
        return [_format_row(head), _format_row(["---"] * width), *map(_format_row, self.rows)]

    def _skip_held(self) -> None:
        row = self.rows[-1]
        while len(row) in self._held and self._budget > 0:
            self._budget -= 1
            row.append("")

    def _end_row(self) -> None:
        """The first row is the head if all of its cells are headers."""
        if len(self.rows) == 1:
            self.has_head = not self._has_data
        if self.rows and self._held:
            self._held = {column: left - 1 for column, left in self._held.items() if left > 1}

    def _drop_empty(self) -> None:
        head = self.rows[:1] if self.has_head else []
        self.rows = head + [row for row in self.rows[len(head) :] if any(row)]


def _format_row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
