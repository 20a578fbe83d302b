"""Which evidence wins: what a page says for machines, or what it shows to people. See docs/products.md."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

from tenax.extract.products.choosing import Seen
from tenax.extract.products.visible import ShownPrice
from tenax.record import record

STRONG_SCORE: Final = 7.5  # of a price that people see, above which it outdoes one that nobody sees
_PLACEHOLDER: Final = Decimal(1)


@record
class Claim:
    """What one place says, by field."""

    place: str
    confidence: float
    facts: dict[str, Any]


@record
class SettledPrice:
    price: Decimal | None = None
    list_price: Decimal | None = None
    price_max: Decimal | None = None
    currency: str | None = None
    place: str = ""
    confidence: float = 0.0


def settle_price(claims: Sequence[Claim], seen: Seen | None, prices: Sequence[ShownPrice]) -> SettledPrice:
    said = next((claim for claim in claims if claim.facts.get("price")), None)
    if said is None:
        return (
            SettledPrice()
            if seen is None
            else _take_seen(seen, 0.6 if seen.price.score < STRONG_SCORE else 0.75)
        )
    if seen is None:
        return _take_said(said, claims, 0.85)
    price, visible = said.facts["price"], seen.price.value
    if price == visible:
        return _confirm(said, seen)
    if _is_mistaken(price, visible):
        return _take_seen(seen, 0.8)
    if any(claim.facts.get("price") == visible for claim in claims):
        return _take_seen(seen, 0.9)
    shown = [each for each in prices if each.value == price]
    return _weigh(said, claims, seen, shown)


def _weigh(said: Claim, claims: Sequence[Claim], seen: Seen, shown: list[ShownPrice]) -> SettledPrice:
    """The place for machines names another price than the one that people see first."""
    price, best = said.facts["price"], seen.price
    if not shown:
        return _take_seen(seen, 0.6) if best.score >= STRONG_SCORE else _take_said(said, claims, 0.7)
    is_old = all(each.is_old or each.is_struck for each in shown)
    if is_old and best.value < price:
        return _take_seen(seen, 0.9, list_price=price)
    if said.facts.get("price_max") and price <= best.value <= said.facts["price_max"]:
        return _take_said(said, claims, 0.85)
    nearest = max(each.score for each in shown)
    if nearest < best.score - 5:
        return _take_seen(seen, 0.65)
    return _take_said(said, claims, 0.8)


def _is_mistaken(price: Decimal, visible: Decimal) -> bool:
    """Cents instead of units, a point for thousands, or a placeholder."""
    return (
        price == visible * 100
        or price * 1000 == visible
        or (price <= _PLACEHOLDER < visible and visible != price)
    )


def _confirm(said: Claim, seen: Seen) -> SettledPrice:
    facts = said.facts
    return SettledPrice(
        price=facts["price"],
        list_price=seen.list_price or facts.get("list_price"),
        price_max=facts.get("price_max") or seen.price_max,
        currency=facts.get("currency") or seen.currency,
        place=said.place,
        confidence=0.98,
    )


def _take_said(said: Claim, claims: Sequence[Claim], confidence: float) -> SettledPrice:
    facts = said.facts
    return SettledPrice(
        price=facts["price"],
        list_price=facts.get("list_price")
        or next((c.facts["list_price"] for c in claims if "list_price" in c.facts), None),
        price_max=facts.get("price_max"),
        currency=facts.get("currency"),
        place=said.place,
        confidence=min(confidence, said.confidence),
    )


def _take_seen(seen: Seen, confidence: float, list_price: Decimal | None = None) -> SettledPrice:
    return SettledPrice(
        price=seen.price.value,
        list_price=max(filter(None, (list_price, seen.list_price)), default=None),
        price_max=seen.price_max,
        currency=seen.currency,
        place="page text",
        confidence=confidence,
    )
