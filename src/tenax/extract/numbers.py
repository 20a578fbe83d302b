"""Reads numbers as people write them: 1,299.00 and 1.299,00 and 1 299,00 and 1'299.-"""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from tenax.record import record

SEARCHED_CHARS: Final = 1_000
MAX_DIGITS: Final = 18  # so that it is the same as a number of JSON

# Spaces and apostrophes only separate thousands. \d is any digit, such as those of Arabic.
_THOUSANDS: Final = "  \u00a0\u2009\u202f'’٬"
_WITHOUT_THOUSANDS: Final = dict.fromkeys(map(ord, _THOUSANDS))
_NUMBER: Final = re.compile(
    rf"[\d](?<![\w.,].)\d{{0,19}}+(?:[{_THOUSANDS}]\d{{3}}(?!\d))*+(?:[.,٫]\d{{1,20}}+)*+"
)
_GROUPED: Final = re.compile(r"\d{1,3}(?:[.,]\d{2,3})*+[.,]\d{3}")  # India writes 1,29,999
# Where a comma separates decimals, a point separates thousands.
_LANGUAGES: Final = (
    "az be bg bs ca cs da de el es et eu fi fr gl hr hu hy id is it ka kk lt lv mk nb nl nn no pl pt ro ru sk"
    " sl sq sr sv tr uk uz vi"
)
_COMMA_LANGUAGES: Final = frozenset(_LANGUAGES.split())


@record
class FoundNumber:
    value: Decimal
    start: int  # where it is in its text
    end: int


def find_numbers(text: str, *, decimals: int = 2, language: str | None = None) -> Iterator[FoundNumber]:
    """Find numbers in a text without their signs. `decimals`: how many digits a single separator is expected
    to be followed by; three after one mean thousands, unless three are expected or the language says so."""
    return iter_numbers(text[:SEARCHED_CHARS], decimals=decimals, language=language)


def iter_numbers(text: str, *, decimals: int = 2, language: str | None = None) -> Iterator[FoundNumber]:
    """The same for a text of any length."""
    for start, end in find_spans(text):
        value = read_number(text[start:end], decimals, language)
        if value is not None:
            yield FoundNumber(value=value, start=start, end=end)


def find_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where there may be numbers."""
    return (found.span() for found in _NUMBER.finditer(text))


def parse_number(text: str, language: str | None = None) -> int | float | None:
    """Read the first number of a text. None: it has none, or its meaning is not certain."""
    found = next(find_numbers(text, decimals=3, language=language), None)
    if found is None:
        return None
    return to_json(-found.value if _is_negative(text, found.start) else found.value)


def read_count(text: str) -> int | None:
    """Read the first number of a text that counts things: 1.234 and 1,234 are whole numbers."""
    span = next(find_spans(text[:SEARCHED_CHARS]), None)
    if span is None or text[: span[0]].endswith(("-", "−")):
        return None
    written = text[span[0] : span[1]].rstrip(".,").translate(_WITHOUT_THOUSANDS)
    if _GROUPED.fullmatch(written):
        written = re.sub("[.,]", "", written)
    value = read_number(written)
    return int(value) if value is not None and value == value.to_integral_value() else None


def to_json(value: Decimal) -> int | float:
    """The same number for 12, 12.0 and 12.00."""
    return int(value) if value == value.to_integral_value() else float(value)


def _is_negative(text: str, start: int) -> bool:
    """A minus at its beginning, not the dash of a range or of a word."""
    before = text[:start]
    return before.endswith(("-", "−")) and not before[:-1].rstrip()[-1:].isalnum()


def read_number(written: str, decimals: int = 2, language: str | None = None) -> Decimal | None:
    """Read what `find_spans` found. None: it is no number."""
    written = written.replace("٫", ".").translate(_WITHOUT_THOUSANDS)
    if sum(map(str.isdigit, written)) > MAX_DIGITS:
        return None
    separators = [char for char in written if char in ".,"]
    if not separators:
        return Decimal(written)
    mark = _find_mark(written, separators, decimals, language)
    whole, _, fraction = written.rpartition(mark) if mark else (written, "", "")
    groups = re.split("[.,]", whole)
    # 19.99.2024 is no number. India writes 1,29,999.
    if not all(len(group) in (2, 3) for group in groups[1:]) or (len(groups) > 1 and len(groups[-1]) != 3):
        return None
    return Decimal(f"{''.join(groups)}.{fraction or 0}")


def _find_mark(written: str, separators: list[str], decimals: int, language: str | None) -> str | None:
    """The last separator, unless it separates thousands."""
    last = separators[-1]
    if len(set(separators)) > 1:
        return last if separators.count(last) == 1 else None
    if len(separators) > 1:
        return None
    whole, _, fraction = written.partition(last)
    if len(fraction) != 3 or len(whole) > 3 or whole.startswith("0"):
        return last
    if decimals != 3:
        return None
    uses_comma = (language or "").partition("-")[0] in _COMMA_LANGUAGES
    return last if (last == ",") == uses_comma else None
