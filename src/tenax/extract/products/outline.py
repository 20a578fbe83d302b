"""What people see of a document, in one pass: its texts in order, headings, buttons and pictures, and what
their surroundings are called. Each element is looked at a bounded number of times.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from tenax.extract.amounts import BOUNDARY, space_currencies
from tenax.extract.products.words import CENTS, PLAIN_ZONE, ZONE
from tenax.extract.tags import HIDDEN, TEXT, find_id, find_ids
from tenax.extract.text import find_behind
from tenax.record import record
from tenax.web.white_space import collapse

MAX_PARTS: Final = 50_000  # texts
MAX_TEXT_CHARS: Final = 2_000_000  # of all texts
MAX_PART_CHARS: Final = 5_000  # of one
MAX_NAMES_CHARS: Final = 300  # of class and id
MAX_HEADINGS: Final = 20
NO_LIMIT: Final = 1 << 62

_H1: Final = find_id("h1")
_IMG: Final = find_id("img")
_FORM_TAGS: Final = find_ids("input button")
_APART: Final = find_ids("header footer nav")
_GROUPS: Final = find_ids("section aside ul")
_MUTE: Final = HIDDEN - find_ids("object video audio svg") | find_ids("svg")
_ZONE_TAGS: Final = frozenset(("header", "footer", "nav", "aside"))
_STRUCK_TAGS: Final = frozenset(("del", "s", "strike"))
_TWO_DIGITS: Final = re.compile(r"\d{2}(?!\d)")
# What shops put into elements of their own: $ | 1 | , | 299 | . | 9 | 9
_DECIMAL_MARKS: Final = (".", ",")
_NUMBER_CHARS: Final = 16
_LAST_NUMBER: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,'’\u00a0 ]?\d{3}){0,3}\Z")
_GROUP: Final = re.compile(r"\d{1,3}(?!\d)[ *€$]*\Z")
_SIGN_FIRST: Final = re.compile(r"[€$£] ?\d{2}")
_ONE_DECIMAL: Final = re.compile(r"(?<![\d.,])\d{1,3}(?:[.,]\d{3})*[.,]\d\Z")
_THOUSANDS: Final = re.compile(r"(?<!\d)\d{1,3}\.\d{3}\Z")
_IS_HIDDEN: Final = re.compile(r"display: ?none|visibility: ?hidden", re.IGNORECASE)
_DIGIT: Final = re.compile(r"\d")


class Part(NamedTuple):
    """A text, or an element."""

    node: LexborNode
    order: int  # of its node in the document
    start: int  # where it begins in the text of the outline


@record
class Holder:
    """An element around texts, by what it is called."""

    node: LexborNode
    tag: str
    names: str  # class, id and the like, in lower case
    parent: "Holder | None"
    depth: int
    is_struck: bool = False
    is_hidden: bool = False
    is_link: bool = False

    @property
    def is_zone(self) -> bool:
        """Whether it, not what it is in, is called as what stands beside a product."""
        return self.tag in _ZONE_TAGS or (bool(self.names) and _is_zone(self.names))


@dataclass(slots=True)
class Outline:
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    headings: list[Part] = field(default_factory=list)
    buttons: list[Part] = field(default_factory=list)
    pictures: list[Part] = field(default_factory=list)
    size: int = 0
    _elements: dict[int, Holder] = field(default_factory=dict)

    def find_part(self, offset: int) -> Part:
        """The part that holds an offset of the text."""
        return self.parts[max(0, bisect_right(self.starts, offset) - 1)]

    def find_element(self, node: LexborNode) -> Holder | None:
        """The element that holds a text, with those around it. Every element is read once."""
        waiting: list[LexborNode] = []
        here = node.parent if node.tag_id == TEXT else node
        while here is not None and here.mem_id not in self._elements and here.parent is not None:
            waiting.append(here)
            here = here.parent
        found = self._elements.get(here.mem_id) if here is not None else None
        for each in reversed(waiting):
            found = self._elements[each.mem_id] = _read_element(each, found)
        return found

    def cut(self, first: int, last: int) -> str:
        """The texts of the nodes from one to another, by their order."""
        return self.text[self.offset_of(first) : self.offset_of(last)]

    def read_part(self, part: Part, limit: int) -> str:
        """The text of a part, with decimals that are in elements of their own."""
        end = self.text.find(BOUNDARY, part.start, part.start + limit + 1)
        return self.text[part.start : end if end >= 0 else part.start + limit].strip()

    def offset_of(self, order: int) -> int:
        """Where in the text the first part starts that is not before a node."""
        place = self.find_index(order)
        return self.parts[place].start if place < len(self.parts) else len(self.text)

    def find_index(self, order: int) -> int:
        """Which part is the first that is not before a node."""
        low, high = 0, len(self.parts)
        while low < high:
            middle = (low + high) // 2
            if self.parts[middle].order < order:
                low = middle + 1
            else:
                high = middle
        return low


def read_outline(tree: LexborHTMLParser, reach: int | None = None) -> Outline:
    """What has no heading is left out if it is a header, a footer, navigation, or a group that is called like
    related products. `reach`: how many nodes behind the last heading are read; None: all. One long function:
    a call per node would double its time."""
    outline = Outline()
    body = tree.body
    if body is None:
        return outline
    around, last = _list_around_headings(tree), NO_LIMIT
    texts: list[str] = []
    parts, offset, skip_to, order = outline.parts, 0, 0, 0
    for order, node in enumerate(body.traverse(include_text=True, skip_empty=True)):
        if skip_to:
            if node.mem_id != skip_to:
                continue
            skip_to = 0
        tag_id = node.tag_id
        if tag_id == TEXT:
            text = node.text_content or ""
            if len(text) > MAX_PART_CHARS or not text.isprintable():
                text = collapse(text, MAX_PART_CHARS)
            if not text:
                continue
            if order > last:
                break
            if text in _DECIMAL_MARKS or _DIGIT.search(text) is not None:
                text = space_currencies(text)
                if text[0] in ".,€$£0123456789" and texts and _is_rest(text, texts[-1], node):
                    texts[-1], added = _join(texts[-1], text)
                    offset += added
                    continue
            if len(parts) >= MAX_PARTS or offset > MAX_TEXT_CHARS:
                break
            parts.append(Part(node, order, offset))
            texts.append(text)
            offset += len(text) + 1
        elif tag_id == _H1:
            outline.headings.append(Part(node, order, offset))
            last = NO_LIMIT if reach is None else order + reach
        elif tag_id == _IMG:
            outline.pictures.append(Part(node, order, offset))
        elif tag_id in _FORM_TAGS:
            outline.buttons.append(Part(node, order, offset))
        elif (
            tag_id in _MUTE
            or (tag_id in _APART and node.mem_id not in around)
            or (tag_id in _GROUPS and _is_group_apart(node, around))
        ):
            skip_to = find_behind(node)
            if not skip_to:
                break
    outline.size = order
    outline.text = BOUNDARY.join(texts)
    outline.starts = [part.start for part in parts]
    return outline


def _is_group_apart(node: LexborNode, around: set[int]) -> bool:
    """Whether a group is called as what stands beside a product."""
    return bool(around) and node.mem_id not in around and _is_zone(_read_names(node.attributes))


def _list_around_headings(tree: LexborHTMLParser) -> set[int]:
    """The elements that hold a heading, by `mem_id`. Each is visited once."""
    found: set[int] = set()
    for heading in tree.tags("h1")[:MAX_HEADINGS]:
        here = heading.parent
        while here is not None and here.mem_id not in found:
            found.add(here.mem_id)
            here = here.parent
    return found


def _is_rest(text: str, before: str, node: LexborNode) -> bool:
    """Whether a text is the decimals of the number before it, in an element of their own."""
    end = before.rstrip()[-2:]
    if not end[-1:].isdigit() and not (end[:1].isdigit() and end[1:] in ".,€$£"):
        return False
    if text[0] in "€$£":  # 149<sup>€99</sup>
        return end[-1].isdigit() and _SIGN_FIRST.fullmatch(text.rstrip()) is not None and _is_small(node)
    if text[0] in ".,":
        is_mark = len(text) == 1 and _ends_in(_LAST_NUMBER, before)
        return end[-1].isdigit() and (is_mark or _TWO_DIGITS.match(text, 1) is not None)
    if end[-1] in ".,":
        return _GROUP.match(text) is not None and _ends_in(_LAST_NUMBER, before.rstrip()[:-1])
    if _TWO_DIGITS.fullmatch(text.rstrip(" *€$")) is None:
        return len(text) == 1 and _ends_in(_ONE_DECIMAL, before)
    return _is_small(node) or (end[-1] in "€£$" and node.parent is not None and node.parent.tag == "span")


def _is_small(node: LexborNode) -> bool:
    holder = node.parent
    return holder is not None and (holder.tag == "sup" or CENTS.search(_read_names(holder.attributes)))


def _ends_in(number: re.Pattern[str], text: str) -> bool:
    return number.search(text, max(0, len(text) - _NUMBER_CHARS)) is not None


def _join(before: str, rest: str) -> tuple[str, int]:
    """Put decimals where they belong; returns what is longer by how many characters."""
    head = before.rstrip()
    if rest[0] in "€$£":
        joined = f"{head}.{rest[1:].strip()}{rest[0]}"
    elif rest[0] in ".," or head[-1] in ".," or (len(rest) == 1 and _ends_in(_ONE_DECIMAL, head)):
        joined = head + rest
    elif _THOUSANDS.search(head) is not None:
        joined = f"{head},{rest}"
    elif head[-1] in "€$£":
        joined = f"{head[:-1].rstrip()}.{rest}{head[-1]}"
    else:
        joined = f"{head}.{rest}"
    return joined, len(joined) - len(before)


_NAMES: Final = ("class", "id", "itemprop", "data-testid", "data-test", "data-qa", "property")


def _read_names(attributes: dict[str, str | None]) -> str:
    names = [value for name in _NAMES if name in attributes and (value := attributes[name])]
    return " ".join(names)[:MAX_NAMES_CHARS].lower() if names else ""


def _read_element(node: LexborNode, parent: Holder | None) -> Holder:
    attributes = node.attributes
    tag, names = node.tag or "", _read_names(attributes)
    is_hidden = is_struck = is_link = False
    depth = 0
    if parent is not None:
        is_hidden, is_struck, is_link, depth = (
            parent.is_hidden,
            parent.is_struck,
            parent.is_link,
            parent.depth + 1,
        )
    if style := attributes.get("style"):
        style = style[:MAX_NAMES_CHARS]
        is_hidden = is_hidden or _IS_HIDDEN.search(style) is not None
        is_struck = is_struck or "line-through" in style
    if "hidden" in attributes:
        is_hidden = True
    return Holder(
        node=node,
        tag=tag,
        names=names,
        parent=parent,
        depth=depth,
        is_struck=is_struck or tag in _STRUCK_TAGS,
        is_hidden=is_hidden,
        is_link=is_link or (tag == "a" and leads_away(attributes)),
    )


@lru_cache(4_096)
def _is_zone(names: str) -> bool:
    return ZONE.search(names) and not PLAIN_ZONE.search(names)


def leads_away(attributes: dict[str, str | None]) -> bool:
    href = (attributes.get("href") or "").strip()
    return bool(href) and not href.startswith(("#", "javascript:"))
