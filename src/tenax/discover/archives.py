"""Addresses of archives: what the known urls of a domain say about where its older pages are listed. Pure.

A pattern is a path with {Y} for a year, {MM} or {M} for a month, {n} for a number. Evidence is a place in a
pattern: (2025, 12), (2025, 0) for a whole year, (37, 0) for a number.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from tenax.records.guesses import KnownUrl
from tenax.web.urls import origin_of

Place = tuple[int, int]

_MOST_CHARS = 200
# Every repetition is bounded.
_DATED = re.compile(
    r"((?:/[^/?]{1,60}){0,3}?)/((?:19|20)[0-9]{2})(?:(/|-)(1[0-2]|0?[1-9]))?(?=/|$|-[0-3]?[0-9](?:/|$))(/?)"
)
_NUMBERED = re.compile(
    r"((?:/[^/?]{1,60}){0,2}?/(?:archives?|archiv|issues?|ausgaben?|numero|numeros|editions?|volumes?)[/-])"
    r"([0-9]{1,5})(/?)$",
    re.IGNORECASE,
)
_YEARLY = re.compile(r"(?:^|&)(?:year|jahr|annee|ano|anno|y)=((?:19|20)[0-9]{2})(?=&|$)", re.IGNORECASE)
_MONTHLY = re.compile(r"(?:^|&)(?:month|monat|mois|mes|mese|m)=(1[0-2]|0?[1-9])(?=&|$)", re.IGNORECASE)


class ArchivePlace(NamedTuple):
    pattern: str
    place: Place


class Evidence(NamedTuple):
    origin: str  # of most urls
    url_id: int  # one of them, from which guesses are said to come
    places: dict[str, set[Place]]  # by pattern


def find_archives(urls: Iterable[KnownUrl]) -> Evidence | None:
    """What these urls of a domain show; None: there are none."""
    origins: dict[str, list[int]] = {}
    places: dict[str, set[Place]] = {}
    for known in urls:
        origin = origin_of(known.url)
        origins.setdefault(origin, []).append(known.id)
        for found in list_archives(known.url[len(origin) :]):
            places.setdefault(found.pattern, set()).add(found.place)
    if not origins:
        return None
    origin = max(origins, key=lambda each: len(origins[each]))
    return Evidence(origin, min(origins[origin]), places)


def list_archives(path: str) -> list[ArchivePlace]:
    """The archives that a url belongs to, or is: of a year, of a month, by number."""
    if len(path) > _MOST_CHARS or "{" in path:
        return []
    path, _, query = path.partition("?")
    if query:
        return _list_by_query(path, query)
    if (numbered := _NUMBERED.match(path)) is not None and not _is_year(numbered[2]):
        return [ArchivePlace(f"{numbered[1]}{{n}}{numbered[3]}", (int(numbered[2]), 0))]
    dated = _DATED.match(path)
    return [] if dated is None else _list_by_date(path, dated)


def _is_year(digits: str) -> bool:
    return len(digits) == 4 and digits[:2] in ("19", "20")


def _list_by_date(path: str, match: re.Match[str]) -> list[ArchivePlace]:
    prefix, year_text, separator, month_text, slash = match.groups()
    year, is_whole = int(year_text), match.end() == len(path)
    end = slash if is_whole else "/"
    if separator == "-":
        # A post whose name begins with a date says nothing about archives.
        if not is_whole:
            return []
        return [ArchivePlace(f"{prefix}/{{Y}}-{_month_mark(month_text)}{end}", (year, int(month_text)))]
    found = [ArchivePlace(f"{prefix}/{{Y}}{end}", (year, 0))]
    if month_text:
        found.append(ArchivePlace(f"{prefix}/{{Y}}/{_month_mark(month_text)}{end}", (year, int(month_text))))
    return found


def _list_by_query(path: str, query: str) -> list[ArchivePlace]:
    yearly, monthly = _YEARLY.search(query), _MONTHLY.search(query)
    if yearly is None:
        return []
    spans = [(yearly.span(1), "{Y}")]
    if monthly is not None:
        spans.append((monthly.span(1), _month_mark(monthly[1])))
    for (start, end), mark in sorted(spans, reverse=True):
        query = query[:start] + mark + query[end:]
    return [ArchivePlace(f"{path}?{query}", (int(yearly[1]), int(monthly[1]) if monthly else 0))]


def _month_mark(month: str) -> str:
    # Whether 10, 11 and 12 have a leading zero cannot be told.
    return "{MM}" if month[0] == "0" or len(month) == 2 else "{M}"


def find_pattern(url: str) -> str:
    """The pattern of an address that is an archive itself; a path without a date is its own pattern."""
    path = url[len(origin_of(url)) :]
    for found in list_archives(path):
        if fill_pattern(found.pattern, found.place) == path:
            return found.pattern
    return path


def fill_pattern(pattern: str, place: Place) -> str:
    first, month = place
    path = pattern.replace("{Y}", str(first)).replace("{n}", str(first))
    return path.replace("{MM}", f"{month:02d}").replace("{M}", str(month))
