"""What the data of a product says, as far as it fits. Pure.

Parsers of users may yield anything: what does not fit is left out, and never keeps a batch from being
settled.
"""

import unicodedata
from decimal import Decimal
from typing import Any, Final, NamedTuple

from tenax.records.products import read_availability, read_price
from tenax.stores.hot.items.found import fit_text

NAME_CHARS: Final = 512
TEXT_CHARS: Final = 255
SKU_CHARS: Final = 100
LEVEL_MARK: Final = ">"  # between the levels of a category
LEVELS_JOINED: Final = " > "
_GTIN_LENGTHS: Final = frozenset((8, 12, 13, 14))
_MOST_COUNT: Final = (1 << 31) - 1


class ProductFacts(NamedTuple):
    name: str | None
    name_key: str
    price: Decimal | None
    currency: str | None
    list_price: Decimal | None
    availability: str | None
    rating: float | None
    review_count: int | None
    brand: str | None
    brand_key: str | None
    category: str | None
    category_key: str | None
    sku: str | None
    gtin: str | None


def read_facts(data: dict[str, Any]) -> ProductFacts:
    name, brand = _read_text(data.get("name"), NAME_CHARS), _read_text(data.get("brand"), TEXT_CHARS)
    category = _read_text(data.get("category"), TEXT_CHARS)
    price, currency = _take_apart(data.get("price"))
    list_price, _ = _take_apart(data.get("list_price"))
    return ProductFacts(
        name=name,
        name_key=fold(name or "", NAME_CHARS),
        price=read_price(price),
        currency=_read_currency(currency) or _read_currency(data.get("currency")),
        list_price=read_price(list_price),
        availability=read_availability(data.get("availability")),
        rating=_read_rating(data.get("rating")),
        review_count=_read_count(data.get("review_count")),
        brand=brand,
        brand_key=None if brand is None else fold(brand),
        category=category,
        category_key=None if category is None else fold_category(category),
        sku=_read_sku(data.get("sku")),
        gtin=_read_gtin(data.get("gtin")),
    )


def fold(text: str, most_chars: int = TEXT_CHARS) -> str:
    """The text as it is compared: without regard to case, width and runs of spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())[:most_chars]


def fold_category(text: str) -> str:
    levels = (fold(level) for level in text.split(LEVEL_MARK))
    return LEVELS_JOINED.join(level for level in levels if level)[:TEXT_CHARS].rstrip()


def _read_text(value: Any, most_chars: int) -> str | None:
    if not isinstance(value, str):
        return None
    return fit_text(value.strip(), most_chars) or None


def _take_apart(price: Any) -> tuple[Any, Any]:
    """The amount and the currency; parsers without code make an object of both."""
    return (price.get("amount"), price.get("currency")) if isinstance(price, dict) else (price, None)


def _read_currency(value: Any) -> str | None:
    fits = isinstance(value, str) and len(value) == 3 and value.isascii() and value.isalpha()
    return value.upper() if fits else None


def _read_rating(value: Any) -> float | None:
    fits = type(value) in (int, float) and 0 <= value <= 5
    return round(float(value), 2) if fits else None


def _read_count(value: Any) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST_COUNT else None


def _read_sku(value: Any) -> str | None:
    # Half of an article number is that of another article.
    return _read_text(value, SKU_CHARS) if isinstance(value, str) and len(value) <= SKU_CHARS else None


def _read_gtin(value: Any) -> str | None:
    fits = isinstance(value, str) and len(value) in _GTIN_LENGTHS and value.isascii() and value.isdigit()
    return value if fits else None
