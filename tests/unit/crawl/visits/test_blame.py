"""Whose fault an answer is: the site's, this machine's, or not known yet."""

import pytest

from tenax.config.network import NetworkSettings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.policy.outages import NO_ROUTE_TRIES, Fault
from tenax.policy.overload import REST_S
from tenax.records.requests import Failure, FailureKind
from tests.support.clock import FakeClock
from tests.support.crawling import make_blame, make_domain, make_failure, make_response

OURS_IF_UNSENT = (FailureKind.LOCAL, FailureKind.NO_ROUTE)
LONELY = "six.test"


class Play:
    def __init__(self, *, is_enabled: bool = True) -> None:
        self.clock = FakeClock()
        self.blame = make_blame(self.clock, settings=NetworkSettings(enabled=is_enabled))
        self.domain = make_domain()

    def fail(self, failure: Failure, domain: LeasedDomain | None = None) -> Fault:
        return self.blame.find_fault(domain or self.domain, failure, self.clock.now(), 0)

    def answer(self) -> Fault:
        return self.blame.find_fault(self.domain, make_response(), self.clock.now(), 0)


@pytest.mark.parametrize("kind", [kind for kind in FailureKind if kind not in OURS_IF_UNSENT])
def test_what_a_site_did_is_its_own(kind: FailureKind) -> None:
    play = Play()
    assert play.fail(make_failure(kind)) is Fault.SITE
    assert play.blame.take_unreported() == 0


@pytest.mark.parametrize("kind", [FailureKind.DNS, FailureKind.TIMEOUT, FailureKind.CONNECT])
def test_silence_is_not_judged_at_once(kind: FailureKind) -> None:
    assert Play().fail(make_failure(kind, is_unheard=True)) is Fault.UNJUDGED


def test_silence_is_the_sites_if_outages_are_not_watched_for() -> None:
    assert Play(is_enabled=False).fail(make_failure(is_unheard=True)) is Fault.SITE


@pytest.mark.parametrize("kind", OURS_IF_UNSENT)
def test_what_could_not_be_sent_is_ours_and_changes_nothing_of_the_domain(kind: FailureKind) -> None:
    play = Play()
    before = play.domain.state
    assert play.fail(make_failure(kind)) is Fault.OURS
    play.domain.plan(play.clock.now(), 0.0)
    assert play.domain.ready_at == play.clock.now() + REST_S
    assert play.domain.state == before
    assert (play.blame.take_unreported(), play.blame.take_unreported()) == (1, 0)


def test_a_shortage_is_said() -> None:
    play = Play()
    play.fail(make_failure(FailureKind.LOCAL, detail="this machine has no memory left"))
    assert play.blame.trouble is not None
    assert play.blame.is_short
    assert [each.service for each in play.blame.list_breakers()] == ["machine"]


def test_while_others_answer_a_missing_route_is_soon_the_domains_own() -> None:
    play, lonely = Play(), make_domain(domain_id=2, name=LONELY)
    faults = []
    for _ in range(NO_ROUTE_TRIES):
        play.clock.advance(1.0)
        assert play.answer() is Fault.SITE
        play.clock.advance(1.0)
        faults.append(play.fail(make_failure(FailureKind.NO_ROUTE, is_unheard=True), lonely))
    assert faults == [Fault.UNJUDGED, Fault.UNJUDGED, Fault.SITE]


def test_while_nobody_answers_a_missing_route_is_never_the_domains_own() -> None:
    play = Play(is_enabled=False)
    play.answer()
    for _ in range(10):
        assert play.fail(make_failure(FailureKind.NO_ROUTE)) is Fault.OURS
        play.clock.advance(1.0)


def test_an_unjudged_answer_that_turns_out_to_be_ours_counts_as_never_made() -> None:
    play, judged = Play(), list[Fault]()
    failure = make_failure(FailureKind.NO_ROUTE, is_unheard=True)
    assert play.fail(failure) is Fault.UNJUDGED
    play.blame.hold(play.domain, failure, play.clock.now(), judged.append)
    other = make_domain(domain_id=2, name=LONELY)
    play.clock.advance(1.0)
    response = make_response(started_at=play.clock.now())
    play.blame.find_fault(other, response, play.clock.now(), 0)
    assert judged == [Fault.OURS]
    assert play.blame.take_unreported() == 1
