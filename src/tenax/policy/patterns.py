"""RE2 patterns on urls: compiled within a budget and matched as one.

RE2 matches in linear time, but compiling can be expensive: a pattern of twenty characters can need a program
of a million instructions, and the interpreter is blocked while it is compiled, in any thread. So all patterns
of a crawl share a budget. The text of a pattern is charged before it is compiled, its program afterwards, and
the first pattern beyond the budget ends the compilation.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import re2

from tenax.errors import ConfigError
from tenax.wording import as_sentence

MAX_PATTERNS: Final = 1000  # per option
MAX_PATTERN_CHARS: Final = 2000
# For all patterns of a crawl. The worst that fit take 0.4 s to compile, the worst single one 30 ms.
MAX_WEIGHT: Final = 200_000
MAX_INSTRUCTIONS: Final = 100_000
# Limit for the program of a pattern, in bytes: about 40,000 instructions.
PROGRAM_BYTES: Final = 1 << 20
FAILED_INSTRUCTIONS: Final = 20_000  # charged for a pattern that turns out to be invalid
# Parsing \p{L} takes as long as 500 plain characters: it stands for 600 ranges.
CLASS_WEIGHT: Final = 500
_UNICODE_CLASS: Final = re.compile(r"\\[pP]")
SHOWN_CHARS: Final = 80


class Regex(Protocol):
    programsize: int
    groups: int

    def search(self, text: bytes) -> object | None: ...

    def finditer(self, text: bytes) -> Iterator[Any]: ...  # of matches, if it was compiled to capture


class BadPattern(ConfigError):
    """The pattern cannot be used."""


class PatternBudget:
    """What patterns may cost together. `crawls`: how many crawls share it."""

    def __init__(self, crawls: int = 1) -> None:
        self._weight = crawls * MAX_WEIGHT
        self._instructions = crawls * MAX_INSTRUCTIONS

    def weigh(self, pattern: str) -> str | None:
        """Charge for a pattern's text. Returns why it must not be compiled; None: it may be."""
        if len(pattern) > MAX_PATTERN_CHARS:
            return f"is longer than {MAX_PATTERN_CHARS:,} characters"
        self._weight -= len(pattern) + CLASS_WEIGHT * len(_UNICODE_CLASS.findall(pattern))
        if self._weight < 0:
            return (
                f"is too much: all patterns together may have {MAX_WEIGHT:,} characters, and a Unicode class"
                f" such as \\p{{L}} counts as {CLASS_WEIGHT}"
            )
        return self.charge(0)

    def charge(self, instructions: int) -> str | None:
        """Charge for a pattern's program. Returns why it cannot be used; None: it can."""
        self._instructions -= instructions
        if self._instructions < 0:
            return (
                f"is too much: all patterns together may compile to {MAX_INSTRUCTIONS:,} instructions; "
                "repeat less, or leave some out"
            )
        return None


class Patterns:
    """The patterns of one option, matched as one."""

    def __init__(self, option: str, patterns: Sequence[str], budget: PatternBudget) -> None:
        """Raises ConfigError if one is invalid."""
        if len(patterns) > MAX_PATTERNS:
            raise ConfigError(
                f"{option} has {len(patterns):,} patterns; at most {MAX_PATTERNS:,} are allowed."
            )
        try:
            self._compiled = [(pattern, compile_pattern(pattern, budget)) for pattern in patterns]
        except BadPattern as error:
            raise ConfigError(as_sentence(f"{option} {error}")) from error
        # One search instead of one per pattern; which of them matched is determined only if one did. It has
        # more memory for its cache of states.
        self._any: Regex = _compile("|".join(f"(?:{pattern})" for pattern in patterns), None)

    def find(self, url: str) -> str | None:
        """Find the first pattern that matches anywhere in the url."""
        # RE2 works on bytes, and the binding is 1.7 times as fast if it gets bytes.
        text = url.encode("utf-8", "replace")
        if self._any.search(text) is None:
            return None
        return next((pattern for pattern, regex in self._compiled if regex.search(text)), None)


def quote(pattern: str) -> str:
    return f"'{pattern}'" if len(pattern) <= SHOWN_CHARS else f"'{pattern[:SHOWN_CHARS]}…'"


def compile_pattern(pattern: str, budget: PatternBudget, *, captures: bool = False) -> Regex:
    """Compile a pattern. `captures`: what its groups match is wanted. Raises BadPattern, whose message
    continues after the name of an option."""
    if not pattern:
        raise BadPattern("is empty, which would match every URL")
    reason = budget.weigh(pattern)
    if reason is None:
        try:
            regex = _compile(pattern, PROGRAM_BYTES, captures=captures)
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


def _compile(pattern: str, max_bytes: int | None, *, captures: bool = False) -> Regex:
    options = re2.Options()
    options.log_errors = False
    options.never_capture = not captures
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
