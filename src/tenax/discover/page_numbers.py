"""Addresses as pages of lists: where the page number is, and what the others look like. Pure.

Only the common forms are known by name. A number elsewhere may be a product, a post, a day or a chapter: it
counts as a page number only if several links show that (pagination.py).
"""

import re
from typing import NamedTuple

from tenax.web.urls import origin_of

MARK = "{n}"
_MOST_DIGITS = 6
MOST_CHARS = 500  # of a pattern

PAGE_NAMES = frozenset(
    [
        "page",
        "paged",
        "pg",
        "p",
        "pn",
        "pagenum",
        "pageno",
        "page_no",
        "page-no",
        "pagenumber",
        "page_number",
        "pageindex",
        "page_index",
        "paginate",
        "pagination",
        "currentpage",
        "current_page",
        "seite",
        "pagina",
        "pag",
        "sida",
        "side",
        "strona",
        "stranka",
        "sivu",
        "oldal",
        "sayfa",
        "страница",
        "pageid",
        "paging",
    ]
)
# Their numbers count entries.
OFFSET_NAMES = frozenset(
    ["offset", "start", "skip", "from", "startindex", "start_index", "first", "limitstart", "startrow", "pos"]
)
CURSOR_NAMES = frozenset(
    [
        "after",
        "cursor",
        "token",
        "page_token",
        "pagetoken",
        "continue",
        "continuation",
        "max_id",
        "since_id",
        "next",
        "before",
        "starting_after",
        "lastid",
        "last_id",
        "marker",
        "scroll_id",
        "key",
    ]
)
# Numbers of these are not those of pages, whatever the anchors say.
OTHER_NAMES = frozenset(
    [
        "variant",
        "color",
        "colour",
        "size",
        "qty",
        "quantity",
        "rating",
        "stars",
        "star",
        "sort",
        "order",
        "view",
        "tab",
        "slide",
        "image",
        "img",
        "photo",
        "pic",
        "step",
        "year",
        "month",
        "day",
        "date",
        "week",
        "cal",
        "y",
        "m",
        "d",
        "jahr",
        "monat",
        "mois",
        "annee",
        "mes",
        "ano",
        "giorno",
        "mese",
        "anno",
        "lang",
        "chapter",
        "question",
        "level",
        "season",
        "episode",
        "vol",
        "volume",
        "issue",
        "id",
        "item",
        "article",
        "story",
        "post",
        "cpage",
        "comment",
    ]
)
_OTHER_WORDS = (
    "chapter|kapitel|chapitre|capitulo|cap|episode|folge|season|part|teil|lesson|lektion|step|slide|image|img|"
    "photo|foto|bild|question|level|day|tag|week|vol|volume|issue|ausgabe|variant|size|comment|comments"
)
# /news/page/2, /news/page2, /news/page-2.html, /news-seite-2, /index_2.html. No unbounded repetitions.
_IN_PATH = re.compile(
    r"(?<![a-z])(?<!comment-)(?:page|paged|pagina|pag|seite|sida|side|strona|stranka|sivu|oldal|sayfa|pg|p)"
    r"[/_=-]?([0-9]{1,6})(?=/?$|\.[a-z]{3,5}$)"
    r"|/(?:index|list)[_-]?([0-9]{1,6})(?=\.[a-z]{3,5}$)",
    re.IGNORECASE,
)
_POST_OF_WORDPRESS = 3  # digits: `p` is a post if it is long and a page of a list if it is short
_DATED = re.compile(r"/(?:19|20)[0-9]{2}(?:[/-]|$)")
_OTHER_PATH = re.compile(
    rf"(?<![a-z])(?:{_OTHER_WORDS})[/_=-]?[0-9]{{0,6}}(?:/?$|\.[a-z]{{3,5}}$)", re.IGNORECASE
)
_NUMBER = re.compile(r"(?<![0-9])[0-9]{1,6}(?![0-9])")
# What is left of a path when its page number is taken out.
_REST = re.compile(
    r"[/_=-]*(?:page|paged|pagina|pag|seite|sida|side|strona|stranka|sivu|oldal|sayfa|pg|p)?[/_=-]*$", re.I
)


class PageOfList(NamedTuple):
    """An address that is a page of a list."""

    path: str  # of the list: without the number
    pattern: str
    number: int
    is_offset: bool = False


def read_page_number(url: str) -> PageOfList | None:
    """Read an address as a page of a list; None: it has no number in a place that is known for that."""
    place = url[len(origin_of(url)) :]
    if len(place) > MOST_CHARS:
        return None
    path, _, query = place.partition("?")
    if query and (found := _read_query(path, query)) is not None:
        return found
    match = _IN_PATH.search(path)
    if match is None:
        return None
    start, end = match.span(match.lastindex or 1)
    suffix = f"?{query}" if query else ""
    before = path[: match.start()].rstrip("/_-") or "/"
    return PageOfList(before + suffix, path[:start] + MARK + path[end:] + suffix, int(path[start:end]))


def _read_query(path: str, query: str) -> PageOfList | None:
    parts = query.split("&")
    for place, part in enumerate(parts):
        name, _, value = part.partition("=")
        if not value.isascii() or not value.isdigit() or len(value) > _MOST_DIGITS:
            continue
        word = bare_name(name)
        is_offset = word in OFFSET_NAMES
        if not is_offset and (word not in PAGE_NAMES or (word == "p" and len(value) > _POST_OF_WORDPRESS)):
            continue
        others = parts[:place] + parts[place + 1 :]
        rest = f"{path}?{'&'.join(others)}" if others else path
        pattern = "&".join([*parts[:place], f"{name}={MARK}", *parts[place + 1 :]])
        return PageOfList(rest, f"{path}?{pattern}", int(value), is_offset)
    return None


def bare_name(name: str) -> str:
    """The telling part of a parameter's name: `page` of `page[number]`, `tx[currentPage]`, `query-3-page`."""
    name = name.lower().replace("%5b", "[").replace("%5d", "]")
    if name.endswith("[number]"):
        name = name[: -len("[number]")]
    name = name.rstrip("]").rpartition("[")[2]
    if name in PAGE_NAMES or name in OFFSET_NAMES:
        return name
    return name.rpartition("-")[2] if "-" in name else name.rpartition("_")[2]


def list_readings(url: str, number: int) -> list[PageOfList]:
    """Readings of an address by any number that is equal to this one: for runs of numbered links."""
    place = url[len(origin_of(url)) :]
    path, _, _query = place.partition("?")
    if len(place) > MOST_CHARS or _DATED.search(path) or _OTHER_PATH.search(path):
        return []
    found = []
    for match in _NUMBER.finditer(place):
        if int(match[0]) != number or _is_of_other(place, match.start()):
            continue
        pattern = place[: match.start()] + MARK + place[match.end() :]
        found.append(PageOfList(_drop_number(place, match), pattern, number))
    return found[-1:]


def _is_of_other(place: str, start: int) -> bool:
    """Whether the number is the value of a parameter that means something else."""
    before = place[:start]
    if "?" not in before:
        return False
    name, equals, _ = before[max(before.rfind("?"), before.rfind("&")) + 1 :].partition("=")
    return not equals or bare_name(name) in OTHER_NAMES


def _drop_number(place: str, match: re.Match[str]) -> str:
    before, after = place[: match.start()], place[match.end() :]
    if "?" in before:
        start = max(before.rfind("?"), before.rfind("&"))
        return before[:start] + (after if before[start] == "&" or not after else "?" + after[1:])
    return _REST.sub("", before) + ("" if after.startswith((".", "/")) else after) or "/"


def fill(pattern: str, number: int) -> str:
    return pattern.replace(MARK, str(number))


def match_number(pattern: str, url: str) -> int | None:
    """The number of an address that has this pattern; None: it has not."""
    before, mark, after = pattern.partition(MARK)
    place = url[len(origin_of(url)) :]
    digits = place[len(before) : len(place) - len(after)]
    if not mark or not place.startswith(before) or not place.endswith(after):
        return None
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS else None
