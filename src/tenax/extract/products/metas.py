"""What the meta elements of a page say of its product: OpenGraph, Twitter cards, and what shops made up."""

from collections.abc import Mapping
from typing import Any, Final

from tenax.extract.amounts import Amount, find_amounts, space_currencies
from tenax.extract.currencies import read_code
from tenax.extract.products.codes import read_gtin
from tenax.extract.products.objects import read_text
from tenax.extract.products.offers import read_amount
from tenax.extract.products.stock import read_availability, read_condition

_PRICES: Final = (
    "product:sale_price:amount",
    "product:price:amount",
    "og:price:amount",
    "og:price",
    "product:price",
    "price",
    "product:amount",
)
_LISTS: Final = (
    "product:original_price:amount",
    "product:pretax_price:amount",
    "og:price:standard_amount",
    "og:standard_price",
)
_CURRENCIES: Final = (
    "product:sale_price:currency", "product:price:currency", "og:price:currency", "og:currency",
    "pricecurrency",
    "currency", "product:currency",
)  # fmt: skip
_STATES: Final = ("product:availability", "og:availability", "availability", "og:stock")
_TYPES: Final = (
    "product",
    "og:product",
    "product.item",
    "product.group",
    "ebay-objects:item",
    "shop:product",
    "goods",
)


def read_meta_facts(metas: Mapping[str, str], language: str | None = None) -> dict[str, Any]:
    """The fields that metas give, without the name: og:title often ends in the name of the shop."""
    prices = [amount for name in _PRICES if (amount := read_amount(metas.get(name)))]
    label = None if prices else _read_label(metas, language)
    prices += [label.value] if label is not None else []
    list_price = next((amount for name in _LISTS if (amount := read_amount(metas.get(name)))), None)
    facts: dict[str, Any] = {
        "price": prices[0] if prices else None,
        "list_price": list_price,
        "currency": next((code for name in _CURRENCIES if (code := read_code(metas.get(name)))), None)
        or (label.currency if label is not None else None),
        "availability": next(
            (state for name in _STATES if (state := read_availability(metas.get(name)))), None
        ),
        "brand": metas.get("product:brand") or metas.get("og:brand") or metas.get("brand"),
        "sku": metas.get("product:retailer_item_id") or metas.get("product:sku") or metas.get("sku"),
        "condition": read_condition(metas.get("product:condition")),
        "category": metas.get("product:category"),
        "mpn": metas.get("product:mfr_part_no"),
        "gtin": _read_gtin(metas),
        "description": metas.get("og:description") or metas.get("description"),
    }
    if len(prices) > 1 and max(prices[:2]) > prices[0] and "product:sale_price:amount" in metas:
        facts["list_price"] = list_price or max(prices[:2])
    category = facts["category"]
    if category and category.isdigit():
        facts["category"] = None
    return {name: value for name, value in facts.items() if value not in (None, "")}


def is_product(metas: Mapping[str, str]) -> bool:
    said = (metas.get("og:type") or metas.get("twitter:card") or "").strip().lower()
    return said in _TYPES or said.endswith(":product")


def _read_gtin(metas: Mapping[str, str]) -> str | None:
    for name in (
        "product:ean",
        "product:gtin",
        "product:upc",
        "product:isbn",
        "og:upc",
        "og:ean",
        "book:isbn",
        "gtin13",
        "og:isbn",
    ):
        if name in metas and (code := read_gtin(read_text(metas[name], 60))):
            return code
    return None


def _read_label(metas: Mapping[str, str], language: str | None) -> Amount | None:
    """Twitter cards name what they show: label1 is "Price", data1 "€ 12"."""
    for number in ("1", "2"):
        label = metas.get(f"twitter:label{number}", "").strip().lower()
        if label in ("price", "preis", "prix", "precio", "prezzo", "prijs", "cena", "pris", "preço"):
            text = space_currencies(metas.get(f"twitter:data{number}", "")[:100])
            return next((each for each in find_amounts(text, language) if each.value > 0), None)
    return None
