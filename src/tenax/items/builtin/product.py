"""The parser of product pages."""

from collections.abc import Iterator
from typing import Final

from tenax.extract.products.fields import as_json
from tenax.extract.products.reading import find_product
from tenax.items.found_fields import FieldParser, FoundField, FoundFields
from tenax.items.page import Page
from tenax.items.parser import Item

_TEXT: Final = {"type": "string", "minLength": 1}
_PRICE: Final = {"type": "number", "exclusiveMinimum": 0}
_STATES: Final = (
    "in_stock",
    "limited",
    "out_of_stock",
    "preorder",
    "backorder",
    "discontinued",
    "in_store_only",
    "online_only",
)
SCHEMA: Final = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {**_TEXT, "maxLength": 512},
        "description": {**_TEXT, "maxLength": 10_000},
        "price": _PRICE,
        "currency": {"type": "string", "pattern": "^[A-Z]{3}$"},
        "list_price": _PRICE,
        "price_max": _PRICE,
        "availability": {"enum": list(_STATES)},
        "condition": {"enum": ["new", "used", "refurbished", "damaged"]},
        "rating": {"type": "number", "minimum": 0, "maximum": 5},
        "review_count": {"type": "integer", "minimum": 0},
        "brand": {**_TEXT, "maxLength": 255},
        "category": {**_TEXT, "maxLength": 255},
        "sku": {**_TEXT, "maxLength": 100},
        "gtin": {"type": "string", "pattern": "^[0-9]{8,14}$"},
        "mpn": {**_TEXT, "maxLength": 100},
        "images": {"type": "array", "items": _TEXT, "maxItems": 50},
        "variants": {"type": "array", "items": {"type": "object"}, "maxItems": 200},
    },
}


class ProductParser(FieldParser):
    """Makes one item of a page that sells one product; none of any other page."""

    name = "product"
    version = "1"
    kind = "product"
    schema = SCHEMA

    def parse(self, page: Page) -> Iterator[Item]:
        for found in self.find_items(page):
            yield Item(found.data, confidence={field.name: field.confidence for field in found.fields})

    def find_items(self, page: Page) -> Iterator[FoundFields]:
        product = find_product(
            page.document, language=page.language, canonical=page.canonical, text=page.text
        )
        if product is not None:
            yield FoundFields(
                fields=tuple(
                    FoundField(
                        name=name, value=as_json(field.value), place=field.place, confidence=field.confidence
                    )
                    for name, field in product.items()
                )
            )
