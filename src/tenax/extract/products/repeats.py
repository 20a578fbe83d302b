"""Whether a price is one of many: of a card in a list, beside other cards of its kind."""

import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Final

from selectolax.lexbor import LexborNode

from tenax.extract.products.choosing import Seen
from tenax.extract.products.outline import Holder, leads_away
from tenax.extract.products.visible import Anchor, ShownPrice

LEAST_OTHERS: Final = 2  # cards beside that of a price that make a list
MAX_CHECKED: Final = 100  # prices
MAX_LEVELS: Final = 12  # from a price to its card
MAX_NODES: Final = 200  # of a card
MAX_CARD_LEVELS: Final = 6
_TITLES: Final = frozenset(("h2", "h3", "h4", "h5"))
_CARD_TAGS: Final = frozenset(("li", "article"))
_CARD: Final = re.compile(r"(?<![a-z])(?:product|item|card|tile|result|teaser|box)(?![a-z])")
_DIGITS: Final = re.compile(r"\d+")


def drop_repeated(prices: list[ShownPrice], seen: Seen, anchor: Anchor) -> list[ShownPrice] | None:
    """The prices that are in no card of the list that the price in `seen` is in. None: it is in none.
    Siblings of one kind make a list if each has a price and a link or a button of its own. An element that
    holds the heading is no card, nor is one that tells the same price without a link."""
    cards = {
        card.parent.node.mem_id: card
        for card in _list_above(seen.price.element)
        if card.parent is not None and card.node.mem_id not in anchor.above
    }
    others: dict[int, dict[int, LexborNode]] = {}
    for price in islice((each for each in prices if not (each.is_old or each.is_struck)), MAX_CHECKED):
        found = _find_pair(price, cards)
        if found is not None and (price.value != seen.price.value or "a" in _list_ways(found[1].node)):
            listed = others.setdefault(found[0].node.mem_id, {found[0].node.mem_id: found[0].node})
            listed[found[1].node.mem_id] = found[1].node
    for card in cards.values():
        if _is_list(list(others.get(card.node.mem_id, {}).values()), card.node):
            listed = others[card.node.mem_id]
            return [each for each in prices if not _is_in(each, listed)]
    return None


def _is_list(listed: list[LexborNode], card: LexborNode) -> bool:
    """Two cards are one if each has both a link and a button."""
    if len(listed) > LEAST_OTHERS:
        return _leads_somewhere(card)
    return len(listed) == LEAST_OTHERS and all(len(_list_ways(each)) == 2 for each in listed)


def _list_ways(card: LexborNode) -> set[str]:
    """Whether it has a button, and a link to a page."""
    return {
        node.tag or ""
        for node in islice(card.traverse(), MAX_NODES)
        if node.tag == "button" or (node.tag == "a" and leads_away(node.attributes))
    }


def is_in_card(price: ShownPrice, anchor: Anchor) -> bool:
    """Whether a price is in an element for another product: a card with a title that links to a page."""
    for card in islice(_list_above(price.element), MAX_CARD_LEVELS):
        if card.node.mem_id in anchor.above:
            return False
        if (card.tag in _CARD_TAGS or _CARD.search(card.names) is not None) and _has_linked_title(card.node):
            return True
    return False


def leads_elsewhere(price: ShownPrice, anchor: Anchor) -> bool:
    """Whether a price is beside a link to a page, in an element of its own."""
    return any(
        _leads_somewhere(card.node)
        for card in islice(_list_above(price.element), 2)
        if card.node.mem_id not in anchor.above
    )


def _has_linked_title(card: LexborNode) -> bool:
    for node in islice(card.traverse(), MAX_NODES):
        if node.tag in _TITLES:
            around, inner = node.parent, node.css_first("a[href]")
            links = [each for each in (inner, around) if each is not None and each.tag == "a"]
            if any(leads_away(each.attributes) for each in links):
                return True
    return False


def _find_pair(price: ShownPrice, cards: Mapping[int, Holder]) -> tuple[Holder, Holder] | None:
    """The elements around the price in question and around another one that are siblings, if they are of one
    kind."""
    for other in _list_above(price.element):
        own = cards.get(other.parent.node.mem_id) if other.parent is not None else None
        if own is not None:
            is_pair = own.node.mem_id != other.node.mem_id and _kind_of(own) == _kind_of(other)
            return (own, other) if is_pair else None
    return None


def _is_in(price: ShownPrice, cards: Collection[int]) -> bool:
    return any(each.node.mem_id in cards for each in _list_above(price.element))


def _list_above(element: Holder) -> Iterator[Holder]:
    here: Holder | None = element
    for _ in range(MAX_LEVELS):
        if here is None:
            return
        yield here
        here = here.parent


def _kind_of(element: Holder) -> tuple[str, str]:
    return element.tag, _DIGITS.sub("", element.names.partition(" ")[0])


def _leads_somewhere(card: LexborNode) -> bool:
    return any(
        node.tag in ("button", "form") or (node.tag == "a" and leads_away(node.attributes))
        for node in islice(card.traverse(), MAX_NODES)
    )
