"""When a domain is left alone for days, and how it comes back."""

from dataclasses import replace
from typing import Final

from tenax.clock import Instant
from tenax.config import BreakerSettings
from tenax.policy.breaker import is_unreachable
from tenax.policy.politeness import FORBIDDEN_ROW
from tenax.records import Breaker, DomainState, DomainStatus

RESTS_BEFORE_BLOCK: Final = 5  # in a row; the fifth would be 16 minutes by default
FORBIDDEN_BEFORE_BLOCK: Final = 10  # 401 or 403 in a row

_RESTING: Final = (DomainStatus.BLOCKED, DomainStatus.UNREACHABLE)


def plan_block(state: DomainState, now: Instant, settings: BreakerSettings) -> DomainState:
    """The state with its block when the domain has earned one; otherwise the very same state."""
    if state.status in _RESTING:
        return state
    if is_unreachable(state.breaker, settings):
        return replace(
            state,
            status=DomainStatus.UNREACHABLE,
            block_code="connection_failed",
            block_reason=f"no usable answer: its breaker opened {state.breaker.trips} times in a row",
            next_crawl_after=now + settings.unreachable_s,
        )
    return _plan_turned_away(state, now, settings)


def plan_unblock(state: DomainState, now: Instant) -> DomainState:
    """The state of a domain whose rest is over: it starts anew, its old record does not count."""
    if state.status not in _RESTING or now < (state.next_crawl_after or 0.0):
        return state
    return replace(
        state,
        status=DomainStatus.ACTIVE,
        block_code=None,
        block_reason=None,
        next_crawl_after=None,
        pace=replace(state.pace, backoff_level=0, backoff_until=None, pushback_streak=0, forbidden_streak=0),
        breaker=Breaker(),
    )


def _plan_turned_away(state: DomainState, now: Instant, settings: BreakerSettings) -> DomainState:
    pace = state.pace
    if pace.pushback_streak < RESTS_BEFORE_BLOCK and pace.forbidden_streak < FORBIDDEN_BEFORE_BLOCK:
        return state
    if pace.forbidden_streak >= FORBIDDEN_ROW:
        code, reason = "forbidden", f"401 or 403 {pace.forbidden_streak} times in a row"
    else:
        code, reason = "rate_limited", f"429 or 503 again after each of {pace.pushback_streak} rests"
    return replace(
        state,
        status=DomainStatus.BLOCKED,
        block_code=code,
        block_reason=reason,
        next_crawl_after=now + settings.blocked_s,
    )
