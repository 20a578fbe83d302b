"""A cache of the addresses that hrefs resolve to: a site repeats its links on every page."""

import re

from tenax.web.identity import url_key
from tenax.web.parameters import NO_NAMES, Names
from tenax.web.urls import Base, resolve, split_base

MEMORY_BYTES = 15_000_000
_PLACE_BYTES = 400
_HREF_BYTES = 300  # with its meaning, without the characters of both
LONGEST_REMEMBERED = 300
MAX_HREF = 16_384  # a longer one is not a link but an attack on the parser

Meaning = tuple[str, int]  # the address and its key
Meanings = dict[str, Meaning]  # by href
NOWHERE: Meaning = ("", 0)  # not crawlable
EVERYWHERE = ""

_CONTROLS_AND_SPACE = "".join(map(chr, range(33)))  # what URL parsers strip
_is_elsewhere = re.compile(r"(?:data|javascript|mailto|tel):", re.IGNORECASE).match


class Hrefs:
    """The cache: bounded, and shared by all pages that a worker reads."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES, keep: Names = NO_NAMES) -> None:
        self.keep = keep  # see parameters.drop_meaningless
        self._places: dict[str, Meanings] = {}  # by origin or folder, or EVERYWHERE
        self._memory_bytes = memory_bytes
        self._bytes = 0

    def for_page(self, base_url: str) -> "PageHrefs":
        base = split_base(base_url)
        folder = base.origin + base.directory
        return PageHrefs(self, base, self.place(base.origin), self.place(folder), self.place(EVERYWHERE))

    def place(self, name: str) -> Meanings:
        place = self._places.get(name)
        if place is None:
            self._bytes += _PLACE_BYTES + len(name)
            place = self._places[name] = {}
        return place

    def note(self, place: Meanings, href: str, meaning: Meaning) -> None:
        if len(href) > LONGEST_REMEMBERED:
            return
        if self._bytes >= self._memory_bytes:
            self._places.clear()
            self._bytes = 0
        self._bytes += _HREF_BYTES + len(href) + len(meaning[0])
        place[href] = meaning


class PageHrefs:
    """The cache for the hrefs of one page. `rooted` holds hrefs whose meaning depends on the origin,
    `relative` those that depend on the folder: look in both, then call `find`."""

    __slots__ = ("_base", "_everywhere", "_hrefs", "relative", "rooted")

    def __init__(
        self, hrefs: Hrefs, base: Base, rooted: Meanings, relative: Meanings, everywhere: Meanings
    ) -> None:
        self._hrefs = hrefs
        self._base = base
        self._everywhere = everywhere  # hrefs with scheme and host, which mean the same on every page
        self.rooted = rooted
        self.relative = relative

    def find(self, href: str) -> Meaning:
        """Find the meaning of an href that is in neither of them as written."""
        if meaning := self._everywhere.get(href):
            return meaning
        if href[:1] <= " " or href[-1] <= " ":
            href = href.strip(_CONTROLS_AND_SPACE)
        href = href.partition("#")[0]
        if not href or len(href) > MAX_HREF:
            return NOWHERE
        meaning = self.rooted.get(href) or self.relative.get(href) or self._everywhere.get(href)
        return meaning or self._resolve(href)

    def _resolve(self, href: str) -> Meaning:
        url = None if _is_elsewhere(href) else resolve(href, self._base, self._hrefs.keep)
        meaning = NOWHERE if url is None else (url, url_key(url))
        # A query without a path is relative to the page, not to its folder.
        if href[0] != "?":
            self._hrefs.note(self._choose_place(href), href, meaning)
        return meaning

    def _choose_place(self, href: str) -> Meanings:
        if href[0] == "/" or href.startswith(self._base.origin):
            return self.rooted
        if href.startswith(("http://", "https://")):
            return self._everywhere
        return self.relative
