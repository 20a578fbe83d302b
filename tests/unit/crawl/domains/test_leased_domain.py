"""A leased domain in a worker's memory: its return from a rest, its story, what its robots.txt deny."""

import pytest

from tenax.records.domains import Cause, DomainState, DomainStatus, RobotsRecord
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

BLOCKED = DomainState(
    status=DomainStatus.BLOCKED, block_code="forbidden", block_reason="403", next_crawl_after=START
)


def robots(origin: str, body: bytes = b"User-agent: *\nDisallow: /") -> RobotsRecord:
    return RobotsRecord(origin=origin, status=200, body=body, fetched_at=START, expires_at=START + 60)


def test_a_domain_whose_cooldown_is_over_is_pending_and_may_be_asked() -> None:
    domain = make_domain(state=BLOCKED)
    assert (domain.state.status, domain.state.retries) == (DomainStatus.PENDING, 1)
    assert domain.ready_at <= START


def test_a_domain_that_is_blocked_for_good_is_never_asked() -> None:
    state = DomainState(status=DomainStatus.BLOCKED, block_code="manual")
    assert make_domain(state=state).ready_at > START + 100 * 365 * 86_400


def test_an_exhausted_domain_does_not_wait_for_its_refresh() -> None:
    state = DomainState(status=DomainStatus.EXHAUSTED, next_crawl_after=START + 1000)
    assert make_domain(state=state).ready_at <= START


def test_a_story_is_handed_over_once() -> None:
    domain = make_domain(state=BLOCKED)
    first, second = domain.hand_over(), domain.hand_over()
    assert [each.cause for each in first.state.transitions] == [Cause.COOLDOWN_OVER]
    assert second.state.transitions == ()


HTTP, HTTPS, WWW = "http://a.test", "https://a.test", "http://www.a.test"


@pytest.mark.parametrize(
    ("known", "waiting", "is_denied"),
    [
        ([robots(HTTP)], [HTTP], True),
        ([robots(HTTP), robots(HTTPS)], [HTTP, HTTPS], True),
        ([robots(HTTP)], [HTTP, WWW], False),  # nothing is known of one that waits
        ([robots(HTTP), robots(WWW, b"")], [HTTP], False),  # one is open, though nothing of it waits
    ],
)
def test_a_domain_is_denied_when_all_of_it_is(
    known: list[RobotsRecord], waiting: list[str], is_denied: bool
) -> None:
    queue = [make_target(f"{origin}/{number}", id=number) for number, origin in enumerate(waiting)]
    assert make_domain(queue=queue, robots=known).is_denied() == is_denied
