"""The priority of a domain: its quality signals, its score, and the tier that determines the order of claims.

The score is advisory and as old as its last computation; it only decides which domain is crawled first.
"""

import math
from collections.abc import Sequence
from typing import Final

from tenax.clock import Instant
from tenax.config.crawl import DAY_S
from tenax.record import record
from tenax.records.domains import DomainStatus

# Tiers, the highest priority first: partly crawled domains before all others, each group by score.
TIERS: Final = tuple(range(6))
LAST_TIER: Final = TIERS[-1]  # also for a domain about which nothing is known yet
_ACTIVE_TIERS: Final = 3
_HIGH_SCORE: Final = 1500
_MEDIUM_SCORE: Final = 500

_LAST_RANK: Final = 10_000_000  # of the longest rank lists
_MAX_REMAINING: Final = 500
_MAX_STALE_DAYS: Final = 365.0

# One second in this many belongs to the lowest tiers, so that they never starve.
BACK_EVERY_S: Final = 8


@record
class DomainFacts:
    """What a score is computed from."""

    status: DomainStatus
    seed_rank: int | None  # 1 is the best
    pages_discovered: int
    pages_crawled: int
    images_found: int
    images_stored: int
    total_errors: int
    first_seen_at: Instant
    last_crawled_at: Instant | None


@record
class Score:
    """The score and its parts. The rates are None as long as there is no page."""

    image_yield_rate: float | None
    avg_images_per_page: float | None
    error_rate: float | None
    priority_score: int
    tier: int


def rate(facts: DomainFacts, now: Instant) -> Score:
    pages = facts.pages_crawled
    yield_rate = facts.images_stored / pages if pages else None
    error_rate = facts.total_errors / pages if pages else None
    score = (
        _rate_rank(facts.seed_rank)
        + 1000 * (yield_rate or 0.0)
        + 2 * min(max(facts.pages_discovered - pages, 0), _MAX_REMAINING)
        - 500 * (error_rate or 0.0)
        + 5 * _stale_days(facts, now)
    )
    whole = math.floor(score)
    return Score(
        image_yield_rate=yield_rate,
        avg_images_per_page=facts.images_found / pages if pages else None,
        error_rate=error_rate,
        priority_score=whole,
        tier=find_tier(facts.status, whole),
    )


def find_tier(status: DomainStatus, score: int) -> int:
    step = 0 if score >= _HIGH_SCORE else 1 if score >= _MEDIUM_SCORE else 2
    match status:
        case DomainStatus.ACTIVE:
            return step
        case DomainStatus.BLOCKED | DomainStatus.UNREACHABLE:
            return LAST_TIER  # its next try comes after all others
    return _ACTIVE_TIERS + step


def order_tiers(now: Instant) -> Sequence[int]:
    """The order in which a claim at this instant tries the tiers."""
    is_turn_of_the_last = int(now) % BACK_EVERY_S == BACK_EVERY_S - 1
    return TIERS[::-1] if is_turn_of_the_last else TIERS


def _rate_rank(rank: int | None) -> float:
    """1,000 for rank 1, 0 for rank 10,000,000 and for no rank. The scale is logarithmic: ranks 1 and 10
    differ as much as ranks 1,000 and 10,000."""
    if rank is None:
        return 0.0
    return 1000 * (1 - math.log10(min(max(rank, 1), _LAST_RANK)) / math.log10(_LAST_RANK))


def _stale_days(facts: DomainFacts, now: Instant) -> float:
    """Days since its last visit, or since its discovery; at most a year."""
    since = facts.first_seen_at if facts.last_crawled_at is None else facts.last_crawled_at
    return min(max(now - since, 0.0) / DAY_S, _MAX_STALE_DAYS)
