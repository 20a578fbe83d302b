"""A parser for the product pages of a shop, with everything that the contract offers.

tenax parse examples/parsers/lamp.html --parsers examples/parsers/shop.py
tenax parsers test examples/parsers/fixtures --parsers examples/parsers/shop.py
"""

from collections.abc import Iterator
from typing import Any

from tenax.items.page import Follow, Page
from tenax.items.parser import Item, Parser

SCHEMA = {
    "required": ["name", "price"],
    "properties": {
        "name": {"type": "string", "minLength": 2},
        "price": {"type": "number", "exclusiveMinimum": 0, "maximum": 10_000},
        "currency": {"enum": ["GBP", "EUR"]},
        "variants": {"type": "array", "items": {"type": "object", "required": ["sku"]}},
    },
}


class LanternProduct(Parser):
    """Products of lantern.example. Its JSON-LD is right about names and prices, its table about the rest."""

    name = "lantern-product"
    version = "3"  # raise it with each change of what comes out: pages are then parsed again
    patterns = ("/products/*",)
    kind = "product"
    schema = SCHEMA

    def parse(self, page: Page) -> Iterator[Item | Follow]:
        product = find_product(page)
        if product is None:
            return  # a page without a product is no error
        offer = product.get("offers") or {}
        specs = read_specs(page)
        data = {
            "name": product["name"],
            "sku": product.get("sku"),
            "brand": (product.get("brand") or {}).get("name"),
            "price": float(offer["price"]),
            "currency": offer.get("priceCurrency"),
            "in_stock": str(offer.get("availability", "")).endswith("InStock"),
            "material": specs.get("Material"),
            "variants": list(read_variants(page)),
        }
        confidence = {"name": 0.95, "price": 0.95, "material": 0.8 if "Material" in specs else 0.0}
        yield Item(data, key=product.get("sku"), confidence=confidence)
        if reviews := page.css_first("a.reviews"):
            yield page.follow(reviews.get("href") or "", LanternReviews, data={"sku": product.get("sku")})


class LanternReviews(Parser):
    """Sees only the pages that a product names, and knows the product by `page.data`."""

    name = "lantern-reviews"
    version = "1"
    patterns = None
    kind = "review"

    def parse(self, page: Page) -> Iterator[Item]:
        for number, review in enumerate(page.css("article.review"), 1):
            data = {"sku": page.data["sku"], "text": review.text()}
            yield Item(data, key=f"{page.data['sku']}/{number}")


def find_product(page: Page) -> dict[str, Any] | None:
    return next((each for each in page.json_ld if each.get("@type") == "Product"), None)


def read_specs(page: Page) -> dict[str, str]:
    rows = (row.css("th, td") for row in page.css("table.specs tr"))
    return {cells[0].text(): cells[1].text() for cells in rows if len(cells) == 2}


def read_variants(page: Page) -> Iterator[dict[str, Any]]:
    for element in page.css("ul.variants li"):
        color = element.css_first("span")
        yield {"sku": element.get("data-sku"), "color": color.text() if color else None}
