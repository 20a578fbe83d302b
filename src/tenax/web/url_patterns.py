"""Patterns on urls in which `*` stands for anything. Linear in the length of the url for each part of a
pattern, whatever both contain.
"""

from collections.abc import Sequence

from tenax.web.urls import origin_of


def matches(patterns: Sequence[str] | None, url: str) -> bool:
    """Whether one of the patterns matches a url. Empty: every url does; None: none does."""
    if not patterns:
        return patterns is not None
    path_and_query = url[len(origin_of(url)) :]
    path = path_and_query.partition("?")[0]
    return any(_matches(pattern, url, path, path_and_query) for pattern in patterns)


def _matches(pattern: str, url: str, path: str, path_and_query: str) -> bool:
    if "://" in pattern:
        return _match(pattern, url)
    return _match(pattern, path_and_query if "?" in pattern else path)


def _match(pattern: str, text: str) -> bool:
    """Each part is taken at its first place: if that fails, no other place succeeds."""
    first, *others = pattern.split("*")
    if not others:
        return pattern == text
    last = others.pop()
    if not text.startswith(first) or not text.endswith(last) or len(text) < len(first) + len(last):
        return False
    at, end = len(first), len(text) - len(last)
    for part in others:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True
