"""What sentences for people have in common: numbers with their nouns, one full stop, no Python."""

import re
import unicodedata

_ENUM_MEMBER = re.compile(r"<[\w.]+: ('[^']*'|[^<>]*)>")
_JSON_NAMES = {"dictionary": "object", "a valid list": "a list", "a valid tuple": "a list", "None": "null"}
_PYTHON_NAME = re.compile("|".join(rf"\b{name}\b" for name in _JSON_NAMES))


def count_of(number: int, noun: str) -> str:
    """ "1 url", "2,000 urls"."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def fold_name(name: str) -> str:
    """Names that a person could take for each other by their case or spelling are one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def as_sentence(text: str) -> str:
    """With its full stop: what others say of their errors may bring one along."""
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def tell_in_json(message: str) -> str:
    """What a validator says, for whoever sent JSON: no members of classes, no names of Python's types."""
    return _PYTHON_NAME.sub(lambda found: _JSON_NAMES[found[0]], _ENUM_MEMBER.sub(r"\1", message))
