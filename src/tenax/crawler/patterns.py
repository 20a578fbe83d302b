"""Patterns of urls as users of a crawler write them, as settings of the scope."""

from collections.abc import Iterable

from tenax.errors import ConfigError
from tenax.items.patterns import check_pattern

_PLAIN = frozenset("/_-~:%=,@!;&'\"<> ")


def format_patterns(patterns: Iterable[str]) -> list[str]:
    """Regular expressions that match what `items/patterns.py` matches. Raises ConfigError."""
    if isinstance(patterns, str):
        raise ConfigError(f"Give a list of patterns, as in [{patterns!r}].")
    return [_format(pattern) for pattern in patterns]


def _format(pattern: str) -> str:
    if (fault := check_pattern(pattern)) is not None:
        raise ConfigError(f"A crawler cannot choose links so: {fault}")
    if "://" in pattern:
        return f"^{_translate(pattern, '.*')}$"
    if "?" in pattern:
        return f"^[a-z]+://[^/]*{_translate(pattern, '.*')}$"
    return f"^[a-z]+://[^/]*{_translate(pattern, '[^?]*')}(?:[?].*)?$"


def _translate(pattern: str, anything: str) -> str:
    return anything.join("".join(map(_quote, part)) for part in pattern.split("*"))


def _quote(character: str) -> str:
    return character if character.isalnum() or character in _PLAIN else f"\\{character}"
