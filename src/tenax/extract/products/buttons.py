"""The buttons that sell, and where a page goes over to other products."""

from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.amounts import BOUNDARY
from tenax.extract.products import words
from tenax.extract.products.outline import Holder, Outline
from tenax.record import record

MAX_BUTTONS: Final = 500
MAX_LABEL_CHARS: Final = 40
MAX_TITLE_CHARS: Final = 60
MAX_TITLES: Final = 200
_TITLES: Final = frozenset(("h2", "h3", "h4", "h5", "h6", "strong", "legend", "caption"))
_PRESSED: Final = frozenset(("button", "a", "input"))
_ATTRIBUTES: Final = ("value", "alt", "title", "name", "id", "class", "data-testid")


@record
class Button:
    node: LexborNode
    order: int
    is_enabled: bool = True


def find_buttons(outline: Outline) -> list[Button]:
    """What offers to buy, in document order."""
    found: dict[int, LexborNode] = {}
    for count, (_, last) in enumerate(words.BUY.find(outline.text.lower())):
        if count >= MAX_BUTTONS:
            break
        part = outline.find_part(max(0, last - 2))
        if _read_length(outline, part.start) <= MAX_LABEL_CHARS and part.node.parent is not None:
            found.setdefault(part.order, part.node.parent)
    for part in outline.buttons[:MAX_BUTTONS]:
        label = _read_label(part.node)
        if label and (words.BUY_NAMES.search_name(label) or words.BUY.search_name(label)):
            found.setdefault(part.order, part.node)
    return [
        Button(node=found[order], order=order, is_enabled=_is_enabled(found[order]))
        for order in sorted(found)
        if not _is_apart(outline.find_element(found[order]))
    ]


def find_end(outline: Outline, start: int) -> int | None:
    """The first node behind another that is a title of other products, such as "You may also like"."""
    offset = outline.offset_of(start + 1)
    for count, (first, last) in enumerate(words.RELATED.find(outline.text[offset:].lower())):
        if count >= MAX_TITLES:
            break
        part = outline.find_part(offset + max(first, last - 2))
        if part.order > start and _read_length(outline, part.start) <= MAX_TITLE_CHARS:
            element = outline.find_element(part.node)
            if element is not None and _is_title(element):
                return part.order
    return None


def _is_title(element: Holder) -> bool:
    here: Holder | None = element
    for _ in range(3):
        if here is None or here.is_link:
            return False
        if here.tag in _TITLES or words.TITLE_NAMES.search_name(here.names):
            return True
        here = here.parent
    return False


def _read_length(outline: Outline, start: int) -> int:
    end = outline.text.find(BOUNDARY, start)
    return (end if end >= 0 else len(outline.text)) - start


def _is_apart(element: Holder | None) -> bool:
    for _ in range(4):
        if element is None:
            return False
        if element.is_zone:
            return True
        element = element.parent
    return False


def _is_enabled(node: LexborNode) -> bool:
    here: LexborNode | None = node
    for _ in range(3):
        if here is None:
            break
        attributes = here.attributes
        if "disabled" in attributes or attributes.get("aria-disabled") == "true":
            return False
        if "disabled" in (attributes.get("class") or ""):
            return False
        if here.tag in _PRESSED:
            break
        here = here.parent
    return True


def _read_label(node: LexborNode) -> str:
    attributes = node.attributes
    return "\n".join(value[:60] for name in _ATTRIBUTES if (value := attributes.get(name)))
