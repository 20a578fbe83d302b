"""Markdown of lines of plain text, as documents have them that do not say where a paragraph ends."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from tenax.extract.markdown.inline import drop_controls, escape, escape_start

_SHORT: Final = 0.6  # of the longest line of its page: a line that ends here ends a paragraph
_begins_item = re.compile(r"(?:[•▪‣●○◦·–—*-]|\(?\d{1,3}(?:\.\d{1,3})*[.)]|\(?[a-z][.)])\s").match


def write_paragraphs(pages: Iterable[Sequence[str]]) -> str:
    """`pages`: their lines, none of which is empty. No paragraph goes on over the end of a page."""
    found = (paragraph for lines in pages for paragraph in _join_lines(lines))
    blocks = [escape_start(escape(drop_controls(each))) for each in found]
    return "\n\n".join(blocks) + "\n" if blocks else ""


def _join_lines(lines: Sequence[str]) -> Iterator[str]:
    short = _SHORT * max(map(len, lines), default=0)
    waiting: list[str] = []
    for line in lines:
        if waiting and _begins_item(line):
            yield " ".join(waiting)
            waiting = []
        waiting.append(line)
        if len(line) < short:
            yield " ".join(waiting)
            waiting = []
    if waiting:
        yield " ".join(waiting)
