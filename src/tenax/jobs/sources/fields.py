"""The types of the fields of a source definition, with their checks."""

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Annotated, Final

from pydantic import AfterValidator, Field, ValidationInfo

from tenax.config.fetch import MAX_SELECTORS
from tenax.errors import ConfigError
from tenax.extract.signatures import check_signature
from tenax.policy.patterns import MAX_PATTERN_CHARS, MAX_PATTERNS, BadPattern, PatternBudget, compile_pattern
from tenax.web.parameters import ALL_NAMES
from tenax.web.request_headers import find_header_fault
from tenax.web.selectors import parse_selector
from tenax.web.urls import parse_url
from tenax.wording import as_sentence

LONGEST_URL: Final = 2000


class Day(StrEnum):
    MON = "mon"
    TUE = "tue"
    WED = "wed"
    THU = "thu"
    FRI = "fri"
    SAT = "sat"
    SUN = "sun"


def check_name(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError(
            "A name must be one line of printable characters without leading or trailing spaces."
        )
    return name


def check_text(text: str) -> str:
    """Reject lone surrogates, which are not text, and NUL, which databases cannot store."""
    if "\0" in text or text.encode("utf-8", "replace").decode() != text:
        raise ValueError("It contains a character that is not valid text.")
    return text


def _check_line(text: str) -> str:
    if not text.isprintable():
        raise ValueError("It must be one line of printable characters.")
    return text


def _normalize_seed(text: str) -> str:
    url = parse_url(text.strip(), keep=ALL_NAMES)  # the scope is not known yet
    if url is None:
        raise ValueError(f"{text[:100]!r} is not an http or https URL.")
    if len(url) > LONGEST_URL:
        raise ValueError(f"It is longer than {LONGEST_URL:,} characters.")
    return url


def _check_pattern(pattern: str, info: ValidationInfo) -> str:
    """Compile the pattern only if a budget limits the cost: other callers must not be blocked by it."""
    if isinstance(info.context, PatternBudget):
        try:
            compile_pattern(pattern, info.context)
        except BadPattern as error:
            raise ValueError(as_sentence(str(error))) from error
    return pattern


def check_by(parse: Callable[[str], object], text: str) -> str:
    try:
        parse(text)
    except ConfigError as error:
        raise ValueError(str(error)) from error
    return text


def check_headers(headers: Mapping[str, str]) -> Mapping[str, str]:
    faults = [fault for name, value in headers.items() if (fault := find_header_fault(name, value))]
    if faults:
        raise ValueError(" ".join(faults))
    if len({name.lower() for name in headers}) < len(headers):
        raise ValueError("A header is given twice.")
    return headers


Pattern = Annotated[
    str, Field(max_length=MAX_PATTERN_CHARS), AfterValidator(check_text), AfterValidator(_check_pattern)
]
Patterns = Annotated[tuple[Pattern, ...], Field(max_length=MAX_PATTERNS)]
Selector = Annotated[str, AfterValidator(partial(check_by, parse_selector))]
SignatureName = Annotated[str, AfterValidator(partial(check_by, check_signature))]
Selectors = Annotated[tuple[Selector, ...], Field(max_length=MAX_SELECTORS)]
Seed = Annotated[str, Field(max_length=4 * LONGEST_URL), AfterValidator(_normalize_seed)]
Line = Annotated[str, Field(min_length=1, max_length=300), AfterValidator(_check_line)]
TimeOfDay = Annotated[str, Field(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$", examples=["08:30"])]
