"""Reads prices: an amount and a currency, as shops of the world write them."""

import re
from decimal import Decimal
from typing import Any, Final

from tenax.items.declarative.numbers import SEARCHED_CHARS, FoundNumber, find_numbers, to_json

_CODES: Final = (
    "AED ARS AUD BAM BDT BGN BHD BRL CAD CHF CLP CNY COP CZK DKK DZD EGP EUR GBP GEL GHS HKD HUF IDR ILS INR"
    " IQD ISK JOD JPY KES KRW KWD KZT LKR MAD MDL MKD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN QAR RON RSD RUB"
    " SAR SEK SGD THB TND TRY TWD UAH USD UYU UZS VND ZAR"
)
_SYMBOLS: Final = {
    "US$": "USD", "CA$": "CAD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "NT$": "TWD", "MX$": "MXN",
    "C$": "CAD", "A$": "AUD", "R$": "BRL", "S$": "SGD",
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₴": "UAH", "₺": "TRY", "₩": "KRW", "₪": "ILS",
    "฿": "THB",
    "₫": "VND", "₦": "NGN", "₱": "PHP", "₸": "KZT", "₾": "GEL", "元": "CNY", "円": "JPY",
    "ZŁ": "PLN", "KČ": "CZK", "FT": "HUF", "LEI": "RON", "ЛВ": "BGN", "РУБ": "RUB", "ГРН": "UAH", "TL": "TRY",
    "FR.": "CHF", "SFR": "CHF", "RS.": "INR", "EURO": "EUR", "RM": "MYR", "RP": "IDR",
}  # fmt: skip
# What a sign means depends on who writes it.
_BY_LANGUAGE: Final = {
    "KR": {"sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK"},
    "$": {"en-ca": "CAD", "fr-ca": "CAD", "en-au": "AUD", "en-nz": "NZD", "en-sg": "SGD", "es-mx": "MXN",
          "es-ar": "ARS", "es-cl": "CLP", "es-co": "COP", "": "USD"},
    "¥": {"zh": "CNY", "": "JPY"},
}  # fmt: skip
_THREE_DECIMALS: Final = frozenset(("BHD", "IQD", "JOD", "KWD", "OMR", "TND"))
_ALL: Final = sorted({*_CODES.split(), *_SYMBOLS, *_BY_LANGUAGE}, key=len, reverse=True)
_NAMES: Final = "|".join(map(re.escape, _ALL))
_BEFORE: Final = re.compile(rf"(?:^|[^\w]|(?<=\d))({_NAMES})\.?[ \u00a0\u202f]*[-−]?$", re.IGNORECASE)
_BEHIND: Final = re.compile(rf"(?:[.,][-–—]{{1,2}})?[ \u00a0\u202f]*(?:\(?)({_NAMES})(?!\w)", re.IGNORECASE)
_JOINED: Final = re.compile(rf"\b(?:{_CODES.replace(' ', '|')}|KR|RM|RP|RS)(?=\d)", re.IGNORECASE)  # EUR12
_NEAR_CHARS: Final = 12  # between a number and its currency, including this


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


def find_currency(text: str, number: FoundNumber, language: str | None) -> str | None:
    """Find the currency next to a number, before or behind it."""
    before = _BEFORE.search(text[max(0, number.start - _NEAR_CHARS) : number.start])
    named = before or _BEHIND.match(text[number.end : number.end + _NEAR_CHARS])
    return None if named is None else _name(named[1].upper(), language)


def _name(sign: str, language: str | None) -> str | None:
    by_language = _BY_LANGUAGE.get(sign)
    if by_language is None:
        return _SYMBOLS.get(sign, sign)
    language = language or ""
    short = language.partition("-")[0]
    return by_language.get(language) or by_language.get(short) or by_language.get("")


def _build(text: str, found: FoundNumber, currency: str | None) -> dict[str, Any]:
    if currency in _THREE_DECIMALS:
        again = find_numbers(text[found.start :], decimals=3, language="en")
        found = next(again, found)
    return {"amount": to_json(found.value), "currency": currency}
