"""Room for requests: who answers keeps a worker busy, who does not only waits."""

import pytest

from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness
from tenax.crawl.visits.slots import PLAIN_BYTES, PROMPT_S, TLS_BYTES, Slot, Slots, count_slots
from tenax.policy.memory import plan_memory
from tests.support.crawling import make_domain

PLENTY = 10**9
HTTP, HTTPS = "http://a.test", "https://a.test"


class Stopwatch:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def time() -> Stopwatch:
    return Stopwatch()


def make_slots(
    time: Stopwatch, concurrency: int = 4, *, most_waiting: int = 8, waiting_bytes: int = PLENTY
) -> Slots:
    return Slots(concurrency, waiting_bytes, most_waiting=most_waiting, time=time)


def make(manner: Responsiveness) -> LeasedDomain:
    domain = make_domain()
    domain.manner = manner
    return domain


def fill(slots: Slots, manner: Responsiveness, url: str = HTTP) -> list[Slot]:
    """As many requests as may start, each of its own domain."""
    taken = []
    while manner in slots.list_open():
        taken.append(slots.take(make(manner), url))
        assert len(taken) < 10_000
    return taken


def test_domains_that_answer_have_as_many_slots_as_there_is_concurrency(time: Stopwatch) -> None:
    slots = make_slots(time)
    assert len(fill(slots, Responsiveness.PROMPT)) == 4
    assert (slots.working, slots.waiting, slots.in_flight) == (4, 0, 4)


def test_whoever_is_not_known_to_answer_takes_none_of_them_while_there_is_room_to_wait(
    time: Stopwatch,
) -> None:
    slots = make_slots(time)
    slots.take(make(Responsiveness.UNKNOWN), HTTP)
    slots.take(make(Responsiveness.SLOW), HTTP)
    assert (slots.working, slots.waiting) == (0, 2)
    assert len(fill(slots, Responsiveness.PROMPT)) == 4


@pytest.mark.parametrize("manner", [Responsiveness.UNKNOWN, Responsiveness.SLOW])
def test_however_many_are_silent_some_of_the_slots_are_for_those_that_answer(
    manner: Responsiveness, time: Stopwatch
) -> None:
    slots = make_slots(time, 100, most_waiting=10)
    fill(slots, manner)
    time.now_s += PROMPT_S
    slots.sweep()
    assert len(fill(slots, Responsiveness.PROMPT)) >= 40


def test_new_domains_are_asked_when_those_known_to_be_slow_wait_for_all_they_may(time: Stopwatch) -> None:
    slots = make_slots(time)
    fill(slots, Responsiveness.SLOW)
    assert slots.list_open() == (Responsiveness.PROMPT, Responsiveness.UNKNOWN)


def test_without_any_room_to_wait_new_domains_still_get_their_turn(time: Stopwatch) -> None:
    slots = make_slots(time, 1, most_waiting=0, waiting_bytes=0)
    assert slots.list_open() == (Responsiveness.PROMPT, Responsiveness.UNKNOWN, Responsiveness.SLOW)
    slot = slots.take(make(Responsiveness.UNKNOWN), HTTP)
    assert slots.list_open() == ()
    slots.give_back(slot)
    assert slots.list_open() == (Responsiveness.PROMPT, Responsiveness.UNKNOWN, Responsiveness.SLOW)


def test_a_request_that_becomes_silent_leaves_its_slot_to_others(time: Stopwatch) -> None:
    slots = make_slots(time)
    taken = fill(slots, Responsiveness.PROMPT)
    time.now_s += PROMPT_S / 2
    slots.sweep()
    assert not slots.has_work_room
    assert slots.find_sweep_s() == PROMPT_S / 2
    time.now_s += PROMPT_S / 2
    slots.sweep()
    assert (slots.working, slots.waiting, slots.silent) == (0, 4, 4)
    assert [slot.domain.manner for slot in taken] == [Responsiveness.SLOW] * 4
    assert [slot.domain.silent for slot in taken] == [1] * 4


def test_it_keeps_its_slot_while_nobody_else_can_wait_and_leaves_it_then(time: Stopwatch) -> None:
    slots = make_slots(time, most_waiting=4)
    first = fill(slots, Responsiveness.PROMPT)
    time.now_s += PROMPT_S
    slots.sweep()
    fill(slots, Responsiveness.PROMPT)
    time.now_s += PROMPT_S
    slots.sweep()
    assert (slots.working, slots.waiting, slots.silent) == (4, 4, 8)
    slots.give_back(first[0])
    slots.sweep()
    assert (slots.working, slots.waiting, slots.silent) == (3, 4, 7)


def test_an_end_in_time_makes_a_domain_prompt_and_a_late_one_slow(time: Stopwatch) -> None:
    slots = make_slots(time)
    domain = make(Responsiveness.UNKNOWN)
    slot = slots.take(domain, HTTP)
    time.now_s += PROMPT_S - 0.01
    slots.give_back(slot)
    assert domain.manner is Responsiveness.PROMPT
    slot = slots.take(domain, HTTP)
    time.now_s += PROMPT_S
    slots.sweep()
    time.now_s += 30
    slots.give_back(slot)
    assert (domain.manner, domain.silent) == (Responsiveness.SLOW, 0)
    assert (slots.in_flight, slots.silent) == (0, 0)


def test_everything_is_given_back_in_whatever_order(time: Stopwatch) -> None:
    slots = make_slots(time)
    taken = [slot for manner in Responsiveness for slot in fill(slots, manner, HTTPS)]
    time.now_s += PROMPT_S
    slots.sweep()
    for slot in reversed(taken):
        slots.give_back(slot)
    slots.sweep()
    assert (slots.working, slots.waiting, slots.silent) == (0, 0, 0)
    assert len(fill(slots, Responsiveness.PROMPT)) == 4


def test_where_all_are_slow_about_as_many_are_asked_as_there_is_concurrency(time: Stopwatch) -> None:
    memory = plan_memory(Settings())
    slots = make_slots(time, 100, most_waiting=1000, waiting_bytes=memory.waits)
    assert len(fill(slots, Responsiveness.SLOW, HTTPS)) >= 80


def test_waits_with_tls_take_more_of_the_memory(time: Stopwatch) -> None:
    room = 20 * TLS_BYTES
    plain, secure = (make_slots(time, 100, most_waiting=1000, waiting_bytes=room) for _ in range(2))
    fill(plain, Responsiveness.SLOW, HTTP)
    fill(secure, Responsiveness.SLOW, HTTPS)
    assert secure.waiting * TLS_BYTES <= room
    assert plain.waiting * PLAIN_BYTES <= room
    assert plain.waiting > 5 * secure.waiting


def test_ten_may_wait_beside_each_that_works() -> None:
    assert count_slots(3) == 3 + 3 * 10


def test_silent_requests_keep_nobody_busy(time: Stopwatch) -> None:
    slots = make_slots(time)
    fill(slots, Responsiveness.PROMPT)
    assert slots.is_busy
    time.now_s += PROMPT_S
    slots.sweep()
    assert not slots.is_busy
