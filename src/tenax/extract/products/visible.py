"""The prices that people see on a page: which amounts there are, what each of them is, and which one is that
of the main product.
"""

from collections.abc import Mapping
from decimal import Decimal
from itertools import islice
from typing import Final

from tenax.extract.amounts import BOUNDARY, Amount, find_amounts
from tenax.extract.currencies import is_currency
from tenax.extract.products import words
from tenax.extract.products.outline import Holder, Outline, Part
from tenax.record import record

MAX_AMOUNTS: Final = 2_000  # with a currency; a page with more is a list
MAX_NUMBERS: Final = 20_000
NEAREST: Final = 3  # elements around an amount whose names describe it
LEVELS: Final = 40  # of elements that are climbed
FAR: Final = 400  # nodes
NO_END: Final = 1 << 62
APART_SCORE: Final = -3.0  # of the place of an amount, below which it belongs to something else
_OPTION_TAGS: Final = frozenset(("option", "optgroup", "select", "textarea"))
_OTHERS: Final = frozenset(("no price", "unit", "monthly", "conditional"))
_STRONG_TAGS: Final = frozenset(("b", "strong", "h2", "h3", "h4", "ins", "big"))


@record
class Anchor:
    """Where the main product is told: its heading, or what stands for it."""

    order: int
    above: dict[int, int]  # the elements around it by `mem_id`, with how many levels up they are
    buy_order: int | None = None  # of the first button behind it that sells
    buy_above: Mapping[int, int]  # the elements around that button
    end: int | None = None  # the first node that is about other products

    @property
    def last(self) -> int:
        """The node from which on everything is about something else: far behind a button that sells, too."""
        far = NO_END if self.buy_order is None else max(self.order, self.buy_order) + FAR
        return min(far, NO_END if self.end is None else self.end)


@record
class ShownPrice:
    """An amount on a page, with what speaks for it."""

    amount: Amount
    element: Holder
    order: int
    score: float
    is_old: bool = False
    is_struck: bool = False
    is_bid: bool = False
    is_from: bool = False
    is_net: bool = False  # without tax
    is_other: bool = False  # a price per kilogram or month, or for some: what is saved

    @property
    def value(self) -> Decimal:
        return self.amount.value


def find_prices(
    outline: Outline, anchor: Anchor, language: str | None, country: str | None
) -> list[ShownPrice]:
    """All amounts that may be prices, in document order; what is something else is left out, such as all that
    is behind the last node about the product."""
    found: list[ShownPrice] = []
    text = outline.text if anchor.last == NO_END else outline.cut(0, anchor.last)
    amounts = find_amounts(text, language, country, with_bare=False)
    for amount in islice(amounts, MAX_NUMBERS):
        price = _read_price(outline, anchor, amount)
        if price is not None:
            found.append(price)
            if len(found) >= MAX_AMOUNTS:
                break
    return found


def _read_price(outline: Outline, anchor: Anchor, amount: Amount) -> ShownPrice | None:
    if not 0 < amount.value < 100_000_000:
        return None
    part = outline.find_part(amount.start)
    if amount.currency is None and not _may_be_bare(outline, part, amount):
        return None
    element = outline.find_element(part.node)
    if element is None or element.tag in _OPTION_TAGS:
        return None
    names = _name_near(element)
    if amount.currency is None and not words.PRICE.search_name(names):
        return None
    place = _judge_place(anchor, element, part.order)
    if place < APART_SCORE:  # of other products: what it is called does not matter
        return ShownPrice(
            amount=amount, element=element, order=part.order, score=place, is_struck=element.is_struck
        )
    before = words.BEFORE.find(_cut_before(outline.text, amount.start))
    behind = words.BEHIND.find(outline.text[amount.end : amount.end + words.NEAR_CHARS])
    if "gross" in behind:  # what stands before it, such as "excl. VAT", is about the amount before
        before -= {"no price", "net"}
    if "instalments" in before or "no price" in behind:
        return None
    own = _name_own(element)
    is_other = words.NO_PRICE.search_name(own) or bool(_OTHERS & (before | behind))
    is_old = element.is_struck or "old" in before
    is_old = is_old or (words.OLD.search_name(own) and not words.NOW.search_name(element.names))
    score = (
        place + _judge_words(before, behind, names, own, is_old) + _judge_text(outline, part, amount, element)
    )
    return ShownPrice(
        amount=amount,
        element=element,
        order=part.order,
        score=score,
        is_old=is_old,
        is_struck=element.is_struck,
        is_other=is_other,
        is_bid="bid" in before,
        is_from="from" in before,
        is_net=words.NET.search_name(own)
        or ("gross" not in behind and ("net" in before or "net" in behind or words.NET.search_name(names))),
    )


def _judge_text(outline: Outline, part: Part, amount: Amount, element: Holder) -> float:
    """A price stands alone in its element."""
    end = outline.text.find(BOUNDARY, amount.end)
    length = (end if end >= 0 else len(outline.text)) - part.start
    score = 1.5 if length <= amount.end - amount.start + 8 else 0.0 if length < 40 else -1.5
    score += 0.5 if element.tag in _STRONG_TAGS else 0.0
    score -= 1.5 if amount.currency is None else 0.0
    return score - (2.0 if element.is_hidden else 0.0)


def _may_be_bare(outline: Outline, part: Part, amount: Amount) -> bool:
    """A number without a currency is only a price if it is all that an element says."""
    end = outline.text.find(BOUNDARY, amount.end)
    rest = outline.text[amount.end : end if end >= 0 else len(outline.text)].strip(" .,-–—*:")
    return amount.start - part.start <= 2 and not rest


def _cut_before(text: str, start: int) -> str:
    """What stands before an amount, without its currency."""
    before = text[max(0, start - words.NEAR_CHARS) : start].lower().replace(BOUNDARY, " ").rstrip()
    head, _, last = before.rpartition(" ")
    if is_currency(last) or is_currency(last.rstrip(".")):
        before = head
    return (
        before.rstrip("$€£¥₹ ").removesuffix("eur").removesuffix("us").removesuffix("usd").removesuffix("chf")
    )


def _name_near(element: Holder) -> str:
    names: list[str] = []
    here: Holder | None = element
    for _ in range(NEAREST):
        if here is None or here.tag in ("body", "main", "form"):
            break
        if here.names:
            names.append(here.names)
        here = here.parent
    return " ".join(names)


def _name_own(element: Holder) -> str:
    """What an amount itself is called: its element, and the next one around it that has a name."""
    here = element.parent
    for _ in range(2):
        if here is None or here.names or here.tag in ("body", "main", "form"):
            break
        here = here.parent
    return f"{element.names} {here.names if here is not None else ''}"


def _judge_words(before: frozenset[str], behind: frozenset[str], names: str, own: str, is_old: bool) -> float:
    """How what an amount is called speaks for it."""
    score = 3.0 if words.PRICE.search_name(names) else 0.0
    if not is_old and words.NOW.search_name(own):
        score += 1.5
    if "now" in before:
        score += 1.0
    if words.NO_PRICE.search_name(own):
        score -= 5.0
    if "no price" in before:
        score -= 5.0
    if "unit" in behind or "conditional" in behind:
        score -= 3.0
    if "monthly" in behind:
        score -= 4.0
    return score


def _judge_place(anchor: Anchor, element: Holder, order: int) -> float:
    """How near an amount is to what tells of the main product."""
    score = -4.0 if element.is_link else 0.0
    here: Holder | None = element
    for _ in range(LEVELS):
        if here is None or here.node.mem_id in anchor.above:
            break
        if here.is_zone:
            score -= 6.0
        here = here.parent
    levels = anchor.above.get(here.node.mem_id, LEVELS) if here is not None else LEVELS
    score += 3.0 - 0.3 * min(levels, 10)
    distance = order - anchor.order
    score -= min(4.0, distance / 120) if distance >= 0 else min(4.0, 0.8 - distance / 60)
    if anchor.buy_order is not None:
        score += _judge_button(anchor, element, order)
    return score


def _judge_button(anchor: Anchor, element: Holder, order: int) -> float:
    """What stands beside the button that sells."""
    here: Holder | None = element
    for up in range(LEVELS):
        if here is None:
            break
        if here.node.mem_id in anchor.buy_above:
            near = up + anchor.buy_above[here.node.mem_id]
            return max(0.0, 2.0 - 0.2 * near)
        here = here.parent
    return 0.0
