"""The currencies of the world as shops write them: codes, signs, and what a sign means to whom."""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

_CODES: Final = (
    "AED AMD ARS AUD AZN BAM BDT BGN BHD BOB BRL BYN CAD CHF CLP CNY COP CRC CZK DKK DOP DZD EGP EUR"
    " GBP GEL GHS GTQ HKD HRK HUF IDR ILS INR IQD ISK JMD JOD JPY KES KRW KWD KZT LBP LKR MAD MDL MKD"
    " MUR MXN MYR NGN NOK NPR NZD OMR PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD"
    " TZS UAH UGX USD UYU UZS VND ZAR"
)
CODES: Final = frozenset(_CODES.split())
THREE_DECIMALS: Final = frozenset(("BHD", "IQD", "JOD", "KWD", "OMR", "TND"))
# Codes that are words, too: only in capitals.
_WORDS: Final = frozenset(("COP", "MAD", "PEN", "RON", "TRY", "BAM", "MUR"))
_SIGNS: Final = {
    "US$": "USD", "US $": "USD", "U$S": "USD", "CA$": "CAD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD",
    "NT$": "TWD", "MX$": "MXN", "C$": "CAD", "A$": "AUD", "R$": "BRL", "S$": "SGD",
    "€": "EUR", "£": "GBP", "₹": "INR", "₽": "RUB", "₴": "UAH", "₺": "TRY", "₩": "KRW", "₪": "ILS",
    "฿": "THB", "₫": "VND", "₦": "NGN", "₱": "PHP", "₸": "KZT", "₾": "GEL", "₼": "AZN", "৳": "BDT",
    "₡": "CRC", "₲": "PYG", "֏": "AMD", "元": "CNY", "円": "JPY", "원": "KRW", "บาท": "THB",
    "ZŁ": "PLN", "ZL": "PLN", "KČ": "CZK", "KC": "CZK", "LEI": "RON", "ЛВ": "BGN", "РУБ": "RUB",
    "РУБЛЕЙ": "RUB",
    "ГРН": "UAH", "TL": "TRY", "ТГ": "KZT", "FR.": "CHF", "SFR": "CHF", "EURO": "EUR", "EUROS": "EUR",
    "RM": "MYR", "RP": "IDR", "KSH": "KES", "S/": "PEN", "S/.": "PEN", "DHS": "AED",
    "ريال": "SAR", "ر.س": "SAR", "د.إ": "AED", "ج.م": "EGP", "جنيه": "EGP",
    "Đ": "VND", "VNĐ": "VND", "ДЕН": "MKD",
}  # fmt: skip
# What a sign means depends on who writes it, by language or by country; "": everybody else. A sign that
# means nothing to everybody else is a word to them.
_BY_WRITER: Final[dict[str, dict[str, str | None]]] = {
    "KR": {"sv": "SEK", "da": "DKK", "nb": "NOK", "nn": "NOK", "no": "NOK", "is": "ISK",
           ".se": "SEK", ".dk": "DKK", ".no": "NOK", ".is": "ISK"},
    "$": {"en-ca": "CAD", "fr-ca": "CAD", "en-au": "AUD", "en-nz": "NZD", "en-sg": "SGD", "es-mx": "MXN",
          "es-ar": "ARS", "es-cl": "CLP", "es-co": "COP", "zh-hk": "HKD", "zh-tw": "TWD", "es-uy": "UYU",
          ".ca": "CAD", ".au": "AUD", ".nz": "NZD", ".sg": "SGD", ".mx": "MXN", ".ar": "ARS", ".cl": "CLP",
          ".co": "COP", ".hk": "HKD", ".tw": "TWD", ".uy": "UYU", "": "USD"},
    "¥": {"zh": "CNY", ".cn": "CNY", "": "JPY"},
    "￥": {"zh": "CNY", ".cn": "CNY", "": "JPY"},
    "RS": {"ur": "PKR", "si": "LKR", "ne": "NPR", ".pk": "PKR", ".lk": "LKR", ".np": "NPR", ".mu": "MUR",
           "": "INR"},
    "₨": {".lk": "LKR", ".np": "NPR", ".in": "INR", ".mu": "MUR", "": "PKR"},
    "R": {"af": "ZAR", "en-za": "ZAR", ".za": "ZAR"},
    "FT": {"en": None, ".hu": "HUF", "": "HUF"},  # feet
    "KM": {"bs": "BAM", ".ba": "BAM"},
    "KN": {"hr": "HRK", ".hr": "HRK"},
    "DIN": {"sr": "RSD", ".rs": "RSD"},
    "Р": {"be": "BYN", ".by": "BYN", "ru": "RUB", ".ru": "RUB"},
    "BR": {".by": "BYN"},
    "DH": {".ma": "MAD", ".ae": "AED"},
    "D": {"vi": "VND", ".vn": "VND"},
    "BS": {".bo": "BOB"},
    "GS": {".py": "PYG"},
}  # fmt: skip
_EURO: Final = "at be cy de ee es fi fr gr ie it lt lu lv mt nl pt si sk hr"
_BY_COUNTRY: Final = {
    **dict.fromkeys(_EURO.split(), "EUR"),
    "uk": "GBP", "gb": "GBP", "us": "USD", "ca": "CAD", "au": "AUD", "nz": "NZD", "pl": "PLN", "cz": "CZK",
    "hu": "HUF", "ro": "RON", "bg": "BGN", "se": "SEK", "dk": "DKK", "no": "NOK", "is": "ISK", "ch": "CHF",
    "li": "CHF", "ru": "RUB", "ua": "UAH", "tr": "TRY", "in": "INR", "jp": "JPY", "cn": "CNY", "kr": "KRW",
    "br": "BRL", "mx": "MXN", "ar": "ARS", "cl": "CLP", "pe": "PEN", "za": "ZAR", "il": "ILS", "th": "THB",
    "vn": "VND", "id": "IDR", "my": "MYR", "sg": "SGD", "ph": "PHP", "hk": "HKD", "tw": "TWD", "ae": "AED",
    "sa": "SAR", "eg": "EGP", "ng": "NGN", "ke": "KES", "pk": "PKR", "by": "BYN", "kz": "KZT", "rs": "RSD",
}  # fmt: skip

_NAMES: Final = frozenset({*_SIGNS, *_BY_WRITER, *CODES})
# Whatever may be one of them, also of cents; those of letters as words.
_LETTERS: Final = "|".join(
    re.escape(name) for name in sorted({*_NAMES, "P", "CT"}) if name[0].isascii() and name[0].isalpha()
)
_OTHERS: Final = "|".join(
    re.escape(name) for name in sorted({*_NAMES, "¢"}) if not (name[0].isascii() and name[0].isalpha())
)
MARKS_PATTERN: Final = rf"{_OTHERS}|(?:^|[^a-z])(?:{_LETTERS})(?:[^a-z]|$)"
# Letters that need no space before the number: EUR12, Rs.1299.
JOINED_PATTERN: Final = rf"\b(?:{_CODES.replace(' ', '|')}|(?i:KR|RM|RP|RS|FR|US)\.?|R|KSh|Dhs)(?=\d)"


@lru_cache(4_096)
def is_currency(name: str) -> bool:
    """Whether it is a sign, or a code; in any case, unless it is a word of some language then."""
    capitals = name.upper()
    return capitals in _NAMES and (capitals not in _WORDS or name == capitals)


def name_currency(sign: str, language: str | None, country: str | None = None) -> str | None:
    """The code of a currency by its sign. `country`: the last label of a host. None: nobody knows."""
    sign = sign.upper()
    by_writer = _BY_WRITER.get(sign)
    if by_writer is None:
        return _SIGNS.get(sign, sign if sign in CODES else None)
    language = language or ""
    short = language.partition("-")[0]
    names = (language, f".{country}", short, f".{language.rpartition('-')[2]}", "")
    return next((by_writer[name] for name in names if name in by_writer), None)


def read_code(text: object) -> str | None:
    """The code that structured data gives, which may be a sign."""
    if not isinstance(text, str):
        return None
    text = text.strip().upper()
    if re.fullmatch("[A-Z]{3}", text):
        return text
    return name_currency(text, None) if text else None


def find_country(url: str) -> str | None:
    """The country that an address names in its host: shop.example.co.uk. The host `.co` is Colombia's only in
    name."""
    try:
        label = (urlsplit(url).hostname or "").rpartition(".")[2]
    except ValueError:
        return None
    return label if len(label) == 2 and label not in ("co", "io", "tv", "me", "ai", "cc") else None


def currency_of(country: str | None) -> str | None:
    """What people pay with there; None: no country is known."""
    return _BY_COUNTRY.get(country or "")
