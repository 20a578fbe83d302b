"""How a worker notices that its network is gone, waits, and goes on."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tenax.config.network import NetworkSettings
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.pool import Pool
from tenax.crawl.visits.network_watch import NetworkWatch
from tenax.fetch.references import NetworkVerdict, References
from tenax.policy.outages import GRACE_S, LEAST_CHECK_S, Fault, NetworkState
from tenax.records.requests import Failure, FailureKind, Request, Response
from tests.support.clock import FakeClock
from tests.support.crawling import make_domain, make_failure, make_response, make_target

UP, DOWN, UNKNOWN = NetworkState.UP, NetworkState.DOWN, NetworkState.UNKNOWN
SETTINGS = NetworkSettings(check_s=30, sites=3, quiet_s=10)


def _do_nothing() -> None:
    pass


class Fetcher:
    def __init__(self) -> None:
        self.name_servers: tuple[str, ...] = ("192.0.2.53:53",)
        self.names_found_at: float | None = None
        self.answers: list[Response | Failure] = []
        self.asked: list[str] = []
        self.forgot_names = 0

    def forget_failed_names(self) -> None:
        self.forgot_names += 1

    async def fetch(self, request: Request) -> Response | Failure:
        self.asked.append(request.url)
        return self.answers.pop(0)


class Play:
    """A worker with some domains, all of which may be asked."""

    def __init__(self, *states: NetworkState, domains: int = 5, settings: NetworkSettings = SETTINGS) -> None:
        self.clock = FakeClock()
        self.pool = Pool()
        self.domains = [self._add(number) for number in range(domains)]
        self.fetcher = Fetcher()
        self.states = list(states)
        self.asked: list[References] = []
        fetcher: Any = self.fetcher
        self.watch = NetworkWatch(settings, self.pool, fetcher, self.clock, self._ask)
        self.judged: list[tuple[str, Fault]] = []
        self.meanwhile: Callable[[], None] = _do_nothing  # while the references are asked

    def _add(self, number: int) -> LeasedDomain:
        name = f"d{number}.test"
        target = make_target(f"http://{name}/", id=number)
        domain = make_domain(domain_id=number + 1, name=name, queue=[target], now=self.clock.now())
        self.pool.add(domain, self.clock.now())
        return domain

    async def _ask(self, references: References, timeout_s: float) -> NetworkVerdict:
        self.asked.append(references)
        state = self.states.pop(0)
        await asyncio.create_task(self._visit())
        return NetworkVerdict(state=state, detail="no reference answers")

    async def _visit(self) -> None:
        """Another task of the worker, which goes on."""
        self.meanwhile()

    def answer(self, number: int, started_at: float | None = None, **fields: Any) -> Fault:
        domain = self.domains[number]
        fields.setdefault("url", f"http://{domain.name}/")
        response = make_response(started_at=self.clock.now() if started_at is None else started_at, **fields)
        return self.take(domain, response)

    def fail(
        self, number: int, kind: FailureKind = FailureKind.TIMEOUT, started_at: float | None = None
    ) -> Fault:
        at = self.clock.now() if started_at is None else started_at
        return self.take(self.domains[number], make_failure(kind, is_unheard=True, started_at=at))

    def take(self, domain: LeasedDomain, answer: Response | Failure) -> Fault:
        """What the visits do with an answer."""
        now = self.clock.now()
        if isinstance(answer, Response):
            fault = self.watch.note_response(domain, answer, now)
        else:
            fault = self.watch.find_fault(answer)
        if fault is Fault.UNJUDGED:
            self.watch.hold(domain, answer, now, lambda fault: self.judged.append((domain.name, fault)))
        return fault

    def check(self, after_s: float = 0.0) -> None:
        self.clock.advance(after_s)
        asyncio.run(self.watch.check())

    def is_waiting(self) -> bool:
        return self.watch.is_waiting

    def find_check_in_s(self) -> float | None:
        at = self.watch.find_check_at()
        return None if at is None else round(at - self.clock.now(), 3)


def test_a_healthy_network_is_never_asked_about() -> None:
    play = Play()
    play.answer(0)
    assert play.find_check_in_s() is None
    assert (play.watch.trouble, play.watch.list_breakers()) == (None, [])


def test_a_dead_site_among_others_that_answer_is_judged_without_asking_anybody() -> None:
    play = Play()
    assert play.fail(0) is Fault.UNJUDGED
    assert play.domains[0].unjudged == 1
    play.clock.advance(0.1)
    play.answer(1)
    assert play.judged == [("d0.test", Fault.SITE)]
    assert (play.domains[0].unjudged, play.asked) == (0, [])


def test_an_answer_on_its_way_when_the_site_failed_shows_nothing() -> None:
    play = Play()
    started_at = play.clock.now()
    play.clock.advance(1.0)
    play.fail(0)
    play.answer(1, started_at=started_at)
    assert play.judged == []


def test_an_answer_from_this_machine_itself_shows_nothing() -> None:
    play = Play()
    play.fail(0)
    play.clock.advance(0.1)
    play.answer(1, address="127.0.0.1")
    assert play.judged == []


def test_a_lonely_dead_site_is_judged_when_the_references_answer() -> None:
    play = Play(UP, domains=1)
    play.fail(0)
    assert play.find_check_in_s() == GRACE_S
    play.check(GRACE_S)
    assert play.judged == [("d0.test", Fault.SITE)]
    assert not play.is_waiting()


def test_references_are_not_asked_without_end() -> None:
    play = Play(UP, UP, domains=2)
    play.fail(0)
    play.check(GRACE_S)
    play.fail(1)
    assert play.find_check_in_s() == LEAST_CHECK_S


def test_a_failure_that_came_while_they_were_asked_waits_for_the_next_time() -> None:
    play = Play(UP, UP, domains=2)
    play.fail(0)
    play.clock.advance(GRACE_S)

    def fail_meanwhile() -> None:
        play.meanwhile = _do_nothing
        play.clock.advance(1.0)
        play.fail(1)

    play.meanwhile = fail_meanwhile
    play.check()
    assert play.judged == [("d0.test", Fault.SITE)]
    play.check(LEAST_CHECK_S)
    assert play.judged == [("d0.test", Fault.SITE), ("d1.test", Fault.SITE)]


def test_when_no_reference_answers_all_that_failed_never_happened() -> None:
    play = Play(DOWN)
    began_at = play.clock.now()
    for number in range(3):
        play.fail(number)
    assert play.find_check_in_s() == 0
    play.check()
    assert play.judged == [(f"d{number}.test", Fault.OURS) for number in range(3)]
    assert play.watch.waiting_since == began_at
    (breaker,) = play.watch.list_breakers()
    assert (breaker.service, breaker.state, breaker.since) == ("network", "open", began_at)
    assert breaker.retry_at == play.clock.now() + 30


def test_what_fails_while_it_waits_never_happened_either() -> None:
    play = Play(DOWN)
    play.fail(0)
    play.check(GRACE_S)
    assert play.fail(1) is Fault.OURS


def test_it_asks_again_at_intervals_and_goes_on_by_itself() -> None:
    play = Play(DOWN, DOWN, UP)
    play.fail(0)
    play.check(GRACE_S)
    assert play.find_check_in_s() == 30
    play.check(30)
    assert (play.is_waiting(), play.find_check_in_s()) == (True, 30)
    play.check(30)
    assert not play.is_waiting()
    assert play.find_check_in_s() is None
    assert play.fetcher.forgot_names == 1


def test_a_request_from_before_it_was_back_says_nothing_about_its_site() -> None:
    play = Play(DOWN, UP)
    play.fail(0)
    play.check(GRACE_S)
    started_at = play.clock.now()
    play.check(30)
    play.clock.advance(5.0)
    assert play.fail(1, started_at=started_at) is Fault.OURS
    assert play.fail(2) is Fault.UNJUDGED


def test_an_answer_while_it_waits_is_reason_to_ask_at_once() -> None:
    play = Play(DOWN)
    play.fail(0)
    play.check(GRACE_S)
    play.answer(1)
    assert play.find_check_in_s() == 0


def test_with_nobody_to_ask_a_failure_is_the_sites() -> None:
    play = Play(UNKNOWN, domains=1)
    play.fail(0)
    play.check(GRACE_S)
    assert play.judged == [("d0.test", Fault.SITE)]


def test_with_nobody_to_ask_and_no_route_it_waits() -> None:
    play = Play(UNKNOWN, domains=1)
    play.fail(0, FailureKind.NO_ROUTE)
    play.check()
    assert play.judged == [("d0.test", Fault.OURS)]
    assert play.is_waiting()


def test_with_nobody_to_ask_it_tries_again_at_intervals_and_blames_nobody() -> None:
    play = Play(UNKNOWN, UNKNOWN, UNKNOWN, domains=1)
    began_at = play.clock.now()
    play.fail(0, FailureKind.NO_ROUTE)
    play.check()
    play.check(30)
    assert not play.is_waiting()
    play.clock.advance(1)
    play.fail(0)
    play.check(GRACE_S)
    assert [fault for _, fault in play.judged] == [Fault.OURS] * 2
    assert play.watch.waiting_since == began_at


def test_with_nobody_to_ask_an_answer_shows_that_the_network_is_back() -> None:
    play = Play(UNKNOWN, UNKNOWN, UNKNOWN, domains=1)
    play.fail(0, FailureKind.NO_ROUTE)
    play.check()
    play.check(30)
    play.answer(0)
    play.fail(0)
    play.check(LEAST_CHECK_S)
    assert play.judged[-1] == ("d0.test", Fault.SITE)


def test_a_request_that_could_not_leave_is_ours_even_if_the_network_works() -> None:
    play = Play(UP)
    play.fail(0, FailureKind.LOCAL)
    play.check()
    assert play.judged == [("d0.test", Fault.OURS)]


# --- name servers --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FailureKind.DNS, FailureKind.NO_SUCH_HOST])
def test_a_name_is_judged_when_another_was_found_later(kind: FailureKind) -> None:
    play = Play()
    play.fail(0, kind)
    play.clock.advance(0.1)
    play.answer(1)
    assert play.judged == [], "an address that is known needs no name server"
    play.fetcher.names_found_at = play.clock.now()
    play.check(GRACE_S)
    assert (play.judged, play.asked) == ([("d0.test", Fault.SITE)], [])


def test_where_names_are_looked_up_nothing_works_without_name_servers() -> None:
    play = Play(UP, UP)
    play.fail(0)
    play.check(GRACE_S)
    play.fetcher.names_found_at = play.clock.now() - 60
    play.fail(0)
    play.check(LEAST_CHECK_S)
    assert [references.needs_names for references in play.asked] == [False, True]


# --- whom it asks ----------------------------------------------------------------------------------------


def test_sites_that_answered_lately_are_asked_at_their_pace_and_suspects_last() -> None:
    play = Play(UP)
    for number in range(3):
        play.answer(number, address=f"192.0.2.{number}")
    play.clock.advance(10)
    play.domains[2].spare(play.clock.now() + 60)
    for domain in play.domains:
        domain.plan(play.clock.now(), 0.0)
    play.fail(0)
    play.check(GRACE_S)
    (references,) = play.asked
    assert [each.ip for each in references.hosts] == ["192.0.2.1", "192.0.2.0"]
    assert play.domains[1].state.pace.last_start_at == play.clock.now()
    assert play.domains[1].ready_at > play.clock.now()


def test_one_suspect_is_no_reference_for_itself() -> None:
    play = Play(UNKNOWN)
    play.answer(0)
    play.clock.advance(10)
    play.fail(0)
    play.check(GRACE_S)
    assert play.asked[0].hosts == ()
    assert play.judged == [("d0.test", Fault.SITE)]


def test_suspects_are_judged_when_their_pace_lets_them_be_asked() -> None:
    play = Play(UNKNOWN, DOWN)
    for number in range(3):
        play.answer(number)
        play.domains[number].spare(play.clock.now() + 5)
        play.domains[number].plan(play.clock.now(), 0.0)
    for number in range(3):
        play.fail(number)
    play.check()
    assert (play.judged, play.is_waiting()) == ([], False)
    play.check(5)
    assert len(play.asked[1].hosts) == 3
    assert [fault for _, fault in play.judged] == [Fault.OURS] * 3


def test_a_site_that_answered_long_ago_is_not_asked() -> None:
    play = Play(UP)
    play.answer(1)
    play.clock.advance(3601)
    play.fail(0)
    play.check(GRACE_S)
    assert play.asked[0].hosts == ()


def test_hosts_and_name_servers_of_the_settings_replace_all_others() -> None:
    settings = NetworkSettings(hosts=("10.0.0.1",), name_servers=("10.0.0.2:5353",))
    play = Play(UP, settings=settings)
    play.answer(1)
    play.clock.advance(10)
    play.fail(0)
    play.check(GRACE_S)
    (references,) = play.asked
    assert [(each.ip, each.port) for each in references.hosts] == [("10.0.0.1", 443)]
    assert [(each.ip, each.port) for each in references.name_servers] == [("10.0.0.2", 5353)]
    assert references.gateways == ()


# --- quiet -----------------------------------------------------------------------------------------------


def test_quiet_after_answers_is_looked_into() -> None:
    play = Play(DOWN)
    play.answer(0)
    play.watch.note_silence(True, play.clock.now())
    began_at = play.clock.now()
    assert play.find_check_in_s() == 10
    play.check(10)
    assert play.watch.waiting_since == began_at


def test_a_slow_site_that_is_alone_from_the_start_is_waited_for() -> None:
    play = Play()
    play.watch.note_silence(True, play.clock.now())
    assert play.find_check_in_s() is None


def test_quiet_ends_with_an_answer() -> None:
    play = Play()
    play.answer(0)
    play.watch.note_silence(True, play.clock.now())
    play.answer(1)
    assert play.find_check_in_s() is None


# --- captive portals -------------------------------------------------------------------------------------


def redirect(play: Play, number: int, to: str = "http://portal.example/login") -> Fault:
    return play.answer(number, status=302, headers={"location": to})


def test_unrelated_sites_that_redirect_to_one_unknown_host_mean_a_captive_portal() -> None:
    play = Play()
    play.answer(4)
    play.clock.advance(1)
    assert [redirect(play, number) for number in range(3)] == [Fault.UNJUDGED] * 3
    assert play.judged == [(f"d{number}.test", Fault.OURS) for number in range(3)]
    assert play.watch.trouble is not None
    assert "captive portal (portal.example)" in play.watch.trouble


def test_a_captive_portal_is_waited_for_until_a_site_answers_for_itself() -> None:
    play = Play()
    play.answer(4)
    play.clock.advance(10)
    for number in range(3):
        redirect(play, number)
    portal = make_response(302, headers={"location": "http://portal.example/login"})
    play.fetcher.answers = [portal, make_response(200)]
    play.check(30)
    assert play.is_waiting()
    play.check(30)
    assert not play.is_waiting()
    assert play.fetcher.asked == ["http://d4.test/robots.txt"] * 2


def test_a_place_that_was_no_captive_portal_is_not_suspected_again() -> None:
    play = Play()
    play.answer(4)
    play.clock.advance(10)
    for number in range(3):
        redirect(play, number)
    play.fetcher.answers = [make_response(200)]
    play.check(30)
    assert redirect(play, 0) is Fault.SITE


def test_a_redirect_is_believed_when_another_site_answers_properly() -> None:
    play = Play()
    play.answer(4)
    redirect(play, 0)
    play.clock.advance(0.1)
    play.answer(1)
    assert play.judged == [("d0.test", Fault.SITE)]
    assert redirect(play, 2) is Fault.SITE, "others may redirect there as well"


def test_redirects_are_believed_where_no_site_has_answered_properly_before() -> None:
    play = Play()
    assert [redirect(play, number) for number in range(3)] == [Fault.SITE] * 3


def test_a_redirect_within_a_site_is_believed() -> None:
    play = Play()
    play.answer(4)
    assert redirect(play, 0, "https://www.d0.test/") is Fault.SITE


def test_a_captive_portal_that_nobody_can_be_asked_about_is_believed_in_the_end() -> None:
    play = Play()
    play.answer(4)
    play.pool.lose(play.domains[4])
    for number in range(3):
        redirect(play, number)
    for _ in range(3):
        assert play.is_waiting()
        play.check(30)
    assert not play.is_waiting()


# --- a worker that stalls --------------------------------------------------------------------------------


def test_whoever_stalls_asks_the_references_too() -> None:
    play = Play(DOWN, UP)
    play.answer(1)
    play.clock.advance(60)
    assert asyncio.run(play.watch.diagnose()) == "no reference answers"
    assert asyncio.run(play.watch.diagnose()) is None
    assert [len(references.hosts) for references in play.asked] == [1, 0], "at the pace of the site"
    assert not play.is_waiting()


def test_whoever_has_heard_from_no_site_asks_nobody() -> None:
    play = Play()
    assert asyncio.run(play.watch.diagnose()) is None
    assert play.asked == []
