"""Takes links and emphasis through the library that finds main texts: with its own options for them, it finds
other paragraphs. The first and the last character of each are replaced by one of a private plane of Unicode, so
that no text changes its length, and put back afterwards.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple

_FIRST: Final = 0x10_0000
_MAX_INNER: Final = 30  # elements: what holds more is no link in a text
MAX_MARKS: Final = 65_000
MARK: Final = re.compile("([\U00100000-\U0010fffd])")
_STYLES: Final = {
    "b": "strong",
    "strong": "strong",
    "em": "em",
    "i": "em",
    "u": "u",
    "kbd": "code",
    "samp": "code",
    "tt": "code",
    "var": "code",
    "sub": "sub",
    "sup": "sup",
}
# The library leaves out lines of these words alone, and would not know them with marks.
_SHARES: Final = re.compile(
    r"\W*(?:drucken|e-?mail|facebook|flipboard|google|instagram|linkedin|mail|pdf|pinterest|pocket|print|qq"
    r"|reddit|twitter|wechat|weibo|whatsapp|xing|mehr zum thema:?|more on this.{0,8})",
    re.IGNORECASE,
)


_Place = tuple[Any, bool]  # an element, and whether a text stands behind it instead of in it


class Inline(NamedTuple):
    name: str  # of the element in HTML
    reference: str = ""  # of a link


class Mark(NamedTuple):
    """What one character stands for."""

    char: str
    starts: tuple[Inline, ...] = ()  # the outermost first
    ends: int = 0


def mark_inlines(tree: Any) -> list[Mark]:
    """Returns what the marks in the texts stand for, for `read_marks`. Equal texts stay equal: the library
    leaves out repeated ones."""
    marks: dict[Mark, int] = {}
    known: list[Mark] = []
    # Whether these are code is told by their characters.
    left_out = {inner for pre in tree.iter("pre") for inner in pre.iter("a", *_STYLES)}
    for element in tree.iter("a", *_STYLES):
        inline = Inline("a", element.get("href") or "") if element.tag == "a" else Inline(_STYLES[element.tag])
        if (inline.name == "a" and not inline.reference) or len(known) > MAX_MARKS:
            continue
        if element not in left_out and (ends := _find_ends(element)):
            _write_mark(ends[0], (inline,), 0, marks, known)
            _write_mark(ends[1], (), 1, marks, known)
    return known


def read_marks(text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
    """Pieces of a text: characters with marks, and what is between them."""
    for number, piece in enumerate(MARK.split(text)):
        if number % 2 == 0:
            if piece:
                yield Mark(piece)
        elif (place := ord(piece) - _FIRST) < len(marks):
            yield marks[place]


def _find_ends(element: Any) -> tuple[_Place, _Place] | None:
    """Where its first and its last text are."""
    if not len(element):
        is_left_out = not element.text or element.text.isspace() or _SHARES.fullmatch(element.text.strip())
        return None if is_left_out else ((element, False), (element, False))
    if sum(1 for _ in islice(element.iterdescendants(), _MAX_INNER + 1)) > _MAX_INNER:
        return None
    places = [(each, is_tail) for each, is_tail in _list_places(element) if _read(each, is_tail).strip()]
    if not places or (len(places) == 1 and _SHARES.fullmatch(_read(*places[0]).strip())):
        return None
    return places[0], places[-1]


def _list_places(element: Any) -> Iterator[_Place]:
    from lxml import etree

    for event, inner in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            yield inner, False
        elif inner is not element:
            yield inner, True


def _read(element: Any, is_tail: bool) -> str:
    return (element.tail if is_tail else element.text) or ""


def _write_mark(
    at: _Place, starts: tuple[Inline, ...], ends: int, marks: dict[Mark, int], known: list[Mark]
) -> None:
    element, is_tail = at
    text = _read(element, is_tail)
    place = len(text.rstrip()) - 1 if ends else len(text) - len(text.lstrip())
    number = ord(text[place]) - _FIRST
    old = known[number] if 0 <= number < len(known) else Mark(text[place])
    mark = Mark(old.char, (*old.starts, *starts), old.ends + ends)
    if mark not in marks:
        marks[mark] = len(known)
        known.append(mark)
    text = f"{text[:place]}{chr(_FIRST + marks[mark])}{text[place + 1 :]}"
    if is_tail:
        element.tail = text
    else:
        element.text = text
