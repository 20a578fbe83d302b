"""Patterns of guesses as users write them."""

from enum import StrEnum

from tenax.errors import ConfigError
from tenax.records.guesses import GuessState

MOST_CHARS = 500
_ARCHIVE_MARKS = ("{Y}", "{MM}", "{M}", "{n}")


class ChosenState(StrEnum):
    """What a user can say about a pattern."""

    VALID = "valid"  # guess by it
    OFF = "off"  # never

    @property
    def state(self) -> GuessState:
        return GuessState(self.value)


def check_list_pattern(pattern: str) -> str:
    """Check the pattern of a list and return the path that it belongs to. Raises ConfigError."""
    _check(pattern)
    if pattern.count("{n}") != 1 or pattern.count("{") != 1:
        raise ConfigError(
            f"{pattern[:100]!r} needs {{n}} where the page number is, once, as in '/news?page={{n}}'."
        )
    before, _, after = pattern.partition("{n}")
    path, mark, query = before.partition("?")
    if not mark:
        return path.rpartition("/page/")[0] or path.rstrip("/") or "/"
    others = [part for part in (query + after).split("&") if part and not part.endswith("=")]
    return f"{path}?{'&'.join(others)}" if others else path


def check_archive_pattern(pattern: str) -> None:
    """Raises ConfigError."""
    _check(pattern)
    rest = pattern
    for mark in _ARCHIVE_MARKS:
        rest = rest.replace(mark, "", 1)
    if "{" in rest or "}" in rest:
        raise ConfigError(
            f"{pattern[:100]!r} may have {', '.join(_ARCHIVE_MARKS)}, each once, as in '/{{Y}}/{{MM}}/'."
        )


def _check(pattern: str) -> None:
    if not pattern.startswith("/") or len(pattern) > MOST_CHARS or any(each.isspace() for each in pattern):
        raise ConfigError(
            f"{pattern[:100]!r} is not a path: it begins with '/', has no spaces and at most {MOST_CHARS}"
            " characters."
        )
