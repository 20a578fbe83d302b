"""What the offers of a product say: price, price before a discount, range, currency, availability."""

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

from tenax.extract.amounts import find_amounts, space_currencies
from tenax.extract.currencies import read_code
from tenax.extract.products.objects import Object, Structured, read_text, read_types
from tenax.extract.products.stock import read_availability, read_condition
from tenax.record import record

MAX_OFFERS: Final = 1_000
MAX_VARIANTS: Final = 200
_NUMBER: Final = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_LIST_TYPES: Final = ("listprice", "srp", "msrp", "strikethroughprice", "regularprice", "retailprice")
_NO_PRICES: Final = frozenset(("DeliveryChargeSpecification", "PaymentChargeSpecification"))


@record
class Offer:
    price: Decimal | None = None
    list_price: Decimal | None = None
    price_max: Decimal | None = None
    currency: str | None = None
    availability: str | None = None
    condition: str | None = None
    url: str | None = None


def read_amount(value: Any) -> Decimal | None:
    """A number as structured data gives it, with a point before decimals, or as a text in any form. None: it
    is none, or not above zero."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, list):
        value = next(iter(value), None)
    if not isinstance(value, str | int | float):
        return None
    text = str(value).strip()[:100]
    if _NUMBER.fullmatch(text):
        found = Decimal(text)
        return found if 0 < found < 10**12 else None
    amounts = list(find_amounts(space_currencies(text), None))
    named = next((amount for amount in amounts if amount.currency), amounts[0] if amounts else None)
    return named.value if named is not None and named.value > 0 else None


def list_offers(value: Any, found: Structured) -> Iterator[Object]:
    """The offers of a product: one, a list, references, or inside an AggregateOffer."""
    waiting = [value]
    for _ in range(MAX_OFFERS):
        if not waiting:
            return
        here = found.resolve(waiting.pop(0))
        if isinstance(here, list):
            waiting[:0] = here[:MAX_OFFERS]
        elif isinstance(here, Mapping):
            inner = here.get("offers")
            if inner and not ("lowPrice" in here or "price" in here):
                waiting.insert(0, inner)
            else:
                yield here


def read_offer(offer: Object, found: Structured) -> Offer:
    currency = read_code(_first(offer, "priceCurrency", "currency", "pricecurrency"))
    price = _read_price(offer)
    list_price = read_amount(offer.get("listPrice")) or read_amount(offer.get("msrp"))
    price_max = read_amount(offer.get("highPrice"))
    text = read_text(offer.get("price"))
    if currency is None and text:
        currency = next((each.currency for each in find_amounts(space_currencies(text[:100]), None)), None)
    for each in _list_specifications(offer.get("priceSpecification"), found):
        amount = _read_price(each)
        currency = currency or read_code(_first(each, "priceCurrency", "currency"))
        if amount is None:
            continue
        if _is_list_price(each):
            list_price = list_price or amount
        elif price is None or (_is_sale_price(each) and amount < price):
            price = amount
    return Offer(
        price=price,
        list_price=list_price,
        price_max=price_max,
        currency=currency,
        availability=read_availability(_first(offer, "availability", "Availability")),
        condition=read_condition(_first(offer, "itemCondition", "condition")),
        url=read_text(offer.get("url")) or None,
    )


def _first(value: Object, *names: str) -> Any:
    """The value of the first property that is there; of several values the first."""
    for name in names:
        found = value.get(name)
        if found not in (None, "", []):
            return found[0] if isinstance(found, list) else found
    return None


def _read_price(offer: Object) -> Decimal | None:
    for name in ("price", "lowPrice", "salePrice", "minPrice", "Price"):
        value = offer.get(name)
        if isinstance(value, Mapping):
            value = value.get("price") or value.get("value") or value.get("amount")
        if (amount := read_amount(value)) is not None:
            return amount
    return None


def _list_specifications(value: Any, found: Structured) -> Iterator[Object]:
    values = value if isinstance(value, list) else [value]
    for each in map(found.resolve, values[:50]):
        if not isinstance(each, Mapping) or read_types(each) & _NO_PRICES:
            continue
        # A price per litre has a reference quantity; prices for members and for many pieces have conditions.
        if each.get("referenceQuantity") and not _is_one_piece(each["referenceQuantity"]):
            continue
        if each.get("validForMemberTier") or _is_for_many(each.get("eligibleQuantity")):
            continue
        yield each


def _is_one_piece(quantity: Any) -> bool:
    if not isinstance(quantity, Mapping):
        return False
    unit = read_text(quantity.get("unitCode")).upper()
    return unit in ("C62", "EA", "H87", "PCE", "ST", "") and read_text(quantity.get("value")) in (
        "1",
        "1.0",
        "",
    )


def _is_for_many(quantity: Any) -> bool:
    least = read_amount(quantity.get("minValue")) if isinstance(quantity, Mapping) else None
    return least is not None and least > 1


def _is_list_price(specification: Object) -> bool:
    kind = read_text(specification.get("priceType")).rpartition("/")[2].lower().replace(" ", "")
    return kind.endswith(_LIST_TYPES)


def _is_sale_price(specification: Object) -> bool:
    return read_text(specification.get("priceType")).lower().endswith("saleprice")


def merge_offers(offers: list[Offer], addresses: frozenset[str]) -> Offer:
    """What several offers say together. The price is the lowest one of those that can be had."""
    if not offers:
        return Offer()
    available = [each for each in offers if each.availability not in ("out_of_stock", "discontinued")]
    priced = [each for each in available or offers if each.price is not None] or [
        each for each in offers if each.price is not None
    ]
    if not priced:
        return offers[0]
    best = min(priced, key=lambda each: each.price or 0)
    highest = max((each.price_max or each.price or Decimal(0)) for each in priced)
    states = [each.availability for each in offers if each.availability]
    return Offer(
        price=best.price,
        list_price=best.list_price,
        price_max=highest if best.price is not None and highest > best.price else None,
        currency=best.currency or next((each.currency for each in offers if each.currency), None),
        availability=best.availability or _merge_states(states),
        condition=best.condition or offers[0].condition,
    )


def _merge_states(states: list[str]) -> str | None:
    return "in_stock" if "in_stock" in states else next(iter(states), None)
