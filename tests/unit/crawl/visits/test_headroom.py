"""How many requests a worker makes while its machine is short of something."""

from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.visits.headroom import Headroom
from tenax.policy.overload import LONGEST_PAUSE_S, NO_ROUTE_TRIES, REST_S
from tenax.records.domains import BreakerState
from tenax.records.requests import FailureKind
from tenax.stores.contracts.vitals import BackingService
from tests.support.clock import FakeClock
from tests.support.crawling import make_domain, make_failure

FULL = 100


class Play:
    """A worker's headroom, and what the fetcher is told."""

    def __init__(self, capacity: int = 1000) -> None:
        self.clock = FakeClock()
        self.sizes: list[int] = []
        self.headroom = Headroom(FULL, capacity, self.sizes.append, self.clock)
        self.domain = make_domain()

    def fail(self, kind: FailureKind, in_flight: int = 0, domain: LeasedDomain | None = None) -> bool:
        failure = make_failure(kind, detail="this machine has no memory left")
        return self.headroom.absorb(domain or self.domain, failure, self.clock.now(), in_flight)

    def answer(self, after_s: float = 0.0) -> None:
        self.clock.advance(after_s)
        self.headroom.note_answer(self.domain, self.clock.now())


def test_as_many_as_are_set_while_nothing_is_short() -> None:
    play = Play()
    assert (play.headroom.limit, play.headroom.trouble, play.headroom.list_breakers()) == (FULL, None, [])


def test_no_more_than_there_are_descriptors_for() -> None:
    assert Play(capacity=7).headroom.limit == 7
    assert Play(capacity=0).headroom.limit == 1


def test_what_a_site_did_is_not_taken_on() -> None:
    play = Play()
    theirs = set(FailureKind) - {FailureKind.LOCAL, FailureKind.NO_ROUTE}
    assert not any(play.fail(kind) for kind in theirs)
    assert play.headroom.limit == FULL


def test_a_shortage_halves_what_was_under_way_once_for_all_that_failed_together() -> None:
    play = Play()
    assert [play.fail(FailureKind.LOCAL, in_flight=40 - lost) for lost in range(20)] == [True] * 20
    assert (play.headroom.limit, play.sizes, play.headroom.take_unreported()) == (20, [20], 20)
    assert play.headroom.take_unreported() == 0


def test_answers_bring_all_back_step_by_step() -> None:
    play = Play()
    play.fail(FailureKind.LOCAL, in_flight=40)
    limits = []
    while play.headroom.is_short:
        play.answer(after_s=0.5)
        limits.append(play.headroom.limit)
    assert limits == sorted(limits)
    assert (limits[0], limits[1], limits[-1]) == (20, 25, FULL)
    assert play.sizes[-1] == 1000


def test_when_even_one_is_too_many_all_pause_for_longer_and_longer() -> None:
    play = Play()
    pauses = []
    for _ in range(20):
        play.fail(FailureKind.LOCAL)
        if (until := play.headroom.paused_until) and until > play.clock.now():
            pauses.append(until - play.clock.now())
            assert play.headroom.limit == 0
            play.clock.advance(pauses[-1] + 0.001)
        else:
            play.clock.advance(REST_S)
        assert play.headroom.limit == 1
    assert pauses[:5] == sorted(pauses[:5])
    assert abs(pauses[-1] - LONGEST_PAUSE_S) < 0.001


def test_the_domain_rests_a_moment_and_nothing_else_of_it_moves() -> None:
    play = Play()
    before = play.domain.state
    play.fail(FailureKind.LOCAL)
    play.domain.plan(play.clock.now(), 0.0)
    assert play.domain.ready_at == play.clock.now() + REST_S
    assert play.domain.state == before


def test_without_any_answer_a_missing_route_is_the_machines() -> None:
    play = Play()
    assert all(play.fail(FailureKind.NO_ROUTE) for _ in range(50))
    assert play.headroom.limit == 0
    (breaker,) = play.headroom.list_breakers()
    assert (breaker.service, breaker.state) == (BackingService.MACHINE, BreakerState.OPEN)
    play.clock.advance(LONGEST_PAUSE_S)
    play.answer()
    assert play.headroom.limit == FULL


def test_while_others_answer_a_missing_route_is_soon_the_domains_and_holds_nobody_up() -> None:
    play, lonely = Play(), make_domain(domain_id=2, name="six.test")
    taken_on: list[bool] = []
    while not taken_on or taken_on[-1]:
        play.answer(after_s=1.0)
        taken_on.append(play.fail(FailureKind.NO_ROUTE, domain=lonely))
        assert play.headroom.limit == FULL
    assert len(taken_on) == NO_ROUTE_TRIES


def test_a_network_that_is_away_between_answers_costs_no_domain_anything() -> None:
    play = Play()
    play.answer()
    for _ in range(10):
        assert play.fail(FailureKind.NO_ROUTE)
        play.clock.advance(1.0)


def test_what_is_short_is_said() -> None:
    play = Play()
    play.fail(FailureKind.LOCAL, in_flight=40)
    (breaker,) = play.headroom.list_breakers()
    assert breaker.reason == "this machine has no memory left; limited to 20 of 100 concurrent requests"
    assert (breaker.service, breaker.state) == (BackingService.MACHINE, BreakerState.HALF_OPEN)
