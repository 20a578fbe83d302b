"""When new urls are due if a source may only have so many per second. Pure.

They are stored as soon as they are found. The instant at which the next one may be due advances with each: a
run that finds more than its limit gets ahead of the clock, and its urls wait for their second.
"""

import math
from collections.abc import Collection, Iterable, Mapping

from tenax.clock import Instant
from tenax.record import record
from tenax.records.urls import FoundBy, NewUrl

UrlName = tuple[str, int]  # domain and key
_GUESSES = (FoundBy.ARCHIVE, FoundBy.PAGINATION, FoundBy.PROBE)  # limited by settings of their own


@record
class Intake:
    """What a run may take in."""

    per_s: int
    next_at: Instant  # when the next new url may be due; may be in the past


@record
class IntakePlan:
    due: Mapping[UrlName, Instant]  # when those are due that must wait
    taken_s: float  # what all new urls of the batch take


NO_PLAN = IntakePlan(due={}, taken_s=0.0)


def is_limited(url: NewUrl) -> bool:
    """Not those that users name, nor what a visit needs to be complete."""
    is_given = url.is_seed or url.discovered_from is None
    return not (is_given or url.hops or url.sitemap is not None or url.found_by in _GUESSES)


def plan_intake(
    urls: Iterable[NewUrl], known: Collection[UrlName], intake: Intake, now: Instant
) -> IntakePlan:
    """Plan when new urls are due, in the order in which they were found. Whole seconds: all that are due in
    the current one do not wait. `known`: those of the urls that the store has."""
    begin_at = max(intake.next_at, now)
    places: dict[UrlName, int] = {}
    for url in urls:
        name = (url.domain, url.key)
        if name not in known and is_limited(url):
            places.setdefault(name, len(places))
    instants = ((name, math.floor(begin_at + place / intake.per_s)) for name, place in places.items())
    due = {name: float(at) for name, at in instants if at > now}
    return IntakePlan(due=due, taken_s=len(places) / intake.per_s)
