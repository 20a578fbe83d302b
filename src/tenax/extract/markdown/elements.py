"""What elements become: called where they begin; what is returned, where they end."""

from collections.abc import Callable
from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.drawings import read_drawing
from tenax.extract.markdown import inline
from tenax.extract.markdown.blocks import Blocks, Listing
from tenax.extract.markdown.code import find_language
from tenax.extract.markdown.phrasing import Phrasing
from tenax.extract.markdown.tables import TableText, find_data_tables
from tenax.extract.tags import find_id
from tenax.record import record
from tenax.web.hrefs import PageHrefs

Leave = Callable[[], None]


@record
class Rules:
    """What is written."""

    hrefs: PageHrefs
    hidden: frozenset[int]  # `mem_id`s of elements to leave out
    images: bool = True
    whole: bool = True  # with the header, the footer and the navigation of the page
    kept: frozenset[int] = frozenset()  # `mem_id`s of headers that stay


def skip() -> None:
    """What entering an element returns when its children are not to be visited."""


class Elements:
    """What each element means for the Markdown of one document."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._blocks = Blocks()
        self.phrases = Phrasing(rules.hrefs)
        self.pre: list[str] | None = None  # the text of a code block
        self._heading = 0
        self._lists: list[Listing] = []
        self._data_tables: frozenset[int] = frozenset()
        self._table: TableText | None = None
        self._cell: list[str] | None = None  # the blocks of a cell
        self._tables = 0  # that are open
        self._sections = 0  # articles and the like

    def format(self) -> str:
        return self._blocks.format()

    def flush(self) -> None:
        """Write what was collected as a block."""
        phrases = self.phrases
        if not phrases.pieces and not phrases.code:
            return
        text = phrases.take()
        lines = list(filter(None, map(str.strip, text.split(inline.LINE)))) if inline.LINE in text else [text]
        if not lines or not lines[0]:
            return
        if self._cell is not None:
            self._cell += lines
        elif self._heading:
            self._blocks.write([f"{'#' * self._heading} {inline.escape_heading(' '.join(lines))}"])
        else:
            lines = [inline.escape_start(line) for line in lines]
            lines[:-1] = [f"{line}\\" for line in lines[:-1]]
            self._blocks.write(lines, is_text=True)

    # elements: each returns what to do at their end

    def enter_block(self, _node: LexborNode) -> Leave:
        self._break()
        return self._break

    def _break(self) -> None:
        if self.pre is None and not self.phrases.pieces and not self.phrases.code:
            return
        if self.pre is not None:
            if self.pre and not self.pre[-1].endswith("\n"):
                self.pre.append("\n")
        elif self.phrases.code_depth and self._cell is not None:
            self.phrases.add_text(" ")
        else:
            self.flush()

    def enter_soft(self, node: LexborNode) -> Leave:
        """A heading stays one line, whatever it is divided into."""
        if not self._heading:
            return self.enter_block(node)
        self._add_space()
        return self._add_space

    def _add_space(self) -> None:
        if self.pre is None:
            self.phrases.add_text(" ")

    def enter_word(self, node: LexborNode) -> Leave | None:
        if self._table is not None and node.tag_id in _CELLS:
            return self.enter_cell(node)
        if node.tag_id in _CELLS and self._tables:
            return self.enter_block(node)
        self._add_space()
        return self._add_space

    def enter_section(self, _node: LexborNode) -> Leave:
        self._break()
        self._sections += 1
        return self._leave_section

    def _leave_section(self) -> None:
        self._break()
        self._sections -= 1

    def enter_frame(self, node: LexborNode) -> Leave:
        """A header, a footer or the navigation."""
        rules = self._rules
        if not rules.whole and node.mem_id not in rules.kept and (node.tag_id == _NAV or not self._sections):
            self._break()
            return skip
        return self.enter_block(node)

    def enter_heading(self, node: LexborNode) -> Leave:
        self._break()
        if self._is_literal():
            return self._break
        self._heading = int((node.tag or "h6")[1])
        return self._leave_heading

    def _leave_heading(self) -> None:
        self.flush()
        self._heading = 0

    def _is_literal(self) -> bool:
        """Whether blocks have no signs of their own here: in code, and in a cell, which is one line."""
        return self.pre is not None or self._cell is not None

    def _end_heading(self) -> None:
        if self._heading and self._cell is None:
            self.flush()
            self._heading = 0

    def enter_paragraph(self, node: LexborNode) -> Leave:
        self._end_heading()
        return self.enter_block(node)

    def enter_list(self, node: LexborNode) -> Leave:
        self._break()
        if self._is_literal():
            return self._break
        self._end_heading()
        start = _read_number(node.attributes.get("start"), 1) if node.tag_id == _OL else None
        self._lists.append(self._blocks.begin_list(start))
        return self._leave_list

    def _leave_list(self) -> None:
        self.flush()
        self._blocks.end_list(self._lists.pop())

    def enter_item(self, node: LexborNode) -> Leave:
        self._break()
        if self._is_literal():
            return self._break
        self._end_heading()
        if not self._lists:
            self._lists.append(self._blocks.begin_list(None))
            self._open_item(self._lists[-1])
            return self._leave_lone_item
        return self._open_item(self._lists[-1])

    def _open_item(self, listing: Listing) -> Leave:
        if self._blocks.is_full:
            return self.flush
        self._blocks.open_item(listing)
        return self._leave_nest

    def _leave_nest(self) -> None:
        self.flush()
        self._blocks.close()

    def _leave_lone_item(self) -> None:
        self._leave_nest()
        self._leave_list()

    def enter_term(self, _node: LexborNode) -> Leave:
        self._break()
        self._end_heading()
        close = self._open_mark(inline.STRONG)

        def leave() -> None:
            if close is not None:
                close()
            self._break()

        return leave

    def enter_definition(self, _node: LexborNode) -> Leave:
        self._break()
        if self._is_literal() or self._blocks.is_full:
            return self._break
        self._end_heading()
        listing = self._blocks.find_list_before()
        if listing is None or listing.number is not None:
            listing = self._blocks.begin_list(None)
        self._lists.append(listing)
        self._blocks.open_item(listing)
        return self._leave_lone_item

    def enter_quote(self, _node: LexborNode) -> Leave:
        self._break()
        if self._is_literal() or self._blocks.is_full:
            return self._break
        self._end_heading()
        self._blocks.open_quote()
        return self._leave_nest

    def enter_rule(self, _node: LexborNode) -> None:
        self._break()
        if not self._is_literal():
            self._end_heading()
            self._blocks.write(["***"])

    def enter_line(self, _node: LexborNode) -> None:
        if self.pre is not None:
            self.pre.append("\n")
        elif self._heading or self._cell is not None:
            self._add_space()
        elif not self.phrases.add_line():
            self.flush()

    def enter_pre(self, node: LexborNode) -> Leave:
        self._break()
        if self._is_literal():
            return self.enter_code(node) or self._break
        self._end_heading()
        opened = self.phrases.close_all()
        self.flush()
        self.pre = []
        language = find_language(node)

        def leave() -> None:
            code, self.pre = "".join(self.pre or ()), None
            self._write_code(code, language)
            self.phrases.reopen(opened)

        return leave

    def _write_code(self, code: str, language: str) -> None:
        lines = [line.rstrip("\r") for line in inline.drop_controls(code).replace("\r\n", "\n").split("\n")]
        while lines and not lines[-1].strip():
            lines.pop()
        while lines and not lines[0].strip():
            lines.pop(0)
        if lines:
            fence = inline.format_fence(code)
            self._blocks.write([fence + language, *lines, fence])

    def enter_code(self, _node: LexborNode) -> Leave | None:
        if self.pre is not None:
            return None
        self.phrases.code_depth += 1
        return self._leave_code

    def _leave_code(self) -> None:
        self.phrases.code_depth -= 1

    def enter_strong(self, _node: LexborNode) -> Leave | None:
        return None if self._heading else self._open_mark(inline.STRONG)

    def enter_em(self, _node: LexborNode) -> Leave | None:
        return self._open_mark(inline.EM)

    def enter_struck(self, _node: LexborNode) -> Leave | None:
        return self._open_mark(inline.STRUCK)

    def _open_mark(self, mark: str) -> Leave | None:
        if self.pre is None and self.phrases.open_mark(mark):
            return self.phrases.close_mark
        return None

    def enter_link(self, node: LexborNode) -> Leave | None:
        if self.pre is None and self.phrases.open_link(node.attributes.get("href")):
            return self.phrases.close_mark
        return None

    def enter_image(self, node: LexborNode) -> None:
        if self._rules.images and self.pre is None:
            self.phrases.add_image(node)

    def enter_input(self, node: LexborNode) -> None:
        attributes = node.attributes
        is_box = (attributes.get("type") or "").lower() == "checkbox"
        if is_box and not self.phrases.pieces and self._cell is None:
            self._blocks.mark_task("[x] " if "checked" in attributes else "[ ] ")

    def enter_script(self, node: LexborNode) -> Leave | None:
        """A superscript or a subscript."""
        began = self.phrases.begin_script() if self.pre is None else None
        if began is None:
            return None
        is_raised = node.tag_id == _SUP
        return lambda: self.phrases.end_script(began, is_raised=is_raised)

    def enter_table(self, node: LexborNode) -> Leave:
        self._break()
        if self._is_literal():
            return self._break
        self._end_heading()
        if not self._tables:
            self._data_tables = find_data_tables(node)
        self._tables += 1
        if node.mem_id in self._data_tables:
            self._table = TableText()
        return self._leave_table

    def _leave_table(self) -> None:
        self.flush()
        self._tables -= 1
        if self._table is not None:
            lines = self._table.format()
            self._table = None
            if lines:
                self._blocks.write(lines)

    def enter_row(self, node: LexborNode) -> Leave | None:
        if self._table is None:
            return self.enter_block(node)
        self._table.begin_row()
        return None

    def enter_cell(self, node: LexborNode) -> Leave:
        opened = self.phrases.close_all()
        self.flush()
        self._cell = []
        attributes = node.attributes
        columns = _read_number(attributes.get("colspan"), 1) if attributes else 1
        rows = _read_number(attributes.get("rowspan"), 1) if attributes else 1
        is_header = node.tag_id == _TH

        def leave() -> None:
            self.flush()
            text = " ".join(self._cell or ()).replace("|", "\\|")
            self._cell = None
            if self._table is not None:
                self._table.add(text, is_header=is_header, columns=columns, rows=rows)
            self.phrases.reopen(opened)

        return leave

    def enter_drawing(self, node: LexborNode) -> Leave:
        if words := read_drawing(node, self._rules.hidden):
            (self.phrases.add_text if self.pre is None else self.pre.append)(words)
        return skip

    def enter_hidden(self, _node: LexborNode) -> Leave:
        return skip


def _read_number(said: str | None, default: int) -> int:
    value = (said or "").strip()
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else default


_CELLS: Final = frozenset({find_id("td"), find_id("th")})
_TH: Final = find_id("th")
_OL: Final = find_id("ol")
_NAV: Final = find_id("nav")
_SUP: Final = find_id("sup")
