"""How many requests a worker makes while its machine is short of something."""

from tenax.crawl.visits.headroom import Headroom
from tenax.policy.overload import LONGEST_PAUSE_S, REST_S
from tenax.records.domains import BreakerState
from tenax.stores.contracts.vitals import BackingService
from tests.support.clock import FakeClock

FULL = 100


class Play:
    """A worker's headroom, and what the fetcher is told."""

    def __init__(self, capacity: int = 1000) -> None:
        self.clock = FakeClock()
        self.sizes: list[int] = []
        self.headroom = Headroom(FULL, capacity, self.sizes.append, self.clock)

    def fail(self, in_flight: int = 0) -> None:
        self.headroom.note_shortage("this machine has no memory left", self.clock.now(), in_flight)

    def answer(self, after_s: float = 0.0) -> None:
        self.clock.advance(after_s)
        self.headroom.note_answer(self.clock.now())


def test_as_many_as_are_set_while_nothing_is_short() -> None:
    play = Play()
    assert (play.headroom.limit, play.headroom.trouble, play.headroom.list_breakers()) == (FULL, None, [])


def test_no_more_than_there_are_descriptors_for() -> None:
    assert Play(capacity=7).headroom.limit == 7
    assert Play(capacity=0).headroom.limit == 1


def test_a_shortage_halves_what_was_under_way_once_for_all_that_failed_together() -> None:
    play = Play()
    for lost in range(20):
        play.fail(in_flight=40 - lost)
    assert (play.headroom.limit, play.sizes) == (20, [20])


def test_answers_bring_all_back_step_by_step() -> None:
    play = Play()
    play.fail(in_flight=40)
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
        play.fail()
        if (until := play.headroom.paused_until) and until > play.clock.now():
            pauses.append(until - play.clock.now())
            assert play.headroom.limit == 0
            play.clock.advance(pauses[-1] + 0.001)
        else:
            play.clock.advance(REST_S)
        assert play.headroom.limit == 1
    assert pauses[:5] == sorted(pauses[:5])
    assert abs(pauses[-1] - LONGEST_PAUSE_S) < 0.001


def test_what_is_short_is_said() -> None:
    play = Play()
    play.fail(in_flight=40)
    (breaker,) = play.headroom.list_breakers()
    assert breaker.reason == "this machine has no memory left; limited to 20 of 100 concurrent requests"
    assert (breaker.service, breaker.state) == (BackingService.MACHINE, BreakerState.HALF_OPEN)
