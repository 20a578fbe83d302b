"""Reads prices: an amount and a currency, as shops of the world write them."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tenax.extract.currencies import (
    JOINED_PATTERN,
    MARKS_PATTERN,
    THREE_DECIMALS,
    is_currency,
    name_currency,
)
from tenax.extract.numbers import (
    SEARCHED_CHARS,
    FoundNumber,
    find_numbers,
    find_spans,
    read_number,
    to_json,
)
from tenax.extract.phrases import PhraseList
from tenax.record import record

BOUNDARY: Final = "\x1f"  # between the texts of two elements, which may be one price to the eye
_SPACES: Final = " \u00a0\u2009\u202f\n" + BOUNDARY
_TRAIL: Final = re.compile(r"(?:[.,:] ?[-–—]{1,2})?[ \u00a0\u2009\u202f\n\x1f]*\(?")  # 1.299,- kr
_LEADING: Final = "$£¥₹"  # signs that stand before their numbers
_TRAILING: Final = _SPACES + "-−"
_LAST_WORD: Final = re.compile(r"[^\W\d_]+\.?\Z")
_FIRST_WORD: Final = re.compile(r"[^\W\d_]+\.?")
_NEXT: Final = re.compile(r"[ \u00a0\u2009\u202f\n\x1f]*\d[\d.,'\u00a0 ]*+[ \u00a0\u2009\u202f\n\x1f]*")
_JOINED: Final = re.compile(JOINED_PATTERN)  # EUR12
_NEAR_CHARS: Final = 12  # between a number and its currency
# From the digit on: letters are many.
_MAY_BE_JOINED: Final = re.compile(r"\d(?:(?<=[A-Za-z]\d)|(?<=[A-Za-z]\.\d)| ?[€£$]\d)")
_MARKS: Final = PhraseList(MARKS_PATTERN, is_case_sensitive=False)
_INSIDE: Final = re.compile(r"(\d) ?([€£$])(\d{2})(?![\d.,])")  # 12€99
_MINOR: Final = re.compile(r"(p|¢|ct)(?!\w)")
_MINOR_CODES: Final = {"p": "GBP", "¢": "USD", "ct": "EUR"}


@record
class Amount:
    value: Decimal
    currency: str | None  # None: nothing beside it says
    start: int  # where the number is in its text
    end: int


def space_currencies(text: str) -> str:
    """Part what is written together: EUR12 becomes EUR 12, and 12€99 becomes 12.99€."""
    if _MAY_BE_JOINED.search(text) is None:
        return text
    return _INSIDE.sub(r"\1.\3\2", _JOINED.sub(r"\g<0> ", text))


def find_amounts(
    text: str, language: str | None, country: str | None = None, *, with_bare: bool = True
) -> Iterator[Amount]:
    """Find the numbers of a text that have a currency beside them, and those that stand alone between
    boundaries. `with_bare`: and all others. The text is searched as a whole, so the caller limits it, and has
    called `space_currencies`."""
    for start, end in find_spans(text) if with_bare else _find_likely(text):
        currency = _find_currency(text, start, end, language, country)
        minor = _read_minor(text, start, end, country) if currency is None else None
        if currency is None and minor is None and not (with_bare or _is_alone(text, start, end)):
            continue
        value = read_number(text[start:end], 3 if currency in THREE_DECIMALS else 2, "en")
        if value is None:
            continue
        if minor is not None:
            value = value / 100
        yield Amount(value=value, currency=currency or minor, start=start, end=end)


def _find_likely(text: str) -> Iterator[tuple[int, int]]:
    """Where there may be numbers with something like a currency near, or alone. One pass of RE2 over the text
    costs less than a look at what stands around each number."""
    signs = _MARKS.find(text)
    sign = next(signs, None)
    for start, end in find_spans(text):
        while sign is not None and sign[1] < start - _NEAR_CHARS:
            sign = next(signs, None)
        if (sign is not None and sign[0] <= end + 2 * _NEAR_CHARS) or _is_alone(text, start, end):
            yield start, end


def _is_alone(text: str, start: int, end: int) -> bool:
    before, behind = text[max(0, start - 2) : start], text[end : end + 4].lstrip(".,-–—*: ")
    return (not before or BOUNDARY in before) and (not behind or behind[0] == BOUNDARY)


def _read_minor(text: str, start: int, end: int, country: str | None) -> str | None:
    """Pence and cents: 99p. Only whole numbers, and p only where there are pence."""
    found = _MINOR.match(text, end)
    if found is None or not text[start:end].isdigit() or end - start > 2 or text[start:end].strip("0") == "":
        return None
    if found[1] == "p" and country not in (None, "uk"):
        return None
    return _MINOR_CODES[found[1]]


def parse_price(text: str, language: str | None = None, currency: str | None = None) -> dict[str, Any] | None:
    """Read the first price of a text: a number next to a currency, or else the first number. `currency`: that
    of a text that does not say; None: unknown. None: there is no number."""
    text = _JOINED.sub(r"\g<0> ", text[:SEARCHED_CHARS])
    first: FoundNumber | None = None
    for found in find_numbers(text):
        first = first or found
        named = find_currency(text, found, language)
        if named is not None:
            return _build(text, found, named)
    return None if first is None else _build(text, first, currency)


def build_price(amount: Any, currency: Any, default: str | None) -> dict[str, Any] | None:
    """Build a price of a number, as structured data gives it: 12.5 or "12.50", without thousands."""
    if isinstance(amount, bool) or amount is None:
        return None
    text = str(amount).strip()
    named = currency.strip().upper() if isinstance(currency, str) else ""
    code = named if re.fullmatch("[A-Z]{3}", named) else None
    if re.fullmatch(r"\d{1,15}\.\d{1,15}", text):
        return {"amount": to_json(Decimal(text)), "currency": code or default}
    found = parse_price(text, currency=code or default)
    return found and {"amount": found["amount"], "currency": code or found["currency"]}


def find_currency(
    text: str, number: FoundNumber, language: str | None, country: str | None = None
) -> str | None:
    """Find the currency next to a number, before or behind it."""
    return _find_currency(text, number.start, number.end, language, country)


def _find_currency(text: str, start: int, end: int, language: str | None, country: str | None) -> str | None:
    before = _read_before(text, start)
    if before is not None:
        return name_currency(before, language, country)
    behind, end = _read_behind(text, end)
    if behind is not None and not _belongs_behind(text, end, behind):
        return name_currency(behind, language, country)
    return None


def _read_before(text: str, start: int) -> str | None:
    """The currency that ends before a number. An expression of so many names would take 40 µs."""
    raw = text[max(0, start - _NEAR_CHARS) : start]
    near = raw.rstrip(_TRAILING)
    if not near or near[-1].isdigit():
        return None
    # In the texts "4,99 €" and "1 l", the currency is that of the number before it.
    is_apart = BOUNDARY in raw[len(near) :]
    if is_apart and near[-1] not in _LEADING and near[:-1].rstrip(" \u00a0\u202f")[-1:].isdigit():
        return None
    if near[-1].isalpha() or near[-1] == ".":
        word = _LAST_WORD.search(near)
        return None if word is None else _name_one_of(word[0], word[0].rstrip("."))
    return _name_one_of(near[-3:], near[-2:], near[-1:])


def _read_behind(text: str, end: int) -> tuple[str | None, int]:
    """The currency that begins behind a number, and where it ends."""
    trail = _TRAIL.match(text, end, end + _NEAR_CHARS)
    start = end if trail is None else trail.end()
    first = text[start : start + 1]
    if not first or first.isdigit():
        return None, end
    word = _FIRST_WORD.match(text, start, start + _NEAR_CHARS)
    if word is not None and (found := _name_one_of(word[0], word[0].rstrip("."))):
        return found, start + len(found)
    near = text[start : start + 3]
    found = None if near.isalpha() else _name_one_of(near, near[:2], near[:1])
    if found is None or (found.isalpha() and text[start + len(found) : start + len(found) + 1].isalnum()):
        return None, end
    return found, start + len(found)


def _name_one_of(*names: str) -> str | None:
    return next((name for name in names if is_currency(name)), None)


def _belongs_behind(text: str, start: int, sign: str) -> bool:
    """Whether a sign after a number belongs to the next one: 12 $ 15, but not 12 € 15 €."""
    if (
        sign[-1] not in _LEADING
        and text[start : start + 1] in (BOUNDARY, "")
        and text[start - len(sign) - 1] != BOUNDARY
    ):
        return False
    following = _NEXT.match(text, start, start + 30)
    if following is None:
        return False
    rest = text[following.end() : following.end() + 8]
    return not rest.startswith(sign) or rest[len(sign) :].lstrip(_SPACES)[:1].isdigit()


def _build(text: str, found: FoundNumber, currency: str | None) -> dict[str, Any]:
    if currency in THREE_DECIMALS:
        again = find_numbers(text[found.start :], decimals=3, language="en")
        found = next(again, found)
    return {"amount": to_json(found.value), "currency": currency}
