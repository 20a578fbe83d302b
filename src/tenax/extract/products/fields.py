"""The fields of a product: their order, their limits, and how they become JSON."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from tenax.extract.numbers import to_json
from tenax.record import record
from tenax.web.white_space import collapse

_NAMES: Final = ("brand", "category", "sku", "mpn")  # which are no addresses, whatever a page says
LIMITS: Final = {"name": 512, "description": 10_000, "brand": 255, "category": 255, "sku": 100, "mpn": 100}
ORDER: Final = [
    "name",
    "description",
    "price",
    "currency",
    "list_price",
    "price_max",
    "availability",
    "condition",
    "rating",
    "review_count",
    "brand",
    "category",
    "sku",
    "gtin",
    "mpn",
    "images",
    "variants",
]


@record
class ProductField:
    value: Any
    place: str  # where it was found
    confidence: float


Product = dict[str, ProductField]


def as_json(value: Any) -> Any:
    """The value of a field as JSON has it: 12, 12.0 and 12.00 are the same number."""
    if isinstance(value, Decimal):
        return to_json(value)
    if isinstance(value, list):
        return [as_json(each) for each in value]
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    return value


def tidy(product: Product) -> Product:
    """In the order of the contract, within its limits."""
    found: Product = {}
    for name in ORDER:
        field = product.get(name)
        if field is None:
            continue
        value = field.value
        if name in LIMITS:
            value = collapse(str(value), LIMITS[name])
        if name in _NAMES and str(value).startswith(("http:", "https:")):
            continue
        if value not in ("", None, []):
            found[name] = ProductField(value=value, place=field.place, confidence=field.confidence)
    return found
