"""Which of the amounts that people see on a page is the price of its product, and what stands beside it."""

import re
from decimal import Decimal
from typing import Final

from tenax.extract.amounts import BOUNDARY
from tenax.extract.products.outline import Holder, Outline
from tenax.extract.products.visible import ShownPrice
from tenax.record import record

MAX_TWINS: Final = 5
LEAST_SHARE: Final = Decimal("0.1")  # of the price before that a price may be
_DASH: Final = re.compile(r"[-–—~]|(?<!\w)(?:to|bis|à|a|do|tot|до|til)(?!\w)")

# Two letters: "kr", "zł" and "€" are no words.
_WORD_OR_DASH: Final = re.compile(r"[^\W\d_]{4,}|[-–—~/+]|\d")
LEAST_SCORE: Final = 3.0  # of the price of a page that nothing else says to have one


@record
class Seen:
    """What people see of the price of the main product."""

    price: ShownPrice
    list_price: Decimal | None = None
    price_max: Decimal | None = None
    currency: str | None = None


def choose_price(prices: list[ShownPrice], outline: Outline) -> Seen | None:
    """None: no amount is good enough."""
    current = [price for price in prices if not price.is_struck]
    if not current:
        return None
    best = max(current, key=_rank)
    if best.score < LEAST_SCORE:
        return None
    near = _list_near(prices, best)
    if best.is_old:
        best = _replace_old(best, near)
    best = _prefer_gross(best, near)
    pair = _find_pair(best, near, outline)
    if pair is not None and pair.value < best.value and not best.is_net:
        best, pair = pair, best
    old = [
        price.value
        for price in near
        if (price.is_old or price is pair)
        and price.value > best.value
        and _is_same(price, best)
        and not price.is_other
    ]
    return Seen(
        price=best,
        list_price=max(old, default=None),
        price_max=_find_range(best, near, outline),
        currency=best.amount.currency or next((p.amount.currency for p in near if p.amount.currency), None),
    )


def _list_near(prices: list[ShownPrice], best: ShownPrice) -> list[ShownPrice]:
    """The amounts that are told with the best one, or with another one like it: pages repeat their price."""
    twins = [best, *(each for each in prices if each is not best and _is_twin(each, best))][:MAX_TWINS]
    return [price for price in prices if any(_are_near(price, each) for each in twins)]


def _is_twin(price: ShownPrice, best: ShownPrice) -> bool:
    return price.value == best.value and price.score >= best.score - 3.0 and not price.is_old


def _find_pair(best: ShownPrice, near: list[ShownPrice], outline: Outline) -> ShownPrice | None:
    """The amount in the element beside that of the best one, with no word between: people see by its color
    and size that the higher one is the price before."""
    for price in near:
        if (
            price.is_old
            or price.is_net
            or price.is_other
            or not _is_same(price, best)
            or price.value == best.value
        ):
            continue
        if min(price.value, best.value) <= LEAST_SHARE * max(price.value, best.value):
            continue
        first, second = sorted((price, best), key=lambda each: each.amount.start)
        between = outline.text[first.amount.end : second.amount.start]
        if BOUNDARY in between and len(between) <= 12 and not _WORD_OR_DASH.search(between):
            return price if _are_siblings(price.element, best.element) else None
    return None


def _are_siblings(one: Holder, other: Holder) -> bool:
    """Whether two elements, or those around them, are in one element. Those of a list are of equals."""
    for first, second in ((one, other), (one.parent, other.parent)):
        if first is None or second is None or first.tag == "td":
            return False
        if first.parent is not None and first.parent is second.parent:
            return first is not second
    return False


def count_rivals(prices: list[ShownPrice], seen: Seen) -> int:
    """How many other amounts look as much like the price of the page, apart from it."""
    best = seen.price
    return sum(
        not price.is_old
        and price.value != best.value
        and price.score >= best.score - 2.5
        and not _are_near(price, best)
        for price in prices
    )


def _rank(price: ShownPrice) -> float:
    return (
        price.score
        - (2.5 if price.is_old else 0.0)
        - (1.0 if price.is_net else 0.0)
        + (2.0 if price.is_bid else 0)
    )


def _are_near(one: ShownPrice, other: ShownPrice) -> bool:
    """Whether two amounts are told together: a few nodes apart, in an element that holds few others."""
    if abs(one.order - other.order) > 30:
        return False
    above: dict[int, int] = {}
    here: Holder | None = one.element
    for up in range(6):
        if here is None:
            break
        above[here.node.mem_id] = up
        here = here.parent
    here = other.element
    for _ in range(6):
        if here is None:
            return False
        if here.node.mem_id in above:
            return True
        here = here.parent
    return False


def _is_same(one: ShownPrice, other: ShownPrice) -> bool:
    return one.amount.currency in (None, other.amount.currency) or other.amount.currency is None


def _replace_old(best: ShownPrice, near: list[ShownPrice]) -> ShownPrice:
    """A price that is called old is one if a lower one stands beside it."""
    lower = [
        price
        for price in near
        if not price.is_old
        and price.value < best.value
        and price.score >= best.score - 3.5
        and _is_same(price, best)
    ]
    return max(lower, key=lambda price: price.score, default=best)


def _prefer_gross(best: ShownPrice, near: list[ShownPrice]) -> ShownPrice:
    """Of twins with and without tax, people pay the one with tax."""
    if not best.is_net:
        return best
    twins = [
        price
        for price in near
        if not price.is_net and not price.is_old and best.value < price.value <= best.value * Decimal("1.3")
    ]
    return min(twins, key=lambda price: abs(price.order - best.order), default=best)


def _find_range(best: ShownPrice, near: list[ShownPrice], outline: Outline) -> Decimal | None:
    """The upper end of a range: the amount right behind, with nothing but a dash between."""
    for price in near:
        if price.amount.start > best.amount.start and price.value > best.value:
            between = outline.text[best.amount.end : price.amount.start].replace(BOUNDARY, " ").strip()
            if len(between) <= 12 and _DASH.search(between):
                return price.value
            break
    return None
