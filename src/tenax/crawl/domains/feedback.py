"""What an answer or an outcome says about its domain: its pace, its breaker, whether it is blocked."""

from tenax.clock import Instant
from tenax.config.settings import Settings
from tenax.policy import breaker as breakers
from tenax.policy import politeness
from tenax.policy.blocking import block, plan_block, plan_login_block
from tenax.policy.domain_states import RESTING, move
from tenax.policy.login_walls import LoginSign, find_login_sign
from tenax.policy.retry import StatusClass, classify_status
from tenax.record import replace
from tenax.records.domains import Cause, DomainState, DomainStatus
from tenax.records.requests import OURS, Failure, FailureKind, Response
from tenax.records.urls import RejectionReason
from tenax.records.visits import Rejected, Visit
from tenax.web.headers import parse_retry_after

# Failures caused by the content of one url, or by this machine: they say nothing about the server's health.
_HARMLESS = {FailureKind.TOO_LARGE, FailureKind.ENCODING, FailureKind.FORBIDDEN_ADDRESS, *OURS}

_WAITING = {DomainStatus.PENDING, DomainStatus.EXHAUSTED}

_GOOD = {StatusClass.OK, StatusClass.NOT_MODIFIED, StatusClass.REDIRECT}


def apply_answer(
    state: DomainState,
    answer: Response | Failure,
    settings: Settings,
    roll: float,
    *,
    now: Instant,
    is_retry: bool = False,
) -> DomainState:
    """The domain's state after an answer that has just arrived: its pace, its breaker, then whether it is
    blocked. The pace already has the start of the request. `is_retry`: the url has failed before.
    """
    answered_at = find_answered_at(answer, now)
    if state.status in _WAITING:
        detail = "its crawl has started"
        state = move(state, DomainStatus.ACTIVE, Cause.ANSWERED, detail=detail, at=answered_at)
    if isinstance(answer, Failure):
        state = _apply_failure(state, answer, answered_at, settings)
    else:
        state = _apply_response(state, answer, answered_at, settings, roll, is_retry=is_retry)
    return plan_block(state, answer, answered_at, settings)


def apply_rejection(
    state: DomainState,
    answer: Response,
    rejected: Rejected,
    settings: Settings,
    roll: float,
    *,
    now: Instant,
    is_retry: bool = False,
) -> DomainState:
    """The domain's state after an answer that turned the crawler away, whatever its status said: it counts
    as a 403. `state`: before the answer. A bot check of a known vendor is meant for every page: the domain
    rests at once."""
    forbidden = replace(answer, status=403)
    state = apply_answer(state, forbidden, settings, roll, now=now, is_retry=is_retry)
    is_wall = rejected.reason is RejectionReason.BOT_CHECK and rejected.vendor is not None
    if not is_wall or state.status in RESTING:
        return state
    return block(state, Cause.BOT_WALL, rejected.detail, find_answered_at(answer, now), settings)


def apply_outcome(
    state: DomainState,
    visit: Visit,
    settings: Settings,
    *,
    stored_pages: int,
    now: Instant,
) -> DomainState:
    """The domain's state after the outcome of a visit: whether it serves pages or asks for a login instead.
    `stored_pages`: of the domain, so far."""
    match find_login_sign(visit.target.url, visit.outcome):
        case LoginSign.GOOD if state.login_streak or state.retries:
            return replace(state, login_streak=0, retries=0)
        # A url that has failed before says something about itself, and little about its domain.
        case LoginSign.WALL if not visit.target.attempts:
            state = replace(state, login_streak=state.login_streak + 1)
            return plan_login_block(state, stored_pages, now, settings)
    return state


def find_answered_at(answer: Response | Failure, now: Instant) -> Instant:
    """The instant of the first byte, or of the failure.

    Counted back from now: in a busy process a request leaves later than it was started, so counting from its
    start would give an instant before the true one, and shorten the delay by the difference.
    """
    if isinstance(answer, Failure):
        return max(now, answer.started_at + answer.elapsed_s)
    timings = answer.timings
    return max(now - (timings.total_s - timings.first_byte_s), answer.started_at + timings.first_byte_s)


def _apply_failure(
    state: DomainState, failure: Failure, answered_at: Instant, settings: Settings
) -> DomainState:
    pace = politeness.after_error(
        state.pace, status=None, answered_at=answered_at, response_s=failure.elapsed_s
    )
    if failure.kind in _HARMLESS:
        return replace(state, pace=pace)
    return replace(
        state, pace=pace, breaker=breakers.on_failure(state.breaker, answered_at, settings.breaker)
    )


def _apply_response(
    state: DomainState,
    response: Response,
    answered_at: Instant,
    settings: Settings,
    roll: float,
    *,
    is_retry: bool,
) -> DomainState:
    found = classify_status(response.status)
    response_s = response.timings.total_s
    if found in _GOOD:
        pace = politeness.after_answer(
            state.pace, answered_at=answered_at, response_s=response_s, settings=settings.politeness
        )
    elif found in (StatusClass.PUSHBACK, StatusClass.FORBIDDEN):
        pace = politeness.after_pushback(
            state.pace,
            status=response.status,
            answered_at=answered_at,
            retry_after_s=parse_retry_after(response.headers.get("retry-after"), answered_at),
            settings=settings.politeness,
            roll=roll,
            is_retry=is_retry,
        )
        return replace(state, pace=pace)
    else:
        pace = politeness.after_error(
            state.pace, status=response.status, answered_at=answered_at, response_s=response_s
        )
    if response.status >= 500:
        breaker = breakers.on_failure(state.breaker, answered_at, settings.breaker)
    else:
        breaker = breakers.on_success(state.breaker, settings.breaker)
    return replace(state, pace=pace, breaker=breaker)
