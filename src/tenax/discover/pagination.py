"""Lists and their pages: which link of a page leads to the next one, and how the list is numbered. Pure.

Only links whose anchor or rel says "next" or is a number are examined, and they count only if their address
differs from that of the page by a page number. So calendars, next articles, chapters and variants of products
are left out.
"""

from collections.abc import Iterable, Mapping
from itertools import islice, pairwise
from typing import NamedTuple

from tenax.discover.next_words import NUMBERS, list_marks, list_next_words
from tenax.discover.page_numbers import (
    CURSOR_NAMES,
    PageOfList,
    bare_name,
    fill,
    list_readings,
    match_number,
    read_page_number,
)
from tenax.records.pages import PageLink
from tenax.web.identity import url_key
from tenax.web.urls import origin_of

_MOST_LINKS = 60  # that are examined
_LEAST_RUN = 2  # numbered links, where the place of the number is unknown
_MOST_UNKNOWN = 500  # greatest page number there

Links = Iterable[PageLink]


class FoundList(NamedTuple):
    """A page of a list, and what its links show about the others."""

    path: str
    pattern: str | None  # None: the next page has no number
    step: int
    number: int  # of this page
    last: int  # greatest number that it links to, or its own
    next_url: str | None


class _Numbered(NamedTuple):
    """A link that may lead to a page of the list."""

    page: PageOfList
    url: str
    anchor: int | None  # the number that it shows
    says_next: bool


def find_list(url: str, links: Mapping[int, PageLink]) -> FoundList | None:
    """Find out whether a page is part of a list; None: nothing shows that."""
    own, marks = read_page_number(url), list_marks()
    # The hottest line: nearly all links are dismissed here.
    spots = [link for link in links.values() if link[2] in marks or (link[1] and "next" in link[1])]
    if not spots and own is None:
        return None
    origin = origin_of(url)
    near = [spot for spot in islice(spots, _MOST_LINKS) if spot[0].startswith(origin) and spot[0] != url]
    found = _find_numbered(url, own, _read_links(near)) or _find_unknown(url, near) or _find_cursor(url, near)
    return found if own is None or (found and found.next_url) else _find_by_own(url, own, links, found)


def _find_by_own(
    url: str, own: PageOfList, links: Mapping[int, PageLink], found: FoundList | None
) -> FoundList:
    """By the number of the page itself: the next one may be linked in any words."""
    found = found or _build(own, 0 if own.is_offset else 1, {}, own.number)
    if found.pattern is None or not found.step:
        return found
    next_url = origin_of(url) + fill(found.pattern, found.number + found.step)
    if (link := links.get(url_key(next_url))) is None:
        return found
    return found._replace(next_url=link[0], last=max(found.last, found.number + found.step))


def says_next(link: PageLink) -> bool:
    return link[2] in list_next_words() or "next" in link[1].split()


def _read_links(links: Links) -> list[_Numbered]:
    found = []
    for link in links:
        page = read_page_number(link[0])
        if page is not None:
            found.append(_Numbered(page, link[0], NUMBERS.get(link[2]), says_next(link)))
    return found


def _find_numbered(url: str, own: PageOfList | None, links: list[_Numbered]) -> FoundList | None:
    """By numbers in places that are known for page numbers."""
    best: FoundList | None = None
    for pattern in dict.fromkeys(link.page.pattern for link in links):
        group = [link for link in links if link.page.pattern == pattern]
        if not _is_same_list(url, own, group):
            continue
        number = _find_own_number(own, pattern, url, group)
        numbers = {link.page.number: link.url for link in reversed(group)}
        step = _find_step(number, numbers) if group[0].page.is_offset else 1
        found = _build(group[0].page, step, numbers, number)
        if found.next_url is None:
            # A step that cannot be told from one link.
            pointed = [link for link in group if link.says_next and link.page.number > number]
            if pointed:
                found = found._replace(next_url=pointed[0].url)
        if best is None or (best.next_url is None and found.next_url is not None):
            best = found
    return best


def _is_same_list(url: str, own: PageOfList | None, group: list[_Numbered]) -> bool:
    """Whether the links lead to pages of this list, not of another one that the page mentions."""
    path = own.path if own is not None else url[len(origin_of(url)) :]
    other = group[0].page.path
    if _tidy(path) == _tidy(other):
        return True
    if _tidy(path.partition("?")[0]) == _tidy(other.partition("?")[0]):
        # It may add parameters, but not turn the page into another selection.
        return any(link.says_next or link.anchor is not None for link in group)
    # The home page is often page 1 of a list with a path of its own.
    return path == "/" and any(link.says_next and link.page.number == 2 for link in group)


def _tidy(path: str) -> str:
    path, mark, query = path.partition("?")
    for name in ("/index.html", "/index.php", "/index.htm"):
        path = path.removesuffix(name)
    return path.rstrip("/") + mark + query


def _find_own_number(own: PageOfList | None, pattern: str, url: str, group: list[_Numbered]) -> int:
    if own is not None and (number := match_number(pattern, url)) is not None:
        return number
    if group[0].page.is_offset:
        return 0
    # Some count from 0: their second page is number 1.
    starts_at_zero = any(link.anchor == link.page.number + 1 and link.anchor > 1 for link in group)
    points_to_one = any(link.says_next and link.page.number == 1 for link in group)
    return 0 if starts_at_zero or points_to_one else 1


def _find_step(number: int, numbers: Mapping[int, str]) -> int:
    places = sorted({number, *numbers})
    return min((after - before for before, after in pairwise(places)), default=0)


def _build(page: PageOfList, step: int, numbers: Mapping[int, str], number: int) -> FoundList:
    next_url = numbers.get(number + step) if step else None
    last = max([number, *numbers])
    return FoundList(page.path, page.pattern, step, number, last, next_url)


def _find_unknown(url: str, links: Links) -> FoundList | None:
    """By a run of numbered links whose addresses differ only in that number."""
    groups: dict[str, dict[int, str]] = {}
    pages: dict[str, PageOfList] = {}
    for link in links:
        shown = NUMBERS.get(link[2])
        if shown is None or shown > _MOST_UNKNOWN:
            continue
        for page in list_readings(link[0], shown):
            groups.setdefault(page.pattern, {})[shown] = link[0]
            pages[page.pattern] = page
    for pattern, numbers in groups.items():
        number = match_number(pattern, url) or 1
        is_run = len(numbers) >= _LEAST_RUN or (len(numbers) == 1 and number > 1)
        is_near = match_number(pattern, url) is not None or _is_above(url, pages[pattern].path)
        if is_run and is_near and (number + 1 in numbers or number - 1 in numbers):
            return _build(pages[pattern], 1, numbers, number)
    return None


def _is_above(url: str, path: str) -> bool:
    return _tidy(url[len(origin_of(url)) :]) == _tidy(path)


def _find_cursor(url: str, links: Links) -> FoundList | None:
    """By a link that says "next" and differs from the page in where it goes on."""
    address, _, query = url.partition("?")
    own = set(query.split("&"))
    for link in links:
        other, _, other_query = link[0].partition("?")
        if not says_next(link) or other != address or not other_query:
            continue
        changed = {part.partition("=")[0] for part in set(other_query.split("&")) - own}
        if changed and all(
            bare_name(name) in CURSOR_NAMES or name.lower() in CURSOR_NAMES for name in changed
        ):
            return FoundList(address[len(origin_of(url)) :], None, 1, 1, 1, link[0])
    return None


def has_pages(url: str, links: Mapping[int, PageLink]) -> bool:
    """Whether any link of the page leads to another page of its list, whatever its anchor says."""
    start = url.partition("?")[0].rstrip("/")
    return any(
        read_page_number(link[0]) is not None or "next" in link[1].split()
        for link in links.values()
        if link[0].startswith(start)
    )
