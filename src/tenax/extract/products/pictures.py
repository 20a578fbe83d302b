"""The pictures of a product: those that structured data and metas name, else those of its gallery."""

import re
from collections.abc import Iterable
from typing import Final

from tenax.extract.products.outline import Outline, Part
from tenax.extract.products.visible import Anchor
from tenax.web.documents import Document
from tenax.web.urls import parse_url

MAX_IMAGES: Final = 50
_NONE: Final = re.compile(
    r"(?:^data:|spacer|pixel|blank\.|1x1|sprite|loading|loader|placeholder|no[-_]?(?:image|img|photo"
    r"|picture)|transparent\.|logo|icon|flag|payment|badge|rating|stars?[._-]|banner|avatar|/ads?/"
    r"|facebook|twitter|pinterest)"
)
_SOURCES: Final = (
    "data-zoom-image",
    "data-large_image",
    "data-old-hires",
    "data-src",
    "data-original",
    "data-lazy",
    "src",
)
_SMALL: Final = 90  # pixels
REACH: Final = 600  # nodes before the heading and behind it


def list_pictures(
    structured: Iterable[str],
    og_image: str | None,
    outline: Outline,
    anchor: Anchor | None,
    document: Document,
) -> tuple[list[str], str]:
    """Absolute addresses in the order of trust, and where the first of them was found."""
    found: dict[str, None] = {}
    place = ""
    for name, references in (
        ("structured data", structured),
        ("meta og:image", [og_image] if og_image else []),
    ):
        for reference in references:
            if _add(reference, document, found):
                place = place or name
    if not found and anchor is not None:
        for reference in _list_near(outline, anchor):
            if _add(reference, document, found):
                place = place or "gallery"
    return list(found)[:MAX_IMAGES], place


def _add(reference: str, document: Document, found: dict[str, None]) -> bool:
    if len(found) >= MAX_IMAGES or not reference or _NONE.match(reference[:30].lower()):
        return False
    address = parse_url(reference.strip(), document.base_url)
    if address is None or not address.startswith("http"):
        return False
    found.setdefault(address)
    return True


def _list_near(outline: Outline, anchor: Anchor) -> list[str]:
    """The nearest pictures that are not small; those that link to other pages are of other products."""
    found: list[tuple[float, Part, str]] = []
    for part in outline.pictures[:500]:
        distance = (
            anchor.order - part.order if part.order < anchor.order else 0.7 * (part.order - anchor.order)
        )
        if distance > REACH:
            continue
        attributes = part.node.attributes
        source = next(
            (value for name in _SOURCES if (value := attributes.get(name)) and not value.startswith("data:")),
            "",
        )
        if not source or _NONE.search(source.lower()[-200:]) or _is_small(attributes):
            continue
        element = outline.find_element(part.node)
        if element is not None and _is_apart(element, anchor):
            continue
        names = "" if element is None else element.names
        bonus = 100 if re.search("main|zoom|large|product|gallery|hero", names + source.lower()) else 0
        bonus += 150 if attributes.get("itemprop") == "image" else 0
        found.append((distance - bonus, part, source))
    return _sort_gallery(sorted(found, key=lambda each: (each[0], each[1].order))[:8])


def _sort_gallery(found: list[tuple[float, Part, str]]) -> list[str]:
    """The best one leads, with those beside it in the order of the page."""
    if not found:
        return []
    holder = _find_gallery(found[0][1])
    is_beside = [_find_gallery(part) == holder for _, part, _ in found]
    beside = sorted(
        (each for each, is_own in zip(found, is_beside, strict=True) if is_own),
        key=lambda each: each[1].order,
    )
    others = (each for each, is_own in zip(found, is_beside, strict=True) if not is_own)
    return [source for _, _, source in (*beside, *others)]


def _find_gallery(part: Part) -> int:
    parent = part.node.parent
    return 0 if parent is None else parent.mem_id


def _is_small(attributes: dict[str, str | None]) -> bool:
    for name in ("width", "height"):
        digits = (attributes.get(name) or "").strip().removesuffix("px")
        if digits.isdigit() and len(digits) < 6 and int(digits) < _SMALL:
            return True
    return False


def _is_apart(element: object, anchor: Anchor) -> bool:
    here = element
    for _ in range(40):
        if here is None or here.node.mem_id in anchor.above:  # type: ignore[attr-defined]
            return False
        if here.is_zone:  # type: ignore[attr-defined]
            return True
        here = here.parent  # type: ignore[attr-defined]
    return False
