"""What the structured data of a product says, field by field, read as the types of the fields."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from tenax.extract.numbers import parse_number, read_count
from tenax.extract.products.codes import read_gtin
from tenax.extract.products.objects import FoundObject, Object, Structured, read_name, read_text
from tenax.extract.products.offers import (
    MAX_OFFERS,
    MAX_VARIANTS,
    Offer,
    list_offers,
    merge_offers,
    read_amount,
    read_offer,
)
from tenax.extract.products.stock import read_condition

MAX_IMAGES: Final = 50
_OWN_PRICES: Final = frozenset(("price", "lowPrice", "priceSpecification"))
_GTINS: Final = ("gtin13", "gtin", "gtin14", "gtin12", "gtin8", "ean", "isbn", "upc", "productID", "sku")


def read_facts(found: FoundObject, structured: Structured, addresses: frozenset[str]) -> dict[str, Any]:
    """The fields that an object has, in the form of an item; prices as Decimal, images as references."""
    data = found.data
    offers = _read_offers(data, structured)
    variants = _read_variants(data, structured)
    offer = merge_offers([each for _, each in offers] or [each for _, each in variants], addresses)
    facts = {
        "name": read_name(data),
        "description": read_text(data.get("description")),
        "brand": read_text(structured.resolve(data.get("brand")))
        or read_text(structured.resolve(data.get("manufacturer"))),
        "category": _read_category(data.get("category")),
        "sku": _read_product_id(data.get("sku"))
        or _read_product_id(data.get("productID"))
        or read_text(data.get("identifier"), 60),
        "mpn": read_text(data.get("mpn")) or read_text(data.get("model"), 60),
        "gtin": _read_gtin(data) or next((code for each, _ in offers if (code := _read_gtin(each))), None),
        "images": list_images(data.get("image"), structured) or list_images(data.get("images"), structured),
        "condition": offer.condition or read_condition(read_text(data.get("itemCondition"))),
        "availability": offer.availability,
        "currency": offer.currency,
        "price": offer.price,
        "list_price": offer.list_price,
        "price_max": offer.price_max,
        **read_rating(_find_rating(data, structured)),
    }
    if not facts["sku"] and len(offers) == 1:
        facts["sku"] = read_text(offers[0][0].get("sku"))
    facts["variants"] = [_build_variant(each, read) for each, read in (variants or offers)[:MAX_VARIANTS]]
    return {name: value for name, value in facts.items() if value not in (None, "", [], {})}


def _read_offers(data: Object, structured: Structured) -> list[tuple[Object, Offer]]:
    """data-vocabulary.org calls them offerDetails; GoodRelations puts them around the product."""
    said = data.get("offers") or data.get("offerDetails") or data.get("offer")
    if not said and not _OWN_PRICES.isdisjoint(data):
        said = data
    if not said:
        return []
    return [(each, read_offer(each, structured)) for each in list_offers(said, structured)][:MAX_OFFERS]


def _read_variants(data: Object, structured: Structured) -> list[tuple[Object, Offer]]:
    said = data.get("hasVariant") or data.get("model")
    values = said if isinstance(said, list) else [said]
    found: list[tuple[Object, Offer]] = []
    for each in map(structured.resolve, values[:MAX_VARIANTS]):
        if isinstance(each, Mapping) and (offers := _read_offers(each, structured)):
            found.append((each, merge_offers([offer for _, offer in offers], frozenset())))
    return found


def _build_variant(data: Object, offer: Offer) -> dict[str, Any]:
    inner = data.get("itemOffered")
    named = data if data.get("name") or not isinstance(inner, Mapping) else inner
    variant = {
        "name": read_text(named.get("name"), 512),
        "sku": read_text(data.get("sku"), 100) or read_text(named.get("sku"), 100),
        "price": offer.price,
        "availability": offer.availability,
    }
    return {name: value for name, value in variant.items() if value not in (None, "")}


def _read_category(value: Any) -> str:
    """Levels are written with `>` or `/`, or listed."""
    if isinstance(value, list):
        texts = [read_text(each, 255) for each in value[:10]]
        return texts[0] if any(">" in each for each in texts) else " > ".join(filter(None, texts[:5]))
    text = read_text(value, 255)
    return "" if text.startswith(("http:", "https:")) or text.isdigit() else text


def _read_product_id(value: Any) -> str:
    """`sku:123` is one; `isbn:978…` is a GTIN."""
    text = read_text(value, 100)
    kind, colon, code = text.partition(":")
    if not colon:
        return text
    return code.strip() if kind.strip().lower() in ("sku", "id", "mpn", "asin") else ""


def _read_gtin(data: Object) -> str | None:
    for name in _GTINS:
        text = read_text(data.get(name), 100)
        if text and (code := read_gtin(text, is_named=name not in ("productID", "sku"))):
            return code
    return None


def _find_rating(data: Object, structured: Structured) -> Any:
    found = structured.resolve(data.get("aggregateRating"))
    if found:
        return found
    review = data.get("review")
    # data-vocabulary.org: Review-aggregate
    review = review[0] if isinstance(review, list) and review else review
    return review if isinstance(review, Mapping) and ("rating" in review or "count" in review) else None


def read_rating(value: Any) -> dict[str, Any]:
    """The mean of ratings on a scale to five, and how many there are."""
    if isinstance(value, list):
        value = next(iter(value), None)
    if not isinstance(value, Mapping):
        return {}
    inner = value.get("rating") if isinstance(value.get("rating"), Mapping) else value
    mean = read_amount(_take(inner, "ratingValue", "average", "rating"))
    best = read_amount(_take(inner, "bestRating", "best")) or Decimal(5)
    worst = (
        parse_number(read_text(inner.get("worstRating"), 10), "en") if isinstance(inner, Mapping) else None
    )
    count = read_count(read_text(_take(value, "reviewCount", "ratingCount", "votes", "count"), 50))
    found: dict[str, Any] = {}
    if mean is not None and best > 0 and mean <= best and (worst is None or mean >= Decimal(str(worst))):
        found["rating"] = round(mean * 5 / best, 2)
    if count is not None and 0 <= count < 10**9:
        found["review_count"] = count
        if not count:
            found.pop("rating", None)
    return found


def _take(value: Any, *names: str) -> Any:
    if not isinstance(value, Mapping):
        return None
    return next((value[name] for name in names if value.get(name) not in (None, "")), None)


def list_images(value: Any, structured: Structured) -> list[str]:
    values = value if isinstance(value, list) else [value]
    found: list[str] = []
    for each in map(structured.resolve, values[: 2 * MAX_IMAGES]):
        if isinstance(each, Mapping):
            each = next(
                (
                    each[name]
                    for name in ("contentUrl", "url", "image", "@id", "thumbnailUrl")
                    if each.get(name)
                ),
                None,
            )
            each = each[0] if isinstance(each, list) else each
        if isinstance(each, str) and each.strip():
            found.append(each.strip())
    return found[:MAX_IMAGES]
