"""When a domain is blocked for days, and how it is unblocked."""

from typing import Final

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.policy.breaker import is_unreachable
from tenax.policy.domain_states import RESTING, SILENT, move
from tenax.policy.politeness import FORBIDDEN_STREAK
from tenax.record import replace
from tenax.records.domains import Breaker, Cause, DomainState, DomainStatus
from tenax.records.requests import Failure, FailureKind, Response

MAX_LOGIN_STREAK: Final = 100  # enough for every domain

_DNS_KINDS: Final = (FailureKind.DNS, FailureKind.NO_SUCH_HOST)


def plan_block(
    state: DomainState, answer: Response | Failure, now: Instant, settings: Settings
) -> DomainState:
    """Block the domain if this response justifies it; otherwise return the same state object."""
    if state.status in RESTING:
        return state
    if is_unreachable(state.breaker, settings.breaker):
        detail = f"{_describe(answer)}; its breaker opened {state.breaker.trips} times in a row"
        return block(state, find_silence(answer), detail, now, settings)
    pace, limits = state.pace, settings.domains
    is_wall = pace.forbidden_streak >= limits.forbidden_before_block
    if not is_wall and pace.pushback_streak < limits.rests_before_block:
        return state
    if is_wall or pace.forbidden_streak >= FORBIDDEN_STREAK:
        detail = f"401, 403 or a rejected page {pace.forbidden_streak} times in a row"
        is_login = 2 * state.login_streak >= pace.forbidden_streak
        return block(state, Cause.LOGIN_REQUIRED if is_login else Cause.FORBIDDEN, detail, now, settings)
    detail = f"429 or 503 again after each of {pace.pushback_streak} rests"
    return block(state, Cause.RATE_LIMITED, detail, now, settings)


def plan_login_block(state: DomainState, stored_pages: int, now: Instant, settings: Settings) -> DomainState:
    """Block the domain if it shows nothing but its login; otherwise return the same state object.

    Forums and shops link to their login from every page, so several logins in a row happen by chance. A
    domain that has returned pages needs as many logins in a row. Walls that look like pages are among those
    stored.
    """
    real_pages = stored_pages - state.login_streak
    needed = max(settings.domains.logins_before_block, min(real_pages, MAX_LOGIN_STREAK))
    if state.status in RESTING or state.login_streak < needed:
        return state
    detail = f"{state.login_streak} responses in a row asked to log in"
    return block(state, Cause.LOGIN_REQUIRED, detail, now, settings)


def block(state: DomainState, cause: Cause, detail: str, now: Instant, settings: Settings) -> DomainState:
    """Block the domain for the cooldown of this cause; permanently, if it has used up its retries."""
    is_final = state.retries >= settings.domains.retries and is_counted(cause)
    if is_final:
        detail = f"{detail}; the same after each of {state.retries} cooldowns"
    to_status = DomainStatus.UNREACHABLE if cause in SILENT else DomainStatus.BLOCKED
    return replace(
        move(state, to_status, cause, detail=detail, at=now),
        block_code=cause,
        block_reason=detail,
        next_crawl_after=None if is_final else now + find_cooldown(cause, settings),
    )


def plan_unblock(state: DomainState, now: Instant) -> DomainState:
    """Unblock a domain whose cooldown is over. It starts afresh: its earlier failures do not count."""
    until = state.next_crawl_after
    if state.status not in RESTING or until is None or now < until:
        return state
    detail = f"the cooldown for {state.block_code} is over"
    return replace(
        move(state, DomainStatus.PENDING, Cause.COOLDOWN_OVER, detail=detail, at=now),
        block_code=None,
        block_reason=None,
        next_crawl_after=None,
        retries=state.retries + is_counted(state.block_code),
        login_streak=0,
        pace=replace(state.pace, backoff_level=0, backoff_until=None, pushback_streak=0, forbidden_streak=0),
        breaker=Breaker(),
    )


def find_cooldown(cause: Cause, settings: Settings) -> float:
    """How long a domain is blocked for this cause, in seconds."""
    limits = settings.domains
    special = {
        Cause.LOGIN_REQUIRED: limits.login_s,
        Cause.RATE_LIMITED: limits.rate_limited_s,
        Cause.FORBIDDEN: limits.forbidden_s,
        Cause.BOT_WALL: limits.bot_wall_s,
        Cause.ROBOTS_DENIED: limits.robots_denied_s,
        Cause.ROBOTS_UNREACHABLE: settings.robots.skip_s,
    }
    return special.get(cause, limits.unreachable_s)


def is_counted(block_code: str | None) -> bool:
    """Whether a cooldown for this cause uses up one of the domain's retries. The cooldown for a failing
    robots.txt is only an hour: three of them say little about a domain."""
    return block_code != Cause.ROBOTS_UNREACHABLE


def find_silence(answer: Response | Failure) -> Cause:
    """The cause for a domain that gives no usable responses."""
    if isinstance(answer, Response):
        return Cause.SERVER_ERROR
    return Cause.DNS_FAILURE if answer.kind in _DNS_KINDS else Cause.CONNECTION_FAILED


def _describe(answer: Response | Failure) -> str:
    return answer.detail if isinstance(answer, Failure) else f"the server answered {answer.status}"
