"""Products: what the items of one kind say of prices and stock."""

import re
from decimal import ROUND_HALF_EVEN, Decimal
from enum import StrEnum
from typing import Any, Final

PRODUCT: Final = "product"  # the kind of these items

# Prices are exact up to here, whatever the database: NUMERIC in PostgreSQL, a whole number of millionths in
# SQLite, which has no decimals.
PRICE_PLACES: Final = 6
PRICE_DIGITS: Final = 18
MOST_PRICE: Final = Decimal(10) ** (PRICE_DIGITS - PRICE_PLACES)
_STEP: Final = Decimal(1).scaleb(-PRICE_PLACES)


class Availability(StrEnum):
    IN_STOCK = "in_stock"
    LIMITED = "limited"  # few are left
    OUT_OF_STOCK = "out_of_stock"
    PREORDER = "preorder"
    BACKORDER = "backorder"
    DISCONTINUED = "discontinued"
    IN_STORE_ONLY = "in_store_only"
    ONLINE_ONLY = "online_only"


_WRITTEN: Final = re.compile(r"\s*([0-9]{1,20}(?:\.[0-9]{1,20})?)\s*", re.ASCII)
_SCHEMA_ORG: Final = ("https://schema.org/", "http://schema.org/", "schema:")
_TERMS: Final = {each.replace("_", ""): str(each) for each in Availability} | {
    "limitedavailability": "limited",
    "soldout": "out_of_stock",
    "presale": "preorder",
    "madetoorder": "backorder",
}
_KNOWN: Final = frozenset(map(str, Availability))


def read_availability(value: Any) -> str | None:
    """The word of `Availability` for one of ours or of schema.org."""
    if not isinstance(value, str):
        return None
    if value in _KNOWN:
        return value
    start = next((each for each in _SCHEMA_ORG if value.startswith(each)), "")
    return _TERMS.get(value[len(start) :].lower())


def read_price(value: Any) -> Decimal | None:
    """A price from JSON, rounded to the places that are kept; None: it is none that the store can keep."""
    if isinstance(value, str):
        written = _WRITTEN.fullmatch(value)
        return None if written is None else fit_price(Decimal(written[1]))
    if type(value) is not float and type(value) is not int:
        return None
    # The shortest number that reads as this one: 2879.2, not 2879.19999999999981810105964541435…
    return fit_price(Decimal(repr(value)))


def fit_price(value: Decimal) -> Decimal | None:
    if not (value.is_finite() and 0 < value < MOST_PRICE):
        return None
    price = value.quantize(_STEP, ROUND_HALF_EVEN)
    return price if 0 < price < MOST_PRICE else None


def to_millionths(price: Decimal | None) -> int | None:
    return None if price is None else int(price.scaleb(PRICE_PLACES))


def from_millionths(millionths: int | None) -> Decimal | None:
    return None if millionths is None else Decimal(millionths).scaleb(-PRICE_PLACES)


def find_drop(old: Decimal, new: Decimal) -> float | None:
    """By which share of the old price it fell, from 0 to 1; None: it did not."""
    return round(float((old - new) / old), PRICE_PLACES) if new < old else None
