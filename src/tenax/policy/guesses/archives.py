"""Which archives of a domain to guess, and what the answers say about the patterns they came from. Pure."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from tenax.clock import Instant
from tenax.config.guesses import ArchiveSettings
from tenax.record import record, replace
from tenax.records.guesses import ArchivePattern, GuessBudget, GuessState

DAY_S = 86_400.0
MISSES_UNTIL_DROPPED = 3
# A search guesses a few addresses only: their answers decide whether there is another one.
AT_ONCE = 10
PROBES = 2  # of a pattern that has not had a hit yet
MONTHS_BACK = 12  # before the oldest evidence
MOST_PATTERNS = 50  # of a domain
_MOST_PLACES = 1000  # of a numbered archive

Place = tuple[int, int]
_CLOSED = (GuessState.INVALID, GuessState.OFF)


class ArchiveAnswer(StrEnum):
    """What a guess at an archive has found."""

    NEW = "new"  # a page with urls that were not known
    NOTHING_NEW = "nothing_new"  # a page: the archive exists, but everything in it is known
    MISSING = "missing"


class ArchiveGuess(NamedTuple):
    pattern: str
    place: Place


@record
class ArchiveFacts:
    """What is known about a domain when its archives are searched."""

    places: Mapping[str, Collection[Place]]  # evidence, by pattern
    patterns: Mapping[str, ArchivePattern]  # learned
    month: Place  # this month, by the calendar
    is_dry: bool  # nothing waits in the domain


def is_search_due(budget: GuessBudget, settings: ArchiveSettings, now: Instant, *, waiting: int) -> bool:
    """Whether to search the archives of a domain. `waiting`: its urls of high or medium priority, of those at
    the head of its queue."""
    searched_at = budget.searched_at
    is_over = searched_at is None or now >= searched_at + settings.every_s or now < searched_at
    if waiting < settings.queue_below:
        return is_over
    # In a crawl that recurs, the first search has shown that the domain may have archives.
    return searched_at is not None and is_over


def open_day(budget: GuessBudget, now: Instant) -> GuessBudget:
    """The budget with the count of another day if the last one is over."""
    if budget.since <= now < budget.since + DAY_S:
        return budget
    return replace(budget, since=now, pages=0, archives=0)


def iter_guesses(facts: ArchiveFacts, paths: Sequence[str]) -> Iterator[ArchiveGuess]:
    """Guesses in the order of their promise. The caller leaves out known urls and stops where it likes."""
    proven = [each.pattern for each in facts.patterns.values() if each.state is GuessState.VALID]
    for pattern in proven:
        yield from (ArchiveGuess(pattern, place) for place in _list_range(pattern, facts))
    for pattern in _list_unproven(facts, proven):
        places = sorted(facts.places[pattern], reverse=True)
        probes = places if len(places) <= PROBES else [places[0], places[-1]]
        yield from (ArchiveGuess(pattern, place) for place in probes)
    if facts.is_dry:
        yield from (ArchiveGuess(path, (0, 0)) for path in paths if _is_open(facts.patterns.get(path)))


def learn_answer(known: ArchivePattern | None, pattern: str, answer: ArchiveAnswer) -> ArchivePattern:
    """Apply the answer to a guess. A pattern that has brought nothing new three times in a row is dropped."""
    known = known or ArchivePattern(pattern=pattern, state=GuessState.TRIED)
    if answer is ArchiveAnswer.NEW:
        learned, state = replace(known, hits=known.hits + 1, misses=0), GuessState.VALID
    else:
        learned = replace(known, misses=known.misses + 1)
        state = GuessState.VALID if answer is ArchiveAnswer.NOTHING_NEW else known.state
        if learned.misses >= MISSES_UNTIL_DROPPED:
            state = GuessState.INVALID
    return learned if known.set_by is not None else replace(learned, state=state)


def _is_open(known: ArchivePattern | None) -> bool:
    return known is None or known.state not in _CLOSED


def _list_unproven(facts: ArchiveFacts, proven: Collection[str]) -> list[str]:
    """Patterns of which no archive is known yet, those with the most evidence first."""
    if len(facts.patterns) >= MOST_PATTERNS:
        return []
    found = [each for each in facts.places if each not in proven and _is_open(facts.patterns.get(each))]
    return sorted(found, key=lambda each: -len(facts.places[each]))


def _list_range(pattern: str, facts: ArchiveFacts) -> list[Place]:
    """All places around the evidence, the nearest first: where posts are known, more are likely."""
    places = facts.places.get(pattern) or [facts.month]
    if "{n}" in pattern:
        newest = max(places)[0]
        return _sort_by_distance([(number, 0) for number in range(newest + 1, 0, -1)][:_MOST_PLACES], places)
    if "{Y}" not in pattern:
        return []
    oldest = min(places)
    if "{M" not in pattern:
        years = range(facts.month[0], oldest[0] - 2, -1)
        return _sort_by_distance([(year, 0) for year in years], places)
    newest_month, oldest_month = _count_months(facts.month), _count_months(oldest) - MONTHS_BACK
    months = range(newest_month, oldest_month - 1, -1)
    return _sort_by_distance([(each // 12, each % 12 + 1) for each in months], places)


def _count_months(place: Place) -> int:
    return place[0] * 12 + max(place[1], 1) - 1


def _sort_by_distance(wanted: Sequence[Place], places: Collection[Place]) -> list[Place]:
    known = sorted(_count_months(place) for place in places)

    def find_distance(place: Place) -> int:
        at = _count_months(place)
        index = bisect_left(known, at)
        return min(abs(each - at) for each in known[max(index - 1, 0) : index + 1])

    return sorted(wanted, key=find_distance)
