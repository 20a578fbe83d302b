"""Which pages of a settled batch nearly repeat another page of their domain: the same for every database.

A near-duplicate is marked with its original, which is no duplicate itself. Only originals have bands, so only
originals are found. A page that is visited again is decided again: it stays with its original while that is
one. If the original changes, is deleted, or becomes a near-duplicate, its copies stand for themselves until
they are visited again.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from tenax.config.crawl import SimilaritySettings
from tenax.extract.similarity import distance
from tenax.record import record
from tenax.records.urls import Fate
from tenax.records.visits import Fetched, Unchanged, Visit
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_names
from tenax.stores.hot.outcomes import find_fetched_fate, iter_visits

Bands = tuple[int, int, int, int]
NO_BANDS = (None,) * 4
BAND_NAMES = ("band_1", "band_2", "band_3", "band_4")
_BAND_BITS = 16
_BAND_MASK = (1 << _BAND_BITS) - 1


class StoredMark(NamedTuple):
    """What the store knows of a page that is visited again."""

    url_id: int
    simhash: int | None
    near_url_id: int | None


class Candidate(NamedTuple):
    """A page with an equal band."""

    url_id: int
    simhash: int
    url: str


MARK_COLUMNS = join_names(StoredMark._fields)

# Pages whose original has changed or was deleted stand for themselves.
FREED = "near_url_id = NULL, " + ", ".join(
    f"{name} = simhash >> {number * _BAND_BITS} & {_BAND_MASK}" for number, name in enumerate(BAND_NAMES)
)


@record
class Asked:
    """A page of the batch that is compared with others."""

    domain_id: int
    visit: Visit
    simhash: int
    before: StoredMark | None  # None: no page of this url is stored

    @property
    def url_id(self) -> int:
        return self.visit.target.id

    @property
    def is_new(self) -> bool:
        """It is not what it was when it was last compared."""
        return self.before is None or self.before.simhash != self.simhash


@record
class NearPages:
    """What was decided for a batch."""

    originals: dict[int, Candidate]  # by the ids of near-duplicates
    compared: frozenset[int]  # ids of pages that were compared
    unkept: dict[int, str]  # ids of urls whose page is not stored, and the url of the original
    freed: tuple[int, ...] = ()  # ids of originals whose copies stand for themselves from now on
    # (original, four bands, url id) of pages that were not changed since their last visit, but that are or
    # were near-duplicates
    moved: tuple[tuple[int | None, ...], ...] = ()

    def mark_values(self, url_id: int, simhash: int | None) -> tuple[int | None, ...]:
        """(simhash, original, four bands) of a page."""
        if simhash is None or url_id not in self.compared:
            return simhash, None, *NO_BANDS
        return simhash, *self._near_values(url_id, simhash)

    def _near_values(self, url_id: int, simhash: int) -> tuple[int | None, ...]:
        original = self.originals.get(url_id)
        return (None, *split_bands(simhash)) if original is None else (original.url_id, *NO_BANDS)


NOTHING_NEAR = NearPages(originals={}, compared=frozenset(), unkept={})


def split_bands(simhash: int) -> Bands:
    return (
        simhash & _BAND_MASK,
        simhash >> 16 & _BAND_MASK,
        simhash >> 32 & _BAND_MASK,
        simhash >> 48 & _BAND_MASK,
    )


def list_stored(works: Sequence[DomainWork]) -> list[int]:
    """Ids of pages that were stored before and may have been marked."""
    return [
        visit.target.id
        for _, visit in iter_visits(works)
        if visit.target.content_hash is not None and isinstance(visit.outcome, (Fetched, Unchanged))
    ]


def list_asked(
    works: Sequence[DomainWork], duplicates: Mapping[int, str], stored: Mapping[int, StoredMark]
) -> list[Asked]:
    """The pages to compare: those with a simhash that are no duplicates of the same text."""
    return [
        Asked(
            domain_id=work.lease.domain_id, visit=visit, simhash=simhash, before=stored.get(visit.target.id)
        )
        for work, visit in iter_visits(works)
        if (simhash := _find_simhash(visit, duplicates, stored)) is not None
    ]


def _find_simhash(
    visit: Visit, duplicates: Mapping[int, str], stored: Mapping[int, StoredMark]
) -> int | None:
    outcome = visit.outcome
    if isinstance(outcome, Fetched):
        if outcome.page.simhash is None:
            return None
        fate, _, _ = find_fetched_fate(visit.target, outcome, duplicates)
        return outcome.page.simhash if fate is Fate.FETCHED else None
    if not isinstance(outcome, Unchanged):
        return None
    before = stored.get(visit.target.id)
    # One that stands for itself goes on doing so.
    return None if before is None or before.near_url_id is None else before.simhash


def decide_near(
    asked: Sequence[Asked],
    found: Mapping[int, Sequence[Candidate]],
    originals_before: Collection[int],
    settings: SimilaritySettings,
) -> NearPages:
    """`found`: for each page, the originals in the store that have an equal band; `originals_before`: ids of
    the pages of this batch that were originals."""
    batch = _Batch(settings.distance, _list_outdated(asked))
    originals: dict[int, Candidate] = {}
    for page in asked:
        original = batch.find_original(page, found.get(page.url_id, ()))
        if original is None:
            originals.pop(page.url_id, None)
            batch.add(page)
        else:
            originals[page.url_id] = original
    stay = {page.url_id for page in asked if not page.is_new and page.url_id not in originals}
    return NearPages(
        originals=originals,
        compared=frozenset(page.url_id for page in asked),
        unkept={} if settings.keep else _list_unkept(asked, originals),
        freed=tuple(sorted(set(originals_before) - stay)),
        moved=tuple(_iter_moved(asked, originals)),
    )


def list_originals(works: Sequence[DomainWork], stored: Mapping[int, StoredMark]) -> list[int]:
    """Ids of fetched pages that were originals before."""
    return [
        visit.target.id
        for _, visit in iter_visits(works)
        if isinstance(visit.outcome, Fetched)
        and (before := stored.get(visit.target.id)) is not None
        and before.simhash is not None
        and before.near_url_id is None
    ]


def _list_unkept(asked: Sequence[Asked], originals: Mapping[int, Candidate]) -> dict[int, str]:
    """A page that is stored already stays."""
    return {
        page.url_id: originals[page.url_id].url
        for page in asked
        if page.before is None and page.url_id in originals
    }


class _Batch:
    """The originals that a batch has brought so far."""

    def __init__(self, most_distance: int, outdated: frozenset[int]) -> None:
        self._most_distance = most_distance
        self._outdated = outdated
        self._by_band: dict[tuple[int, int, int], list[Candidate]] = {}

    def add(self, page: Asked) -> None:
        target = page.visit.target
        candidate = Candidate(target.id, page.simhash, target.url)
        for key in _iter_keys(page):
            self._by_band.setdefault(key, []).append(candidate)

    def find_original(self, page: Asked, stored: Sequence[Candidate]) -> Candidate | None:
        own = page.url_id
        near = [
            (distance(each.simhash, page.simhash), each.url_id, each)
            for each in self._iter_candidates(page, stored)
            if each.url_id != own and distance(each.simhash, page.simhash) <= self._most_distance
        ]
        before = page.before
        if before is not None and not page.is_new:
            if before.near_url_id is None:
                # Of two that stand for themselves, the one that was found first goes on doing so: otherwise
                # they would name each other.
                near = [each for each in near if each[1] < own]
            near = [each for each in near if each[1] == before.near_url_id] or near
        return min(near)[2] if near else None

    def _iter_candidates(self, page: Asked, stored: Sequence[Candidate]) -> Iterator[Candidate]:
        for candidate in stored:
            if candidate.url_id not in self._outdated:
                yield candidate
        for key in _iter_keys(page):
            yield from self._by_band.get(key, ())


def _iter_keys(page: Asked) -> Iterator[tuple[int, int, int]]:
    for number, band in enumerate(split_bands(page.simhash)):
        yield page.domain_id, number, band


def _list_outdated(asked: Sequence[Asked]) -> frozenset[int]:
    """Pages that are not what the store says: their new text counts once their turn comes."""
    return frozenset(page.url_id for page in asked if page.before is not None and page.is_new)


def _iter_moved(
    asked: Sequence[Asked], originals: Mapping[int, Candidate]
) -> Iterator[tuple[int | None, ...]]:
    for page in asked:
        if isinstance(page.visit.outcome, Unchanged):
            original = originals.get(page.url_id)
            bands = split_bands(page.simhash) if original is None else NO_BANDS
            yield (None if original is None else original.url_id, *bands, page.url_id)
