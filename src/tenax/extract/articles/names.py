"""Cleans names of authors as bylines and structured data write them."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from tenax.web.white_space import collapse

MAX_AUTHORS: Final = 20
_MAX_CHARS: Final = 60
_MAX_WORDS: Final = 6
_READ_CHARS: Final = 300

_BEFORE: Final = re.compile(
    r"^(?:(?:written|reported|posted|published|text|words|story)\s+)?"
    r"(?:by|von|par|por|di|door|av|af|przez|autor(?:e|a|in|es)?|authors?|auteur)\b[\s:]{0,3}",
    re.IGNORECASE,
)
_AND: Final = r"(?:and|und|et|y|e|en|och|og|i|with)"
_BETWEEN: Final = re.compile(rf"\s*(?:,\s*{_AND}\s|[,;|/•·\n、]|\s&|\s{_AND}\s)\s*", re.IGNORECASE)
_BEHIND: Final = re.compile(r"\s*(?:\(|\[|\s[-–—]\s|\bfor\b|\s@|https?:).*$", re.IGNORECASE | re.DOTALL)
_ADDRESS: Final = re.compile(r"https?:\S*|\S*@\S*", re.IGNORECASE)
_NO_NAME: Final = re.compile(r"@|https?:|www\.|\d|[<>{}=]")
# Words of what stands beside names: roles, agencies' markers, commands.
_WORDS: Final = frozenset(
    [
        "admin",
        "administrator",
        "anonymous",
        "author",
        "by",
        "contributor",
        "correspondent",
        "editor",
        "editors",
        "follow",
        "guest",
        "redaktion",
        "redacción",
        "redazione",
        "redakcja",
        "rédaction",
        "reporter",
        "staff",
        "unknown",
        "updated",
        "published",
        "writer",
        "read",
        "more",
        "senior",
        "associate",
        "chief",
        "editorial",
        "team",
    ]
)


def read_names(text: str) -> tuple[str, ...]:
    """The names in a byline, each once, in their order."""
    text = _BEFORE.sub("", _ADDRESS.sub(" ", collapse(text, _READ_CHARS)))
    return unique_names(_BETWEEN.split(text))


def unique_names(found: Iterable[str]) -> tuple[str, ...]:
    names: dict[str, str] = {}
    for each in found:
        if name := _clean(each):
            names.setdefault(name.casefold(), name)
    return tuple(names.values())[:MAX_AUTHORS]


def split_names(found: Iterable[str]) -> Iterator[str]:
    """Of values that should hold one name each, and often hold several."""
    for each in found:
        yield from read_names(each)


def _clean(text: str) -> str | None:
    name = _BEHIND.sub("", _BEFORE.sub("", collapse(text, _READ_CHARS))).strip(" .,:;-–—|'\"")
    words = name.casefold().split()
    if not 2 <= len(name) <= _MAX_CHARS or len(words) > _MAX_WORDS or _NO_NAME.search(name):
        return None
    if all(word in _WORDS for word in words) or not any(char.isalpha() for char in name):
        return None
    return name.title() if name.isupper() and len(name) > 4 else name
