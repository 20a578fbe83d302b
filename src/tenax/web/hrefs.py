"""What the hrefs of pages mean, remembered: a site repeats its links on every page."""

import re

from tenax.web.urls import normalize, origin_of, url_key

REMEMBERED = 50_000  # about 15 MB
LONGEST_REMEMBERED = 300
MAX_HREF = 16_384  # a longer one is no link but an attack on the parser

Meaning = tuple[str, int]  # the normal url and its key
NOWHERE: Meaning = ("", 0)  # nothing that can be crawled
EVERYWHERE = ""

_CONTROLS_AND_SPACE = "".join(map(chr, range(33)))  # what URL parsers strip
_is_elsewhere = re.compile(r"#|(?:data|javascript|mailto|tel):", re.IGNORECASE).match


class Hrefs:
    """Bounded, and shared by all pages that one worker reads."""

    def __init__(self) -> None:
        self._by_place: dict[str, dict[str, Meaning]] = {}  # origin, folder or EVERYWHERE → href → meaning
        self._count = 0

    def around(self, base_url: str) -> "Surroundings":
        origin = origin_of(base_url)
        folder = base_url[: base_url.partition("?")[0].rindex("/") + 1]
        return Surroundings(self, base_url, self.place(origin), self.place(folder))

    def note(self, place: dict[str, Meaning], href: str, meaning: Meaning) -> None:
        if len(href) > LONGEST_REMEMBERED:
            return
        if self._count >= REMEMBERED:
            self._by_place.clear()
            self._count = 0
        self._count += 1
        place[href] = meaning

    def place(self, name: str) -> dict[str, Meaning]:
        place = self._by_place.get(name)
        if place is None:
            self._count += 1
            place = self._by_place[name] = {}
        return place


class Surroundings:
    """Where a page stands. `rooted` holds hrefs whose meaning depends on the origin, `relative` those that
    depend on the folder: ask both, then `find`."""

    __slots__ = ("_base_url", "_hrefs", "relative", "rooted")

    def __init__(
        self, hrefs: Hrefs, base_url: str, rooted: dict[str, Meaning], relative: dict[str, Meaning]
    ) -> None:
        self._hrefs = hrefs
        self._base_url = base_url
        self.rooted = rooted
        self.relative = relative

    def find(self, href: str) -> Meaning:
        """The meaning of an href that is not remembered as it is written."""
        if href[:1] <= " " or href[-1] <= " ":
            href = href.strip(_CONTROLS_AND_SPACE)
        if not href or len(href) > MAX_HREF or _is_elsewhere(href):
            return NOWHERE
        href = href.partition("#")[0]
        place = self._place_of(href)
        meaning = place.get(href)
        if meaning is None:
            url = normalize(href, self._base_url)
            meaning = NOWHERE if url is None else (url, url_key(url))
            # A query alone belongs to the page, not to its folder.
            if href[0] != "?":
                self._hrefs.note(place, href, meaning)
        return meaning

    def _place_of(self, href: str) -> dict[str, Meaning]:
        if href[0] == "/":
            return self.rooted
        return self._hrefs.place(EVERYWHERE) if href.startswith(("http://", "https://")) else self.relative
