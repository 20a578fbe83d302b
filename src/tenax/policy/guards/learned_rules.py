"""Parts of addresses that change nothing, found by comparing pages: session ids in queries and in paths.

Two addresses that differ in one part only are compared by the text of their pages. A part that made no
difference in several places, and never a difference anywhere, becomes a merge rule of its domain:

    /item?tok=*      the parameter `tok` of all urls under /item
    /u/{id}/*        the segment after /u, where it looks like an id
"""

from collections.abc import Iterator
from typing import NamedTuple

from tenax.policy.guards.url_shapes import is_id

LEAST_SAME = 5  # comparisons that found the same page
LEAST_PLACES = 3  # in which they were made; with fewer,
ENOUGH_SAME = 12  # so many comparisons will do
MOST_PARTS = 4  # of an address
MOST_COMPARED = 1_000  # parts that are remembered, in each of two generations
MOST_RULES = 50  # parts of a domain about which something is known
PAIR_BYTES = 150

_PARAMETER_MARK = "=*"
_SEGMENT_MARK = "/{id}/*"


class IgnoredPart(NamedTuple):
    """What a learned rule ignores."""

    path: str  # under which it applies
    parameter: str | None  # None: the segment that follows the path, if it looks like an id


class _Evidence:
    __slots__ = ("differs", "places", "same")

    def __init__(self) -> None:
        self.same = 0
        self.differs = False
        self.places: set[int] = set()

    @property
    def is_enough(self) -> bool:
        if self.differs:
            return False
        return self.same >= LEAST_SAME and (len(self.places) >= LEAST_PLACES or self.same >= ENOUGH_SAME)


class PartComparison:
    """Compares the pages of one domain. Mutable; what it remembers is bounded."""

    def __init__(self) -> None:
        self._pages: dict[int, int] = {}  # an address without one part → hash of its page
        self._older: dict[int, int] = {}
        self._evidence: dict[str, _Evidence] = {}

    def note(self, url: str, content_hash: int) -> list[tuple[str, int]]:
        """Compare a page with those at other addresses; returns what was learned: (name of the rule,
        comparisons)."""
        learned = []
        for name, part, rest in _iter_parts(url):
            place = hash((part, rest))
            known = self._pages.get(place, self._older.get(place))
            if known is None:
                self._remember(place, content_hash)
                continue
            evidence = self._find(name, part)
            if evidence is None:
                continue
            if known != content_hash:
                self._note_difference(part)
                continue
            evidence.same += 1
            evidence.places.add(place)
            if evidence.is_enough:
                learned.append((name, evidence.same))
        return learned

    def _note_difference(self, part: str) -> None:
        """One difference anywhere in the domain is enough: the part means something."""
        for name, evidence in self._evidence.items():
            if _part_of(name) == part:
                evidence.differs = True

    def _find(self, name: str, part: str) -> _Evidence | None:
        found = self._evidence.get(name)
        if found is None and len(self._evidence) < MOST_RULES:
            found = self._evidence[name] = _Evidence()
            found.differs = any(
                each.differs for other, each in self._evidence.items() if _part_of(other) == part
            )
        return found

    def _remember(self, place: int, content_hash: int) -> None:
        if len(self._pages) >= MOST_COMPARED:
            self._pages, self._older = {}, self._pages
        self._pages[place] = content_hash

    @property
    def weight_bytes(self) -> int:
        return PAIR_BYTES * (len(self._pages) + len(self._older))


def parse_ignored(name: str) -> IgnoredPart | None:
    """What the rule of this name ignores; None: it is no name of a learned rule, but of a cluster."""
    if name.endswith(_PARAMETER_MARK):
        path, _, parameter = name.removesuffix(_PARAMETER_MARK).partition("?")
        return IgnoredPart(path, parameter)
    if name.endswith(_SEGMENT_MARK):
        return IgnoredPart(name.removesuffix(_SEGMENT_MARK) or "/", None)
    return None


def _part_of(name: str) -> str:
    return name.partition("?")[2] or name


def _iter_parts(url: str) -> Iterator[tuple[str, str, str]]:
    """(name of the rule, part, the address without the part), of all parts that may mean nothing"""
    start = url.index("/", 8)
    path, _, query = url[start:].partition("?")
    if query:
        top = "/" + path[1:].partition("/")[0]
        parameters = query.split("&")
        if len(parameters) <= MOST_PARTS:
            for place, parameter in enumerate(parameters):
                part = parameter.partition("=")[0].lower() + _PARAMETER_MARK
                rest = sorted(parameters[:place] + parameters[place + 1 :])
                yield f"{top}?{part}", part, f"{path}?{'&'.join(rest)}"
    segments = path.split("/")
    for place, segment in enumerate(segments[:MOST_PARTS]):
        if is_id(segment):
            name = "/".join(segments[:place]) + _SEGMENT_MARK
            yield name, name, "/".join(segments[:place] + segments[place + 1 :]) + "?" + query
            return
