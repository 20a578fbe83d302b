"""Patterns on urls, in RE2: compiled within a budget, and asked as one.

RE2 matches in linear time, but compiling is another matter: a pattern of twenty characters can ask for a
program of a million instructions, and the interpreter stands still meanwhile, in whichever thread it is done.
So all patterns of an order share a budget. What can be told from a pattern's text is charged before it is
compiled, its program afterwards, and the first that goes beyond the budget is the last that is looked at.
"""

import re
from collections.abc import Sequence
from typing import Final, Protocol

import re2

from tenax.errors import ConfigError
from tenax.wording import as_sentence

MOST_PATTERNS: Final = 1000  # of an option
LONGEST_PATTERN: Final = 2000
# Of all patterns of an order. The worst that fit take 0.4 s to be compiled, 30 ms the worst single one.
MOST_WEIGHT: Final = 200_000
MOST_INSTRUCTIONS: Final = 100_000
# A pattern's program must fit into this, in bytes: 40,000 instructions or so.
PROGRAM_BYTES: Final = 1 << 20
FAILED_INSTRUCTIONS: Final = 20_000  # what it may have cost to see that one is bad
# Reading \p{L} takes as long as 500 plain characters: it stands for 600 ranges.
CLASS_WEIGHT: Final = 500
_UNICODE_CLASS: Final = re.compile(r"\\[pP]")
SHOWN_CHARS: Final = 80


class Regex(Protocol):
    programsize: int

    def search(self, text: bytes) -> object | None: ...


class BadPattern(ConfigError):
    """A pattern cannot be used."""


class PatternBudget:
    """What patterns may cost together. `orders`: how many orders share it."""

    def __init__(self, orders: int = 1) -> None:
        self._weight = orders * MOST_WEIGHT
        self._instructions = orders * MOST_INSTRUCTIONS

    def weigh(self, pattern: str) -> str | None:
        """Charge for its text. Says why it must not be compiled; None: it may."""
        if len(pattern) > LONGEST_PATTERN:
            return f"is longer than {LONGEST_PATTERN:,} characters"
        self._weight -= len(pattern) + CLASS_WEIGHT * len(_UNICODE_CLASS.findall(pattern))
        if self._weight < 0:
            return (
                f"is too much: all patterns together may have {MOST_WEIGHT:,} characters, of which a Unicode"
                f" class such as \\p{{L}} counts as {CLASS_WEIGHT}"
            )
        return self.charge(0)

    def charge(self, instructions: int) -> str | None:
        """Charge for its program. Says why it cannot be taken; None: it can."""
        self._instructions -= instructions
        if self._instructions < 0:
            return (
                f"is too much: all patterns together may compile to {MOST_INSTRUCTIONS:,} instructions; "
                "repeat less, or leave some out"
            )
        return None


class Patterns:
    """The patterns of one option, asked as one."""

    def __init__(self, option: str, patterns: Sequence[str], budget: PatternBudget) -> None:
        """Raises ConfigError for one that is bad."""
        if len(patterns) > MOST_PATTERNS:
            raise ConfigError(
                f"{option} has {len(patterns):,} patterns; at most {MOST_PATTERNS:,} are taken."
            )
        try:
            self._compiled = [(pattern, compile_pattern(pattern, budget)) for pattern in patterns]
        except BadPattern as error:
            raise ConfigError(as_sentence(f"{option} {error}")) from error
        # One search instead of one per pattern: which of them matched is asked only when one did. It has
        # more memory for what it learns while it searches.
        self._any: Regex = _compile("|".join(f"(?:{pattern})" for pattern in patterns), None)

    def find(self, url: str) -> str | None:
        """The first pattern that matches somewhere in the url."""
        # RE2 works on bytes, and the binding is 1.7 times as fast when it is given them.
        text = url.encode("utf-8", "replace")
        if self._any.search(text) is None:
            return None
        return next((pattern for pattern, regex in self._compiled if regex.search(text)), None)


def quote(pattern: str) -> str:
    return f"'{pattern}'" if len(pattern) <= SHOWN_CHARS else f"'{pattern[:SHOWN_CHARS]}…'"


def compile_pattern(pattern: str, budget: PatternBudget) -> Regex:
    """Raises BadPattern; what it says goes on after the name of an option."""
    if not pattern:
        raise BadPattern("is empty, which would match every URL")
    reason = budget.weigh(pattern)
    if reason is None:
        try:
            regex = _compile(pattern, PROGRAM_BYTES)
        except UnicodeEncodeError:
            reason = "is not a valid RE2 pattern: it is not valid Unicode"
        except re2.error as error:
            budget.charge(FAILED_INSTRUCTIONS)
            reason = _explain(error)
        else:
            reason = budget.charge(regex.programsize)
            if reason is None:
                return regex
    raise BadPattern(f"{quote(pattern)} {reason}")


def _compile(pattern: str, max_bytes: int | None) -> Regex:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    if max_bytes is not None:
        options.max_mem = max_bytes
    regex: Regex = re2.compile(pattern, options=options)
    return regex


def _explain(error: Exception) -> str:
    given = error.args[0] if error.args else str(error)
    reason = given.decode("utf-8", "replace") if isinstance(given, bytes) else str(given)
    if "too large" in reason:
        return f"is too large: its program would take more than {PROGRAM_BYTES:,} bytes; repeat less"
    return f"is not a valid RE2 pattern: {reason}"
