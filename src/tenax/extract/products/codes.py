"""Numbers that identify products all over the world."""

import re
from typing import Final

_LENGTHS: Final = (8, 12, 13, 14)
_NOT_DIGITS: Final = re.compile(r"[\s-]+")
_PREFIX: Final = re.compile(
    r"^(?:urn:)?(?:gtin(?:-?\d+)?|ean(?:-?\d+)?|upc|isbn(?:-?1[03])?):? *", re.IGNORECASE
)


def read_gtin(text: str, *, is_named: bool = True) -> str | None:
    """A GTIN with a valid check digit; an ISBN of ten characters becomes one. `is_named`: something says that
    it is one. Otherwise it must be as long as those of products in shops, since one in ten numbers passes."""
    text = text.strip()
    has_prefix = _PREFIX.match(text) is not None
    code = _NOT_DIGITS.sub("", _PREFIX.sub("", text))
    if not is_named and not has_prefix and len(code) != 13:
        return None
    if len(code) == 10 and (is_named or has_prefix):
        return _read_isbn(code)
    if len(code) not in _LENGTHS or not (code.isascii() and code.isdigit()) or not int(code):
        return None
    return code if _find_check_digit(code[:-1]) == int(code[-1]) else None


def _find_check_digit(digits: str) -> int:
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(digits)))
    return -total % 10


def _read_isbn(code: str) -> str | None:
    if re.fullmatch(r"\d{9}[\dXx]", code, re.ASCII) is None:
        return None
    values = [10 if char in "Xx" else int(char) for char in code]
    if sum(value * weight for value, weight in zip(values, range(10, 0, -1), strict=True)) % 11:
        return None
    digits = f"978{code[:9]}"
    return f"{digits}{_find_check_digit(digits)}"
