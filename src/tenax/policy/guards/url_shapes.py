"""The shape of a url: what it has in common with others like it.

    /calendar/2031/05          /calendar/{n}/{n}
    /s/3f9a8b7c6d5e/item       /s/{id}/*
    /shop?color=red&size=4     /shop?color&size, and /shop?* with all other combinations
    /a/b/a/b/a/b               /a/b/{repeated}

Every page has its shape computed, so this is two regular expressions and a few splits: 2 to 3 µs.
"""

import re
from collections import Counter
from typing import NamedTuple

from tenax.web.urls import origin_of

MOST_SEGMENTS = 4  # of a path; what is deeper has the shape of its first ones
FIRST_SEGMENTS = 2
MOST_NAMES = 8  # of parameters
LEAST_REPEATS = 3  # of a segment: twice is common, as in /en/docs/en

# Linear: each alternative is bounded by its segment.
_NUMBERS = re.compile(r"/[0-9][0-9._-]*(?=/|$)")
_IDS = re.compile(
    r"/(?:[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}"
    r"|(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8,}"
    r"|(?=[A-Za-z]*[0-9])[0-9A-Za-z]{16,})(?=/|$)"
)
_HAS_DIGIT = re.compile(r"[0-9]").search
_INDEX = re.compile(r"[\[(]?[0-9]*[\])]?$")  # of an array: f[0], f[]


def is_id(segment: str) -> bool:
    """Whether a segment of a path looks like a generated id. Numbers do not: they are names of pages."""
    return len(segment) >= 8 and not segment.isdigit() and _IDS.fullmatch("/" + segment) is not None


class UrlShape(NamedTuple):
    name: str
    family: str | None  # of all urls with this path and any parameters; None: it has no parameters
    prefix: str  # with which all urls of this shape begin; longer than its origin, unless `is_wide`
    is_wide: bool  # the prefix says nothing: urls of any shape begin with it
    is_repeating: bool
    names: tuple[str, ...]  # of its parameters


def shape_of(url: str) -> UrlShape:
    """`url`: an address."""
    origin = origin_of(url)
    path, _, query = url[len(origin) :].partition("?")
    if _HAS_DIGIT(path):
        path = _IDS.sub("/{id}", _NUMBERS.sub("/{n}", path))
    segments = path.strip("/").split("/")
    if len(segments) > 2 and (repeated := _find_repeated(segments)) is not None:
        name = "/" + "/".join([*segments[: min(repeated, FIRST_SEGMENTS)], "{repeated}"])
        return UrlShape(name, None, _find_prefix(origin, name), False, True, ())
    names = _list_names(query) if query else ()
    name = _shorten(segments, keeps_last=bool(names))
    prefix = _find_prefix(origin, name)
    if not names:
        return UrlShape(name, None, prefix, len(prefix) <= len(origin) + 1, False, ())
    if prefix == origin + name:
        prefix += "?"
    is_wide = len(prefix) <= len(origin) + 1
    return UrlShape(f"{name}?{'&'.join(names)}", f"{name}?*", prefix, is_wide, False, names)


def _shorten(segments: list[str], *, keeps_last: bool) -> str:
    if len(segments) > MOST_SEGMENTS:
        return "/" + "/".join([*segments[:FIRST_SEGMENTS], "**"])
    if not keeps_last and segments[-1] not in ("", "{n}", "{id}"):
        segments = [*segments[:-1], "*"]
    return "/" + "/".join(segments)


def _find_repeated(segments: list[str]) -> int | None:
    """The place of the first segment that is a repetition, if one is there often enough."""
    words = [segment for segment in segments if segment not in ("{n}", "{id}")]
    if len(set(words)) == len(words) or max(Counter(words).values()) < LEAST_REPEATS:
        return None
    return next(place for place, word in enumerate(segments) if word in words and word in segments[:place])


def _find_prefix(origin: str, name: str) -> str:
    """What is written out at the beginning of a shape."""
    ends = [place for mark in "{*" if (place := name.find(mark)) >= 0]
    return origin + (name[: min(ends)] if ends else name)


def _list_names(query: str) -> tuple[str, ...]:
    found = {_INDEX.sub("", part.partition("=")[0].lower()) for part in query.split("&") if part}
    return tuple(sorted(found)[:MOST_NAMES])
