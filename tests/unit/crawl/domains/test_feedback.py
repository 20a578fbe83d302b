"""What an answer says about its domain."""

from dataclasses import replace

import pytest

from tenax.config.settings import Settings
from tenax.crawl.domains.feedback import apply_answer, apply_outcome, apply_rejection
from tenax.records.domains import Breaker, BreakerState, Cause, DomainState, DomainStatus, Pace
from tenax.records.requests import Failure, FailureKind, Response
from tenax.records.urls import RejectionReason
from tenax.records.visits import Outcome, Redirected, Rejected
from tests.support.clock import START
from tests.support.crawling import make_failure, make_response, make_target
from tests.support.store import make_fetched, make_visit

SETTINGS = Settings()
ACTIVE = DomainState(status=DomainStatus.ACTIVE)


def after(*answers: Response | Failure, state: DomainState = ACTIVE, is_retry: bool = False) -> DomainState:
    for answer in answers:
        spent_s = answer.elapsed_s if isinstance(answer, Failure) else answer.timings.total_s
        state = apply_answer(state, answer, SETTINGS, 0.0, now=START + spent_s, is_retry=is_retry)
    return state


@pytest.mark.parametrize("status", [DomainStatus.PENDING, DomainStatus.EXHAUSTED])
def test_a_domain_that_answers_is_active(status: DomainStatus) -> None:
    assert after(make_response(), state=DomainState(status=status)).status is DomainStatus.ACTIVE


def test_the_pace_counts_from_the_first_byte() -> None:
    assert after(make_response()).pace.last_answer_at == START + 0.25


def test_the_pace_counts_from_the_end_of_a_failure() -> None:
    assert after(make_failure(elapsed_s=3.0)).pace.last_answer_at == START + 3.0


def test_a_request_that_left_late_does_not_shorten_the_delay() -> None:
    state = apply_answer(ACTIVE, make_response(), SETTINGS, 0.0, now=START + 1.0)
    assert state.pace.last_answer_at == START + 0.75


def test_a_clock_that_was_set_back_does_not_shorten_the_delay() -> None:
    state = apply_answer(ACTIVE, make_response(), SETTINGS, 0.0, now=START - 60)
    assert state.pace.last_answer_at == START + 0.25


@pytest.mark.parametrize("answer", [make_failure(), make_response(500), make_response(502)])
def test_failures_in_a_row_open_the_breaker(answer: Response | Failure) -> None:
    assert after(*[answer] * 4).breaker.state is BreakerState.CLOSED
    assert after(*[answer] * 5).breaker.state is BreakerState.OPEN


@pytest.mark.parametrize("status", [200, 301, 304, 404, 410])
def test_an_answer_below_500_ends_a_row_of_failures(status: int) -> None:
    assert after(make_failure(), make_response(status)).breaker == Breaker()


@pytest.mark.parametrize("kind", [FailureKind.TOO_LARGE, FailureKind.ENCODING, FailureKind.FORBIDDEN_ADDRESS])
def test_a_failure_of_one_document_says_nothing_about_the_server(kind: FailureKind) -> None:
    assert after(*[make_failure(kind)] * 9).breaker == Breaker()


@pytest.mark.parametrize("status", [429, 503])
def test_a_push_back_rests_and_leaves_the_breaker_alone(status: int) -> None:
    state = after(make_response(status, headers={"retry-after": "30"}))
    assert state.pace.backoff_until == START + 0.25 + 30
    assert state.breaker == Breaker()


def test_a_row_of_push_backs_blocks() -> None:
    state = DomainState(status=DomainStatus.ACTIVE, pace=Pace(pushback_streak=4, backoff_level=4))
    blocked = after(make_response(429), state=state)
    assert (blocked.status, blocked.block_code) == (DomainStatus.BLOCKED, "rate_limited")
    assert blocked.next_crawl_after == START + 0.25 + SETTINGS.domains.rate_limited_s


def test_a_url_that_fails_again_does_not_block_its_domain() -> None:
    state = DomainState(status=DomainStatus.ACTIVE, pace=Pace(pushback_streak=4, backoff_level=4))
    assert after(make_response(503), state=state, is_retry=True).status is DomainStatus.ACTIVE


def test_an_open_breaker_that_keeps_opening_makes_a_domain_unreachable() -> None:
    trying = DomainState(
        status=DomainStatus.ACTIVE, breaker=Breaker(state=BreakerState.HALF_OPEN, trips=2, failures=5)
    )
    assert after(make_failure(), state=trying).status is DomainStatus.UNREACHABLE


# --- what came of visits -------------------------------------------------------------------------

WALL = Redirected(status=302, to_url="http://a.test/login")


def after_visits(*outcomes: Outcome, state: DomainState = ACTIVE, attempts: int = 0) -> DomainState:
    for outcome in outcomes:
        visit = make_visit(make_target("http://a.test/x", attempts=attempts), outcome, at=START)
        state = apply_outcome(state, visit, SETTINGS, stored_pages=0, now=START)
    return state


def test_walls_in_a_row_block() -> None:
    assert after_visits(*[WALL] * 9).status is DomainStatus.ACTIVE
    assert after_visits(*[WALL] * 10).block_code == "login_required"


def test_a_page_between_walls_ends_their_row() -> None:
    assert after_visits(*[WALL] * 9, make_fetched(), *[WALL] * 9).login_streak == 9


def test_a_url_that_has_failed_before_is_no_wall() -> None:
    assert after_visits(*[WALL] * 20, attempts=1) is ACTIVE


def test_a_page_forgives_the_cooldowns_before() -> None:
    tried = replace(ACTIVE, retries=3)
    assert after_visits(WALL, state=tried).retries == 3
    assert after_visits(make_fetched(), state=tried).retries == 0


def test_an_ordinary_page_leaves_the_state_the_same_object() -> None:
    assert after_visits(make_fetched()) is ACTIVE


def test_answers_that_come_late_do_not_block_twice() -> None:
    blocked = after_visits(*[WALL] * 10)
    assert after_visits(WALL, state=blocked).transitions == blocked.transitions


# --- answers that are no pages --------------------------------------------------------------------------


def reject(state: DomainState, reason: RejectionReason, vendor: str | None = None) -> DomainState:
    rejected = Rejected(status=200, reason=reason, signature="x", detail="a wall (x)", vendor=vendor)
    return apply_rejection(state, make_response(), rejected, SETTINGS, 0.0, now=START)


def test_a_hard_rejection_counts_as_a_403() -> None:
    state = reject(ACTIVE, RejectionReason.PARKED)
    assert state.pace.forbidden_streak == 1
    assert state.status is DomainStatus.ACTIVE


def test_walls_and_403s_are_in_one_row() -> None:
    state = after(make_response(status=403), make_response(status=403))
    assert reject(state, RejectionReason.ACCESS_DENIED).pace.backoff_until is not None


def test_a_bot_check_of_a_known_vendor_blocks_at_once() -> None:
    state = reject(ACTIVE, RejectionReason.BOT_CHECK, vendor="Cloudflare")
    assert (state.status, state.block_code) == (DomainStatus.BLOCKED, Cause.BOT_WALL)
    assert state.transitions[-1].detail == "a wall (x)"
    assert state.next_crawl_after is not None


def test_another_captcha_does_not() -> None:
    assert reject(ACTIVE, RejectionReason.BOT_CHECK).status is DomainStatus.ACTIVE
    assert reject(ACTIVE, RejectionReason.ACCESS_DENIED, vendor="Akamai").status is DomainStatus.ACTIVE
