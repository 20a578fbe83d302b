"""Takes links and emphasis through the library that finds main texts: with its own options for them, it finds
other paragraphs. The first and the last character of each are replaced by one of a private plane of Unicode,
so that no text changes its length, and put back afterwards.
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
_TEASERS: Final = frozenset(
    ["div", "figure", "h2", "h3", "h4", "img", "p"]
)  # a link around one is no part of a text
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
    # Whether a preformatted text is code is told by its characters.
    left_out = {inner for pre in tree.iter("pre") for inner in pre.iter("a", *_STYLES)}
    for element in tree.iter("a", *_STYLES):
        inline = (
            Inline("a", element.get("href") or "") if element.tag == "a" else Inline(_STYLES[element.tag])
        )
        if element in left_out or (inline.name == "a" and not inline.reference):
            continue
        if len(known) > MAX_MARKS:
            break
        if len(element):
            if places := _find_places(element):
                _write(places[0], _mark(_read(*places[0]), (inline,), 0, marks, known))
                _write(places[1], _mark(_read(*places[1]), (), 1, marks, known))
        elif (text := element.text) and not text.isspace() and not _SHARES.fullmatch(text.strip()):
            element.text = _mark(_mark(text, (inline,), 0, marks, known), (), 1, marks, known)
    return known


def read_marks(text: str, marks: Sequence[Mark]) -> Iterator[Mark]:
    """Pieces of a text: characters with marks, and what is between them."""
    for number, piece in enumerate(MARK.split(text)):
        if number % 2 == 0:
            if piece:
                yield Mark(piece)
        elif (place := ord(piece) - _FIRST) < len(marks):
            yield marks[place]


def _find_places(element: Any) -> tuple[_Place, _Place] | None:
    """Where its first and its last text are."""
    if element[0].tag in _TEASERS or sum(1 for _ in islice(element.iter(), _MAX_INNER)) == _MAX_INNER:
        return None
    places = [place for place in _list_places(element) if _read(*place).strip()]
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


def _write(place: _Place, text: str) -> None:
    element, is_tail = place
    if is_tail:
        element.tail = text
    else:
        element.text = text


def _mark(text: str, starts: tuple[Inline, ...], ends: int, marks: dict[Mark, int], known: list[Mark]) -> str:
    """The text with a mark instead of its first character, or of its last one if something ends there."""
    place = len(text.rstrip()) - 1 if ends else len(text) - len(text.lstrip())
    number = ord(text[place]) - _FIRST
    old = known[number] if 0 <= number < len(known) else Mark(text[place])
    mark = Mark(old.char, (*old.starts, *starts), old.ends + ends)
    if (number := marks.setdefault(mark, len(known))) == len(known):
        known.append(mark)
    return f"{text[:place]}{chr(_FIRST + number)}{text[place + 1 :]}"
