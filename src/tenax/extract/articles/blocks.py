"""Turns the main content of a page into text with a blank line between paragraphs, and into clean HTML."""

import re
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from typing import Any, Final

from selectolax.lexbor import LexborHTMLParser

from tenax.extract.articles.marks import Inline, Mark, read_marks
from tenax.record import record
from tenax.web.urls import parse_url

MAX_CHARS: Final = 150_000  # a long book

_BLOCKS: Final = frozenset(("p", "head", "item", "quote", "row", "list", "table", "code", "ab", "div", "fw"))
_PLAIN: Final = {
    "p": "p",
    "ab": "p",
    "item": "li",
    "quote": "blockquote",
    "code": "code",
    "table": "table",
    "row": "tr",
    "del": "del",
}
_VOID: Final = frozenset(("lb", "graphic"))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_BREAKS: Final = re.compile(r"</?(?:p|br|div|li|h[1-6])\b[^<>]{0,200}>", re.IGNORECASE)


@record
class MainContent:
    text: str  # a blank line between paragraphs; the items of a list on lines of their own
    html: str  # headings, paragraphs, lists, quotations, tables, images and links, and nothing else
    paragraphs: int
    linked_chars: int  # of the text, inside links


def read_main(body: Any, marks: Sequence[Mark], base_url: str, title: str | None = None) -> MainContent:
    """`marks`: what those in its texts stand for; `title`: is left out where it stands at the beginning."""
    writer = _Writer(base_url, marks)
    for event, element in _walk(body):
        if event == "start":
            writer.start(element)
        else:
            writer.end(element, is_root=element is body)
        if writer.chars > MAX_CHARS:
            break
    return writer.finish(title)


def read_said(text: str) -> MainContent:
    """The main content that JSON-LD gives as a text, with or without tags."""
    if "<" in text:
        text = LexborHTMLParser(_BREAKS.sub("\\n", text[:MAX_CHARS])).text()
    lines = list(_join_lines(text[:MAX_CHARS]))
    html = "".join(f"<p>{escape(line, quote=False)}</p>" for line in lines)
    return MainContent(text="\n\n".join(lines), html=html, paragraphs=len(lines), linked_chars=0)


def _walk(body: Any) -> Iterator[tuple[str, Any]]:
    from lxml import etree

    return iter(etree.iterwalk(body, events=("start", "end")))


class _Writer:
    """Collects both forms in one walk, without recursion."""

    def __init__(self, base_url: str, marks: Sequence[Mark]) -> None:
        self._base_url = base_url
        self._marks = marks
        self._html: list[str] = []
        self._open: list[tuple[str, int]] = []  # elements, with the number of marks that were open then
        self._inlines: list[str] = []  # what marks have begun, "" for a link without an address
        self._lines: list[tuple[str, bool]] = []  # a line, and whether it belongs to the one before
        self._line: list[str] = []
        self._code = 0  # open elements
        self._is_item = self._is_cell = False
        self._linked = 0
        self.chars = 0

    def start(self, element: Any) -> None:
        tag = _name(element)
        if _is_block(element, tag):
            self._break()
        if tag == "cell" and self._is_cell:
            self._line.append(" | ")
        self._is_cell = tag == "cell" or (self._is_cell and tag != "row")
        self._code += tag == "code"
        self._is_item = tag == "item" or (self._is_item and tag != "p")
        if tag in _VOID:
            self._write_void(tag, element)
        elif name := self._translate(tag, element):
            self._html.append(f"<{name}>")
            self._open.append((name, len(self._inlines)))
        else:
            self._open.append(("", len(self._inlines)))
        self._add(element.text)

    def end(self, element: Any, *, is_root: bool) -> None:
        tag = _name(element)
        if _is_block(element, tag):
            self._break()
        self._code -= tag == "code"
        self._is_cell = self._is_cell and tag != "table"
        if tag not in _VOID:
            self._close()
        if not is_root:
            self._add(element.tail)

    def finish(self, title: str | None) -> MainContent:
        self._break()
        while self._open:
            self._close()
        lines = self._lines
        html = "".join(self._html)
        if title and lines and lines[0][0].casefold() == title.casefold():
            lines, html = lines[1:], _drop_first(html)
        text = "".join(
            line if not n else ("\n" if joins else "\n\n") + line for n, (line, joins) in enumerate(lines)
        )
        return MainContent(
            text=text, html=html, paragraphs=len(lines), linked_chars=min(self._linked, len(text))
        )

    def _close(self) -> None:
        self._end_inlines()
        name, _ = self._open.pop()
        if name:
            self._html.append(f"</{name}>")

    def _break(self) -> None:
        self._end_inlines()
        raw = "".join(self._line)
        line = raw.strip("\n") if self._code else "\n".join(_join_lines(raw))
        if self._is_cell:
            line = line.strip(" |")  # of empty cells, as in tables that are there for their looks
        if line.strip():
            joins = self._is_item and bool(self._lines)
            self._lines.append(
                (f"- {line}" if self._is_item else line, joins and self._lines[-1][0][:2] == "- ")
            )
            self._is_item = False
        self._line = []

    def _add(self, text: str | None) -> None:
        for piece, starts, ends in read_marks(text or "", self._marks):
            for inline in starts:
                self._start_inline(inline)
            self._line.append(piece if self._code else " ".join(_spaced(piece)))
            self._html.append(escape(piece, quote=False))
            self._linked += len(piece) if "a" in self._inlines else 0
            self.chars += len(piece)
            for _ in range(ends):
                self._end_inline()

    def _start_inline(self, inline: Inline) -> None:
        attribute = ""
        if inline.name == "a":
            url = parse_url(inline.reference.strip(), self._base_url)
            attribute = f' href="{escape(url)}"' if url else ""
        if inline.name != "a" or attribute:
            self._html.append(f"<{inline.name}{attribute}>")
            self._inlines.append(inline.name)
        else:
            self._inlines.append("")

    def _end_inline(self) -> None:
        """Ends without a beginning are left out: a text may be the middle of a link."""
        if len(self._inlines) > self._count_outer() and (name := self._inlines.pop()):
            self._html.append(f"</{name}>")

    def _end_inlines(self) -> None:
        while len(self._inlines) > self._count_outer():
            self._end_inline()

    def _count_outer(self) -> int:
        return self._open[-1][1] if self._open else 0

    def _write_void(self, tag: str, element: Any) -> None:
        if tag == "lb":
            self._html.append("<br>")
            self._line.append("\n")
        elif url := parse_url((element.get("src") or "").strip(), self._base_url):
            alt = escape(element.get("alt") or "")
            self._html.append(f'<img src="{escape(url)}" alt="{alt}">')

    def _translate(self, tag: str, element: Any) -> str | None:
        """The element of HTML that stands for one of the tree. None: only what is in it is kept."""
        if tag == "head":
            level = element.get("rend")
            return level if level in _HEADINGS else "h2"
        if tag == "list":
            return "ol" if element.get("rend") == "ol" else "ul"
        if tag == "cell":
            return "th" if element.get("role") == "head" else "td"
        if tag == "code" and _is_block_code(element):
            return "pre"
        return _PLAIN.get(tag)


def _name(element: Any) -> str:
    return element.tag if isinstance(element.tag, str) else ""


def _is_block(element: Any, tag: str) -> bool:
    return tag in _BLOCKS and not (tag == "code" and not _is_block_code(element))


def _is_block_code(element: Any) -> bool:
    return "\n" in (element.text or "") or len(element) > 0


def _spaced(text: str) -> Iterable[str]:
    """Words, with a space at each end where the text has one."""
    words = text.split()
    if not words:
        return ("", "")
    return [*([""] if text[0].isspace() else []), *words, *([""] if text[-1].isspace() else [])]


def _join_lines(text: str) -> Iterator[str]:
    return (line for each in text.split("\n") if (line := " ".join(each.split())))


def _drop_first(html: str) -> str:
    """Without its first heading or paragraph."""
    for name in ("h1", "h2", "h3", "h4", "h5", "h6", "p"):
        if html.startswith(f"<{name}>"):
            return html[html.index(f"</{name}>") + len(name) + 3 :]
    return html
