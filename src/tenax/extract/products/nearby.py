"""What stands near the heading and the button of a product, by its words and by the names of its elements:
stock, condition, article number, brand, ratings."""

import re
from collections.abc import Callable, Collection, Iterator
from decimal import Decimal
from typing import Any, Final

from tenax.extract.numbers import read_count
from tenax.extract.products import stock, words
from tenax.extract.products.buttons import Button
from tenax.extract.products.labels import read_labels, read_ratings
from tenax.extract.products.outline import Holder, Outline
from tenax.extract.products.visible import Anchor
from tenax.record import record
from tenax.web.white_space import collapse

AREA: Final = 400  # nodes that tell of the product behind its heading
BEFORE: Final = 30  # nodes that do so before it
NAMED_REACH: Final = 160  # nodes behind the heading whose names are looked at
MAX_BRAND_CHARS: Final = 40
_STARS: Final = re.compile(r"\(?([0-5](?:[.,]\d{1,2})?)\)?(?: ?/ ?5)?")
_PERCENT: Final = re.compile(r"(\d{1,3}) ?%")
_COUNT: Final = re.compile(r"[(\[]?\d[\d.,]{0,8}[)\]]?")
_CODE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_./-]{1,39}")
_HAS_DIGIT: Final = re.compile(r"\d")
_DRAWN: Final = (
    "[aria-label*=' 5 '],[aria-label$=' 5'],[title$=' 5'],[title*=' 5 st' i],[aria-label*='/5'],[title*='/5']"
    ",[class*=rating i][title*='%'],[class*=star i][title*='%']"
)
MAX_DRAWN: Final = 20
_STARS_SAID: Final = ("aria-label", "title", "alt")


@record
class Area:
    """The part of a page that tells of its product."""

    outline: Outline
    anchor: Anchor
    last: int  # node

    @property
    def text(self) -> str:
        return self.outline.cut(self.anchor.order, self.last)


def build_area(outline: Outline, anchor: Anchor, price_order: int | None) -> Area:
    orders = [anchor.order + 60, *(each + 40 for each in (anchor.buy_order, price_order) if each)]
    last = min(max(orders), anchor.order + AREA)
    if anchor.end is not None:
        last = min(last, anchor.end)
    return Area(outline=outline, anchor=anchor, last=last)


def find_availability(area: Area, buttons: list[Button]) -> str | None:
    """What badges, sizes and windows say does not count beside a button that can be pressed: themes have them
    on every page and show them by style."""
    outline, start = area.outline, area.outline.offset_of(area.anchor.order)
    can_buy = any(
        each.is_enabled and area.anchor.order < each.order <= area.last + BEFORE for each in buttons
    )

    def is_meant(offset: int) -> bool:
        element = outline.find_element(outline.find_part(start + offset).node)
        if element is None or element.tag == "option" or is_in_zone(element, area.anchor):
            return False
        return not (can_buy and (element.is_hidden or _is_aside(element)))

    return stock.find_availability(outline.text[start : outline.offset_of(area.last)], is_meant)


def read_nearby(area: Area, wanted: Collection[str]) -> dict[str, Any]:
    """The fields of `wanted` that texts with labels say, or else elements that are called so."""
    first, behind = max(0, area.anchor.order - BEFORE), area.anchor.order + 3 * AREA
    text = area.outline.cut(first, min(behind, area.anchor.end or behind))
    found = read_labels(text, wanted)
    if "rating" in wanted:
        found |= read_ratings(area.text)
    found = {**_read_named(area, set(wanted) - found.keys()), **found}
    if "rating" in wanted and "rating" not in found and (mean := _read_stars(area)) is not None:
        found["rating"] = mean
    return found


def _read_stars(area: Area) -> Decimal | None:
    """What drawn stars say to those who do not see them."""
    body = area.outline.parts[0].node if area.outline.parts else None
    while body is not None and body.tag != "body":
        body = body.parent
    for node in body.css(_DRAWN)[:MAX_DRAWN] if body is not None else ():
        said = " ".join(value for name in _STARS_SAID if (value := node.attributes.get(name)))[:100]
        if "rating" in (found := read_ratings(said)):
            element = area.outline.find_element(node)
            if element is not None and not is_in_zone(element, area.anchor):
                mean: Decimal = found["rating"]
                return mean
    return None


def _read_named(area: Area, wanted: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text, element in _list_named(area):
        if wanted <= found.keys():
            break
        names = f"{element.names} {element.parent.names if element.parent is not None else ''}"
        for field, read in _READERS.items():
            if field in wanted and field not in found and (value := read(text, names, element)):
                found[field] = value
    if "rating" not in wanted:
        found.pop("review_count", None)
    return found


def _list_named(area: Area) -> Iterator[tuple[str, Holder]]:
    outline, anchor = area.outline, area.anchor
    last = min(anchor.order + NAMED_REACH, area.last)
    start = outline.find_index(max(0, anchor.order - BEFORE))
    for part in outline.parts[start : start + NAMED_REACH]:
        if part.order > last:
            return
        text = outline.read_part(part, MAX_BRAND_CHARS + 1)
        if not text or len(text) > MAX_BRAND_CHARS:
            continue
        element = outline.find_element(part.node)
        if element is not None and not is_in_zone(element, anchor):
            yield text, element


def _read_rating(text: str, names: str, element: Holder) -> Decimal | None:
    if not words.RATING_NAMES.search_name(names):
        return None
    if (stars := _STARS.fullmatch(text)) is not None:
        return _to_stars(stars[1])
    if (percent := _PERCENT.fullmatch(text)) is not None:
        return _to_stars(str(Decimal(percent[1]) / 20))
    said = next((value for name in _STARS_SAID if (value := element.node.attributes.get(name))), "")
    return read_ratings(said[:100]).get("rating")


def _to_stars(text: str) -> Decimal | None:
    value = Decimal(text.replace(",", "."))
    return value if 1 <= value <= 5 else None


def _read_reviews(text: str, names: str, element: Holder) -> int | None:
    if not words.REVIEWS_NAMES.search_name(names) or _COUNT.fullmatch(text) is None:
        return None
    is_mean = _STARS.fullmatch(text) is not None and not text.strip("()").isdigit()
    return None if is_mean else read_count(text)


def _read_brand(text: str, names: str, element: Holder) -> str | None:
    if not words.BRAND_NAMES.search_name(names) or _HAS_DIGIT.fullmatch(text) is not None:
        return None
    name = collapse(text, MAX_BRAND_CHARS).strip(" :|-")
    return None if words.LABELS.search(name) or len(name) < 2 else name


def _read_sku(text: str, names: str, element: Holder) -> str | None:
    if not words.SKU_NAMES.search_name(names) or _HAS_DIGIT.search(text) is None:
        return None
    return text if _CODE.fullmatch(text) is not None else None


_READERS: Final[dict[str, Callable[[str, str, Holder], Any]]] = {
    "rating": _read_rating,
    "review_count": _read_reviews,
    "brand": _read_brand,
    "sku": _read_sku,
}


def _is_aside(element: Holder) -> bool:
    here: Holder | None = element
    for _ in range(3):
        if here is None:
            return False
        if words.ASIDE_NAMES.search_name(here.names):
            return True
        here = here.parent
    return False


def is_in_zone(element: Holder, anchor: Anchor) -> bool:
    here: Holder | None = element
    for _ in range(40):
        if here is None or here.node.mem_id in anchor.above:
            return False
        if here.is_zone:
            return True
        here = here.parent
    return False
