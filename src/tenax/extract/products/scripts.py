"""The product in the data that shops give to their own scripts: JSON of Shopify, the state of applications
such as `__NEXT_DATA__`, and what is told to `dataLayer`. Nothing is run; what is not plain JSON is left out.
"""

import json
import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any, Final

import orjson

from tenax.extract.currencies import read_code
from tenax.extract.products.objects import Object, read_text, split_words
from tenax.extract.products.offers import read_amount
from tenax.extract.products.stock import read_availability
from tenax.web.documents import Document

MAX_CHARS: Final = 1_000_000  # of all scripts of a page
MAX_SCRIPTS: Final = 200
MAX_PUSHES: Final = 20
MAX_PUSH_CHARS: Final = 50_000
MAX_VISITED: Final = 20_000  # values of a page
LEAST_LIKENESS: Final = 0.6  # of the name of an object and a title of the page: common words of all
_PUSH: Final = re.compile(r"dataLayer(?:\.push\(| ?= ?)\s{0,20}(?=[\[{])")
_NAMES: Final = ("name", "title", "item_name", "productName")
_PRICES: Final = ("salePrice", "sale_price", "price", "finalPrice", "priceRange")
_LISTS: Final = (
    "compare_at_price",
    "compareAtPrice",
    "listPrice",
    "list_price",
    "regularPrice",
    "originalPrice",
)
_CURRENCIES: Final = ("currency", "currencyCode", "priceCurrency", "currency_code")
_SIGNS: Final = frozenset(("sku", "offers", "item_id", "id", "productId", "variants", *_CURRENCIES))
_decode: Final = json.JSONDecoder().raw_decode


def read_script_facts(document: Document, titles: Iterable[str]) -> dict[str, Any] | None:
    """The fields of the first object that is called like the page and has a price. None: there is none."""
    known = [words for each in titles if (words := split_words(each))]
    waiting: deque[tuple[Any, str | None]] = deque((value, None) for value in _list_values(document))
    for _ in range(MAX_VISITED):
        if not waiting:
            return None
        value, currency = waiting.popleft()
        if isinstance(value, dict):
            currency = _find_currency(value) or currency
            if _is_named(value, known) and (facts := _read_facts(value, currency)):
                return facts
            inner: Iterable[Any] = value.values()
        else:
            inner = value
        waiting.extend((each, currency) for each in inner if isinstance(each, dict | list))
        if len(waiting) > MAX_VISITED:
            return None
    return None


def _list_values(document: Document) -> Iterator[dict[str, Any] | list[Any]]:
    chars_left, pushes = MAX_CHARS, MAX_PUSHES
    for script in document.tree.tags("script")[:MAX_SCRIPTS]:
        kind = (script.attributes.get("type") or "").lower()
        if "ld+json" in kind or "src" in script.attributes:
            continue
        text = script.text_lexbor()
        chars_left -= len(text)
        if chars_left < 0:
            return
        found = [_parse(text)] if "json" in kind else []
        if not kind or "javascript" in kind:
            found = list(_list_pushes(text, pushes))
            pushes -= len(found)
        yield from (each for each in found if isinstance(each, dict | list))


def _parse(text: str) -> Any:
    try:
        return orjson.loads(text.encode("utf-8", "replace"))
    except orjson.JSONDecodeError:
        return None


def _list_pushes(text: str, most: int) -> Iterator[Any]:
    """What is told to `dataLayer`, as far as it is JSON; None for what is not."""
    if most <= 0 or "dataLayer" not in text:
        return
    for count, found in enumerate(_PUSH.finditer(text)):
        if count >= most:
            return
        try:
            yield _decode(text[found.end() : found.end() + MAX_PUSH_CHARS])[0]
        except (ValueError, RecursionError):
            yield None


def _is_named(value: Object, known: list[frozenset[str]]) -> bool:
    if _SIGNS.isdisjoint(value) or not any(name in value for name in _PRICES):
        return False
    words = split_words(_read_first(value, _NAMES)[:300])
    return any(len(words & each) >= LEAST_LIKENESS * len(words | each) for each in known) if words else False


def _read_first(value: Object, names: Iterable[str]) -> str:
    return next((text for name in names if (text := read_text(value.get(name), 512))), "")


def _find_currency(value: Object) -> str | None:
    return next((code for name in _CURRENCIES if (code := read_code(value.get(name)))), None)


def _read_facts(value: Object, currency: str | None) -> dict[str, Any] | None:
    price, own = _read_price(value, _PRICES)
    if price is None:
        return None
    list_price, _ = _read_price(value, _LISTS)
    stock = value.get("availability", value.get("available"))
    facts: dict[str, Any] = {
        "name": _read_first(value, _NAMES),
        "price": price,
        "currency": own or currency,
        "list_price": list_price if list_price is not None and list_price > price else None,
        "sku": read_text(value.get("sku"), 100),
        "brand": read_text(value.get("brand"), 255) or read_text(value.get("vendor"), 255),
        "availability": read_availability(stock),
    }
    return {name: found for name, found in facts.items() if found not in (None, "")}


def _read_price(value: Object, names: Iterable[str]) -> tuple[Decimal | None, str | None]:
    """An amount, and its currency if it says so. Shopify counts cents."""
    for name in names:
        said = value.get(name)
        currency = None
        for _ in range(3):
            if isinstance(said, Mapping):
                currency = _find_currency(said) or currency
                kinds = ("minVariantPrice", "amount", "value", "price", "current")
                said = next((said[kind] for kind in kinds if said.get(kind)), None)
        amount = None if isinstance(said, Mapping | list) else read_amount(said)
        if amount is not None:
            is_cents = isinstance(said, int) and "variants" in value and "vendor" in value
            return (amount / 100 if is_cents else amount), currency
    return None, None
