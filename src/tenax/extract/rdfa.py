"""What a document says about itself in RDFa, as far as sites use it for search engines: types, properties,
values. Vocabularies are left out, so that it reads like JSON-LD. Limits are those of microdata.
"""

from typing import Any, Final

from selectolax.lexbor import LexborNode

from tenax.extract.structured import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    MAX_OBJECTS,
    MAX_TEXTS,
    MAX_VALUE_CHARS,
    NOWHERE,
    MarkedPlace,
    add_value,
    find_place,
    read_attribute,
    shorten_type,
)
from tenax.web.documents import Document, select
from tenax.web.white_space import collapse

# GoodRelations, from before schema.org had offers.
_NAMES: Final = {
    "hasCurrencyValue": "price",
    "hasMinCurrencyValue": "lowPrice",
    "hasMaxCurrencyValue": "highPrice",
    "hasCurrency": "priceCurrency",
    "hasPriceSpecification": "priceSpecification",
    "hasStockKeepingUnit": "sku",
    "hasMPN": "mpn",
    "hasEAN_UCC-13": "gtin13",
    "hasManufacturer": "manufacturer",
    "includes": "itemOffered",
    "depiction": "image",
}
_TYPES: Final = {"Offering": "Offer", "ProductOrServiceModel": "ProductModel", "SomeItems": "Product"}


def read_rdfa(document: Document) -> list[dict[str, Any]]:
    """Read the objects of a document that are not part of others, in the form of JSON-LD."""
    if not select(document.tree, "[typeof]"):
        return []
    found: list[dict[str, Any]] = []
    places: dict[int, MarkedPlace] = {}
    read = set[int]()
    for node in select(document.tree, "[typeof], [property], [rel][resource]")[: 2 * MAX_ELEMENTS]:
        if node.mem_id in read:
            continue
        read.add(node.mem_id)
        place = find_place(node, places)
        attributes = {"rel": _read_relation(node), **node.attributes}
        places[node.mem_id] = _read_element(
            node.tag or "", attributes, node.text_lexbor, place, document.base_url, found
        )
    return found[:MAX_OBJECTS]


def _read_relation(node: LexborNode) -> str | None:
    """What an object is to the one that it is in, where an element of its own around it says so."""
    if node.parent is None or "typeof" not in node.attributes:
        return None
    around = node.parent.attributes
    return None if "typeof" in around or "resource" in around else around.get("rel")


def _read_element(
    tag: str,
    attributes: dict[str, str | None],
    read_text: Any,
    place: MarkedPlace,
    base_url: str,
    found: list[dict[str, Any]],
) -> MarkedPlace:
    said = attributes.get("property") or (attributes.get("rel") if "typeof" in attributes else "") or ""
    names = [_shorten(each) for each in said.split()]
    if "typeof" in attributes:
        if place.depth >= MAX_DEPTH - 2:
            return NOWHERE
        item = _start_item(attributes)
        if names and place.item is not None:
            add_value(place.item, names, item)
        else:
            found.append(item)
        return MarkedPlace(item=item, depth=place.depth + 1, texts=place.texts)
    if not names or place.item is None:
        return place
    value = attributes.get("resource") if "content" not in attributes else None
    value = value or read_attribute(tag, attributes, base_url)
    if value is not None:
        add_value(place.item, names, collapse(value, MAX_VALUE_CHARS))
        return place
    if place.texts < MAX_TEXTS:
        add_value(place.item, names, collapse(read_text(), MAX_VALUE_CHARS))
    return MarkedPlace(item=place.item, depth=place.depth, texts=place.texts + 1)


def _start_item(attributes: dict[str, str | None]) -> dict[str, Any]:
    types = [_TYPES.get(name, name) for name in map(shorten_type, (attributes.get("typeof") or "").split())]
    item: dict[str, Any] = {"@type": types[0] if len(types) == 1 else types}
    if identity := attributes.get("resource") or attributes.get("about"):
        item["@id"] = identity.strip()
    return item


def _shorten(name: str) -> str:
    short = shorten_type(name)
    return _NAMES.get(short, short)
