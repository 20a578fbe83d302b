"""Whether a parser does worse than in its own past.

Three figures are compared, each from 0 to 1: the share of pages that gave items or follow-ups, the share of
items that are valid, and the mean confidence. One has dropped if

1. there are enough pages in both spans, LEAST_RECENT and LEAST_PAST, so that small numbers never alert;
2. it is lower by at least LEAST_DROP of what it was, so that what nobody would look into does not either;
3. and by more than SIGMAS standard deviations of what chance does to so many pages. A value between 0 and 1
   with the mean m varies by at most m * (1 - m), which is what a share does.

Items of one page are alike, so pages are counted for all three.
"""

import math
from enum import StrEnum
from typing import Final, Self

from tenax.record import record

RECENT_S: Final = 86_400.0
PAST_S: Final = 30 * 86_400.0  # before that
LEAST_RECENT: Final = 50
LEAST_PAST: Final = 200
SIGMAS: Final = 4.0


class Measure(StrEnum):
    ITEMS = "items"  # pages that gave an item or a follow-up, of all pages
    VALID = "valid"  # valid items, of all items
    CONFIDENCE = "confidence"  # the mean of items that have one


LEAST_DROP: Final = {Measure.ITEMS: 0.25, Measure.VALID: 0.1, Measure.CONFIDENCE: 0.1}


@record
class ParserCounts:
    """What a parser did in a span of time."""

    pages: int = 0
    items: int = 0  # valid ones
    invalid: int = 0
    empty: int = 0  # pages without an item or a follow-up
    errors: int = 0  # pages on which it failed
    confidence_sum: float = 0.0
    rated: int = 0  # items that have a confidence

    def plus(self, other: Self) -> Self:
        return type(self)(
            pages=self.pages + other.pages,
            items=self.items + other.items,
            invalid=self.invalid + other.invalid,
            empty=self.empty + other.empty,
            errors=self.errors + other.errors,
            confidence_sum=self.confidence_sum + other.confidence_sum,
            rated=self.rated + other.rated,
        )

    def find_value(self, measure: Measure) -> float | None:
        """None: it says nothing about this."""
        match measure:
            case Measure.ITEMS:
                return _divide(self.pages - self.empty - self.errors, self.pages)
            case Measure.VALID:
                return _divide(self.items, self.items + self.invalid)
            case Measure.CONFIDENCE:
                return _divide(self.confidence_sum, self.rated)


@record
class Drop:
    measure: Measure
    past: float
    recent: float
    past_pages: int
    recent_pages: int


def find_drops(past: ParserCounts, recent: ParserCounts) -> list[Drop]:
    if past.pages < LEAST_PAST or recent.pages < LEAST_RECENT:
        return []
    drops = []
    for measure in Measure:
        before, now = past.find_value(measure), recent.find_value(measure)
        if before is None or now is None:
            continue
        drop = Drop(
            measure=measure, past=before, recent=now, past_pages=past.pages, recent_pages=recent.pages
        )
        if is_drop(drop):
            drops.append(drop)
    return drops


def is_drop(drop: Drop) -> bool:
    lost = drop.past - drop.recent
    if lost <= 0 or lost < LEAST_DROP[drop.measure] * drop.past:
        return False
    pages = drop.past_pages + drop.recent_pages
    mean = (drop.past * drop.past_pages + drop.recent * drop.recent_pages) / pages
    variance = mean * (1.0 - mean) * (1.0 / drop.past_pages + 1.0 / drop.recent_pages)
    return lost > SIGMAS * math.sqrt(variance)


def is_over(drop: Drop, recent: ParserCounts) -> bool:
    """Whether a parser does again as it did before a drop."""
    value = recent.find_value(drop.measure)
    if value is None or recent.pages < LEAST_RECENT:
        return False
    return drop.past - value < LEAST_DROP[drop.measure] * drop.past


_MEANINGS: Final = {
    Measure.ITEMS: "finds items on {recent} of its pages, after {past}",
    Measure.VALID: "makes valid items in {recent} of all cases, after {past}",
    Measure.CONFIDENCE: "has a mean confidence of {recent}, after {past}",
}


def describe_drop(parser: str, domain: str | None, drop: Drop) -> str:
    where = "" if domain is None else f" on {domain}"
    meaning = _MEANINGS[drop.measure].format(recent=_format(drop.recent), past=_format(drop.past))
    return f"The parser {parser}{where} {meaning} ({drop.recent_pages:,} pages in the last day)."


def _format(share: float) -> str:
    return f"{100 * share:.3g} %"


def _divide(part: float, whole: int) -> float | None:
    return part / whole if whole else None
