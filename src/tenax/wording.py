"""Helpers for messages: numbers with their nouns, one period at the end, no Python terms."""

import re
import unicodedata

_ENUM_MEMBER = re.compile(r"<[\w.]+: ('[^']*'|[^<>]*)>")
_JSON_NAMES = {"dictionary": "object", "a valid list": "a list", "a valid tuple": "a list", "None": "null"}
_PYTHON_NAME = re.compile("|".join(rf"\b{name}\b" for name in _JSON_NAMES))


def count_of(number: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun: "1 url", "2,000 urls". `plural`: if it is not the noun with an s."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def fold_name(name: str) -> str:
    """Fold case and compatible characters, so that names that look alike are equal."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def as_sentence(text: str) -> str:
    """Add a period, unless the text, such as a message of a library, already ends with one."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def to_json_terms(message: str) -> str:
    """Reword a validator's message for a client that sent JSON: no enum members, no names of Python types."""
    return _PYTHON_NAME.sub(lambda found: _JSON_NAMES[found[0]], _ENUM_MEMBER.sub(r"\1", message))
