"""Reads what a place holds, a text or a value of structured data, as a value of the type of its field."""

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from tenax.extract.amounts import build_price, parse_price
from tenax.extract.numbers import parse_number
from tenax.items.declarative.dates import parse_date
from tenax.items.declarative.definition import FieldDefinition, FieldType
from tenax.record import record
from tenax.web.urls import parse_url
from tenax.web.white_space import collapse

MAX_TEXT_CHARS: Final = 100_000

# Where the text of an object is, such as the name of a brand, and the address of one, such as an image.
_TEXT_NAMES: Final = ("@value", "name", "value", "headline")
_URL_NAMES: Final = ("url", "contentUrl", "@id")
_AMOUNT_NAMES: Final = ("price", "lowPrice", "amount", "value")
_CURRENCY_NAMES: Final = ("priceCurrency", "currency")
_NO: Final = frozenset(
    ("", "0", "false", "no", "off", "none", "null", "nein", "non", "outofstock", "soldout", "discontinued")
)


@record
class RawValue:
    value: Any  # a text, or a value of structured data
    holder: Mapping[str, Any] | None = None  # the object that it is a property of; None: it is none
    currency: str | None = None  # that something beside it names
    is_plain: bool = False  # written for machines: numbers with a decimal point, without thousands


@record
class Reading:
    """What texts of a page are read with."""

    base_url: str
    language: str | None


def read_value(raw: RawValue, field: FieldDefinition, reading: Reading) -> Any:
    """Read a value as the type of its field. None: it is not of this type."""
    return _READERS[field.type](raw, field, reading)


def read_words(raw: RawValue) -> str:
    """The text of a value in one line; empty: it has none."""
    value = raw.value
    if isinstance(value, Mapping):
        value = _pick(value, _TEXT_NAMES)
    if isinstance(value, bool):
        return "true" if value else "false"
    return collapse(str(value), MAX_TEXT_CHARS) if isinstance(value, str | int | float) else ""


def _pick(value: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """The first of the properties that is there; of several values the first."""
    found = next((value[name] for name in names if value.get(name) not in (None, "", [])), None)
    return found[0] if isinstance(found, list) else found


def _read_text(raw: RawValue, field: FieldDefinition, reading: Reading) -> str | None:
    return read_words(raw) or None


def _read_number(raw: RawValue, field: FieldDefinition, reading: Reading) -> int | float | None:
    if isinstance(raw.value, int | float) and not isinstance(raw.value, bool):
        return raw.value if math.isfinite(raw.value) else None
    return parse_number(read_words(raw), "en" if raw.is_plain else reading.language)


def _read_price(raw: RawValue, field: FieldDefinition, reading: Reading) -> dict[str, Any] | None:
    if isinstance(raw.value, Mapping):
        return _read_offer(raw.value, field)
    if raw.is_plain:
        named = raw.currency or (_pick(raw.holder, _CURRENCY_NAMES) if raw.holder else None)
        return build_price(raw.value, named, field.currency)
    return parse_price(read_words(raw), reading.language, field.currency)


def _read_offer(offer: Mapping[str, Any], field: FieldDefinition) -> dict[str, Any] | None:
    """An offer may have its price in a specification."""
    if _pick(offer, _AMOUNT_NAMES) is None:
        inner = _pick(offer, ("priceSpecification", "offers"))
        offer = inner if isinstance(inner, Mapping) else {}
    return build_price(_pick(offer, _AMOUNT_NAMES), _pick(offer, _CURRENCY_NAMES), field.currency)


def _read_date(raw: RawValue, field: FieldDefinition, reading: Reading) -> str | None:
    return parse_date(read_words(raw), reading.language)


def _read_url(raw: RawValue, field: FieldDefinition, reading: Reading) -> str | None:
    value = _pick(raw.value, _URL_NAMES) if isinstance(raw.value, Mapping) else raw.value
    return parse_url(value.strip(), reading.base_url) if isinstance(value, str) and value.strip() else None


def _read_bool(raw: RawValue, field: FieldDefinition, reading: Reading) -> bool:
    """Whether it says anything but no. An element without text says that it is there."""
    if isinstance(raw.value, bool | int | float):
        return bool(raw.value)
    words = read_words(raw).lower()
    if not words and not raw.is_plain:
        return True
    return words.rpartition("/")[2].replace(" ", "").replace("_", "") not in _NO


_READERS: Final[dict[FieldType, Callable[[RawValue, FieldDefinition, Reading], Any]]] = {
    FieldType.TEXT: _read_text,
    FieldType.LIST: _read_text,
    FieldType.NUMBER: _read_number,
    FieldType.PRICE: _read_price,
    FieldType.DATE: _read_date,
    FieldType.URL: _read_url,
    FieldType.BOOL: _read_bool,
}
