"""What a product is called, and where on the page it is told."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from selectolax.lexbor import LexborNode

from tenax.extract.amounts import BOUNDARY
from tenax.extract.products.buttons import Button
from tenax.extract.products.objects import is_alike, split_words
from tenax.extract.products.outline import Outline
from tenax.extract.products.visible import LEVELS, Anchor
from tenax.extract.tags import TEXT
from tenax.record import record
from tenax.web.documents import Document, select
from tenax.web.urls import parse_url
from tenax.web.white_space import collapse

MAX_NAME_CHARS: Final = 512
MAX_PIECES: Final = 50
LEAST_PIECE: Final = 3  # characters: H2O is one word
_NAMES: Final = ("class", "id", "itemprop", "data-testid")
_IS_PRODUCT: Final = re.compile(
    r"(?:product|item|prod|goods|pdp)[-_]{0,2}(?:name|title|heading)|producttitle"
)
_HIDDEN: Final = re.compile(
    r"visually-?hidden|sr-only|screen-?reader|(?<![a-z])(?:hidden|hdn|offscreen)(?![a-z])"
)
_SPLIT: Final = re.compile(r" +[|•·»«–—:-] +|\s*[|•»«]\s*")
_MARKED: Final = (
    "[itemprop=name],[class*=product-name i],[class*=product-title i],[class*=product_title i]"
    ",[class*=productname i]"
    ",[class*=producttitle i],[class*=prod-name i],[id*=productname i],[id*=producttitle i]"
    ",[class*=item-title i]"
    ",[class*=product_name i],[class*=item-name i],[class*=item_name i],[class*=goods-name"
    " i],[id*=item-title i]"
    ",[data-testid*=product-name i],[data-testid*=product-title i]"
)


@record
class Heading:
    node: LexborNode
    text: str
    order: int
    is_h1: bool = True

    @property
    def is_marked(self) -> bool:
        """Whether its elements say that it is the name of a product."""
        nodes = (self.node, self.node.child)
        names = [
            value
            for each in nodes
            if each is not None and each.tag_id != TEXT
            for name in _NAMES
            if (value := each.attributes.get(name))
        ]
        return any(_IS_PRODUCT.search(value.lower()) is not None for value in names)


def strip_shop(title: str, others: list[str]) -> str:
    """A title without the name of its shop: the longest part that another title confirms, else the first."""
    parts = [part.strip() for part in _SPLIT.split(title) if part and part.strip()]
    if len(parts) < 2:
        return title
    known = [split_words(each) for each in others if each]
    for each in others:
        if each and title.startswith(each):
            return each
    best = max(
        parts, key=lambda part: max((is_alike(split_words(part), words) for words in known), default=0.0)
    )
    return best if known and any(is_alike(split_words(best), words) > 0.5 for words in known) else parts[0]


def list_headings(document: Document, outline: Outline) -> list[Heading]:
    """All that may name the product: headings of the first level, else elements that are called names."""
    return [
        Heading(node=part.node, text=text, order=part.order)
        for part in outline.headings[:20]
        if not _leads_home(part.node, document)
        if (text := _read_heading(part.node))
    ]


def _leads_home(heading: LexborNode, document: Document) -> bool:
    """Whether a heading is the name of the shop, which leads to its first page."""
    link = (
        heading.css_first("a[href]")
        if heading.parent is None or heading.parent.tag != "a"
        else heading.parent
    )
    if link is None:
        return False
    address = parse_url((link.attributes.get("href") or "").strip(), document.base_url)
    path = urlsplit(address).path if address is not None else "."
    return path in ("", "/") and urlsplit(document.url).path not in ("", "/")


def _read_heading(node: LexborNode) -> str:
    """Elements in a heading, such as brand and name, stand apart for the eye; some are for screen readers."""
    text = collapse(node.text_lexbor(), MAX_NAME_CHARS)
    found = [
        (each, piece)
        for each in islice(node.traverse(include_text=True), MAX_PIECES)
        if each.tag_id == TEXT and (piece := collapse(each.text_content or "", MAX_NAME_CHARS))
    ]
    if len(found) < 2:
        return text
    shown = [piece for each, piece in found if not _is_hidden(each.parent)]
    is_whole = len(shown) in (0, len(found))
    if is_whole and any(len(piece) < LEAST_PIECE for _, piece in found):
        return text
    return collapse(" ".join(shown or [piece for _, piece in found]), MAX_NAME_CHARS)


def _is_hidden(node: LexborNode | None) -> bool:
    names = (node.attributes.get("class") or "") if node is not None else ""
    return _HIDDEN.search(names.lower()) is not None


def list_marked(document: Document, outline: Outline) -> Iterator[Heading]:
    orders = {part.node.parent.mem_id: part.order for part in outline.parts if part.node.parent is not None}
    for node in select(document.tree, _MARKED)[:50]:
        if node.tag in ("meta", "link"):
            continue
        text = collapse(node.text_lexbor()[:2_000], MAX_NAME_CHARS)
        order = orders.get(node.mem_id)
        if order is None:
            order = next((orders[each.mem_id] for each in node.css("*")[:10] if each.mem_id in orders), None)
        if text and order is not None:
            yield Heading(node=node, text=text, order=order, is_h1=False)


def find_named(outline: Outline, names: list[str]) -> Iterator[Heading]:
    """Texts that are what the page is called elsewhere, for pages without a heading."""
    lowered = f"{BOUNDARY}{outline.text.lower()}{BOUNDARY}"
    for name in names:
        offset = lowered.find(f"{BOUNDARY}{name.lower()}{BOUNDARY}") if len(name) > 3 else -1
        if offset >= 0:
            part = outline.find_part(offset)
            if part.node.parent is not None:
                yield Heading(node=part.node.parent, text=name, order=part.order, is_h1=False)


def read_slug(url: str) -> str:
    """The words of the path of an address: its longest part."""
    path = urlsplit(url).path
    return max((re.sub(r"[-_+.]|%20", " ", part) for part in path.split("/")), key=len, default="")[:300]


def choose_heading(headings: list[Heading], titles: list[str]) -> Heading | None:
    """The heading that other titles of the page confirm best; the first of equals."""
    known = [split_words(each) for each in titles if each]

    def judge(heading: Heading) -> float:
        words = split_words(heading.text)
        return sum(is_alike(words, each) * min(1.0, 0.4 + len(words) / 5) for each in known)

    return max(headings, key=judge, default=None)


def confirms(heading: Heading, titles: list[str]) -> float:
    words = split_words(heading.text)
    return max((is_alike(words, split_words(each)) for each in titles if each), default=0.0)


def build_anchor(node: LexborNode | None, order: int, buy: Button | None, end: int | None) -> Anchor:
    return Anchor(
        order=order,
        above=_list_above(node),
        buy_order=None if buy is None else buy.order,
        buy_above={} if buy is None else _list_above(buy.node),
        end=end,
    )


def _list_above(node: LexborNode | None) -> dict[int, int]:
    found: dict[int, int] = {}
    for up in range(LEVELS):
        if node is None:
            break
        found[node.mem_id] = up
        node = node.parent
    return found
