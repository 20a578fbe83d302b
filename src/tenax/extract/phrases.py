"""Lists of phrases that are searched for in texts of pages, compiled when they are first needed. Of hundreds
of words as one pattern, RE2 finds any in one pass; the expressions of Python try one after the other.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any, Final

import re2

_PROGRAM_BYTES: Final = 8 << 20
_KNOWN_NAMES: Final = 4_096  # what is remembered of each list: shops repeat the names of their classes
# Letters and digits of alphabets that part words. With all of Unicode, compiling takes 50 times as long.
_LETTERS: Final = r"a-z0-9_\x{df}-\x{24f}\x{400}-\x{52f}"
# RE2 looks neither back nor ahead: what is there is made part of what is found.
_EDGES: Final = {
    "(?<![a-z])": "(?:^|[^a-z])",
    "(?![a-z])": "(?:[^a-z]|$)",
    "(?<![A-Za-z])": "(?:^|[^A-Za-z])",
    "(?![A-Za-z])": "(?:[^A-Za-z]|$)",
    r"(?<!\w)": rf"(?:^|[^{_LETTERS}])",
    r"(?!\w)": rf"(?:[^{_LETTERS}]|$)",
    r"\W": rf"[^{_LETTERS}]",
    r"\w": rf"[{_LETTERS}]",
}


def _translate(pattern: str) -> str:
    for edge, meaning in _EDGES.items():
        pattern = pattern.replace(edge, meaning)
    return pattern


def _build_options(*, is_case_sensitive: bool = True) -> Any:
    options = re2.Options()
    options.max_mem = _PROGRAM_BYTES
    options.log_errors = False
    options.case_sensitive = is_case_sensitive
    return options


class PhraseList:
    """Alternatives in lower case, with edges of words written as `(?<!\\w)` and `(?!\\w)`, those of names of
    classes as `(?<![a-z])` and `(?![a-z])`."""

    def __init__(self, pattern: str, *, is_case_sensitive: bool = True) -> None:
        self.pattern = _translate(pattern)
        self.search_name = lru_cache(_KNOWN_NAMES)(self.search)
        self._is_case_sensitive = is_case_sensitive

    @cached_property
    def _compiled(self) -> Any:
        return re2.compile(self.pattern, _build_options(is_case_sensitive=self._is_case_sensitive))

    def search(self, text: str) -> bool:
        return self._compiled.search(text.lower().encode("utf-8", "replace")) is not None

    def finds(self, text: str) -> bool:
        """Whether a text as it is written has one."""
        return self._compiled.search(text.encode("utf-8", "replace")) is not None

    def find(self, text: str, group: int = 0) -> Iterator[tuple[int, int]]:
        """Where in a text as it is written phrases begin and end."""
        body = text.encode("utf-8", "replace")
        last = offset = 0
        for found in self._compiled.finditer(body):
            start, end = found.span(group)
            offset += len(body[last:start].decode("utf-8", "replace"))
            last = start
            yield offset, offset + len(body[start:end].decode("utf-8", "replace"))


class PhraseSet:
    """Several lists, of which one pass finds those that have a phrase in a text."""

    def __init__(self, lists: Mapping[str, PhraseList]) -> None:
        self._names = tuple(lists)
        self._patterns = [each.pattern for each in lists.values()]

    @cached_property
    def _compiled(self) -> Any:
        found = re2.Set.SearchSet(_build_options())
        for pattern in self._patterns:
            found.Add(pattern)
        found.Compile()
        return found

    def find(self, text: str) -> frozenset[str]:
        matched = self._compiled.Match(text.lower().encode("utf-8", "replace"))
        return frozenset(self._names[each] for each in matched) if matched else _NONE


_NONE: Final[frozenset[str]] = frozenset()
