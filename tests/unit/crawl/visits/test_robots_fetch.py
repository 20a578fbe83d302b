"""Asking for a robots.txt, with a fetcher that answers at once."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from tenax.config.crawl import LimitSettings, ScopeKind, ScopeSettings
from tenax.config.settings import Settings
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import Phase, RobotsPhase
from tenax.crawl.domains.robots_rules import RobotsRequest, build_rules
from tenax.crawl.tally import WorkerTally
from tenax.crawl.visits.admission import Admission
from tenax.crawl.visits.robots_fetch import RobotsFetch, find_delay, find_hop
from tenax.crawl.visits.sitemap_naming import SitemapNaming
from tenax.policy.roots import Roots
from tenax.policy.scope import Scope
from tenax.records.domains import DomainStatus, RobotsRecord
from tenax.records.requests import Failure, FailureKind, Request, Response
from tenax.records.urls import RefusalReason
from tests.support.clock import START, FakeClock
from tests.support.crawling import make_domain, make_failure, make_headroom, make_response

ORIGIN = "http://a.test"
QUESTION = RobotsRequest(origin=ORIGIN, url=f"{ORIGIN}/robots.txt")
SETTINGS = Settings()


@dataclass
class ScriptedFetcher:
    answers: list[Response | Failure]
    asked: list[str] = field(default_factory=list)
    in_flight: int = 0

    def start(self, request: Request, on_end: Callable[[Response | Failure], None]) -> None:
        self.asked.append(request.url)
        on_end(self.answers.pop(0))


def make_admission() -> Admission:
    scope = Scope.build(ScopeSettings(kind=ScopeKind.ANY), LimitSettings(), Roots(ScopeKind.ANY))
    return Admission(scope, reads_sitemaps=True)


def make_robots_fetch(
    fetcher: ScriptedFetcher, clock: FakeClock, shared: MemoryCoordination | None = None
) -> RobotsFetch:
    return RobotsFetch(
        settings=SETTINGS,
        fetcher=fetcher,  # type: ignore[arg-type]
        tally=WorkerTally(),
        headroom=make_headroom(clock),
        clock=clock,
        naming=SitemapNaming(settings=SETTINGS, admission=make_admission()),
        shared=shared,
    )


def rules_with(body: bytes, origin: str = ORIGIN) -> RobotsRecord:
    return RobotsRecord(origin=origin, status=200, body=body, fetched_at=START, expires_at=START + 3600)


def ask(
    domain: LeasedDomain, *answers: Response | Failure, clock: FakeClock | None = None
) -> ScriptedFetcher:
    fetcher = ScriptedFetcher(list(answers))
    clock = clock or FakeClock()
    robots_fetch = make_robots_fetch(fetcher, clock)
    told: list[LeasedDomain] = []
    for count in range(1, len(answers) + 1):
        robots_fetch.fetch(domain, ORIGIN, clock.now(), told.append)
        assert told == [domain] * count
    return fetcher


def settle(domain: LeasedDomain) -> None:
    domain.hand_over()
    domain.mark_settled([], START + 60)


def robots(text: str) -> Response:
    return make_response(200, text.encode(), headers={})


def test_rules_are_kept_for_their_origin() -> None:
    domain = make_domain()
    ask(domain, robots("User-agent: *\nDisallow: /x\n"))
    assert not domain.robots[ORIGIN].rules.allowed(f"{ORIGIN}/x")


def test_a_redirect_is_followed_by_the_next_question() -> None:
    domain = make_domain()
    moved = make_response(301, headers={"location": "https://b.test/r.txt"})
    fetcher = ask(domain, moved, robots("User-agent: *\nDisallow: /\n"))
    assert fetcher.asked == [f"{ORIGIN}/robots.txt", "https://b.test/r.txt"]
    assert not domain.robots[ORIGIN].rules.allowed(f"{ORIGIN}/")


@pytest.mark.parametrize(
    ("answer", "hops"),
    [
        (make_response(200), 0),
        (make_failure(), 0),
        (make_response(302, headers={"location": "/x"}), 5),
        (make_response(302), 0),
        (make_response(302, headers={"location": "file:///etc/passwd"}), 0),
    ],
)
def test_only_a_redirect_that_leads_somewhere_is_a_hop(answer: Response | Failure, hops: int) -> None:
    assert find_hop(RobotsRequest(origin=ORIGIN, url=QUESTION.url, hops=hops), answer) is None


def test_three_failures_make_the_domain_unreachable() -> None:
    domain = make_domain()
    ask(domain, make_response(500), make_response(500))
    assert domain.state.status is DomainStatus.ACTIVE
    ask(domain, make_response(500))
    assert (domain.state.status, domain.state.block_code) == (DomainStatus.UNREACHABLE, "robots_unreachable")
    assert domain.ready_at == START + SETTINGS.robots.skip_s


def test_a_failure_pauses_two_seconds_and_then_four() -> None:
    domain = make_domain()
    ask(domain, make_response(500))
    assert domain.not_before == START + 2
    ask(domain, make_response(500))
    assert domain.not_before == START + 4


def test_a_name_that_does_not_exist_is_asked_for_once() -> None:
    domain = make_domain()
    ask(domain, make_failure(FailureKind.NO_SUCH_HOST))
    assert (domain.state.status, domain.state.block_code) == (DomainStatus.UNREACHABLE, "dns_failure")


def test_an_old_copy_serves_while_the_server_fails() -> None:
    domain = make_domain(robots=[rules_with(b"User-agent: *\nDisallow: /x\n")])
    clock = FakeClock(START + 7200)
    ask(domain, make_response(503), clock=clock)
    rules = domain.robots[ORIGIN]
    assert not rules.rules.allowed(f"{ORIGIN}/x")
    assert rules.rules.allowed(f"{ORIGIN}/y")
    assert rules.expires_at == START + 7200 + SETTINGS.robots.retry_s


def test_a_long_crawl_delay_waits_until_it_is_durable() -> None:
    domain = make_domain()
    ask(domain, robots("User-agent: *\nCrawl-delay: 7\n"))
    assert domain.state.pace.robots_delay_s == 7
    assert domain.robots_phase is RobotsPhase.UNSETTLED


def test_a_crawl_delay_that_is_known_already_does_not_wait() -> None:
    domain = make_domain()
    ask(domain, robots("User-agent: *\nCrawl-delay: 7\n"))
    settle(domain)
    ask(domain, robots("User-agent: *\nCrawl-delay: 7\n"))
    assert domain.robots_phase is RobotsPhase.IDLE


def test_a_crawl_delay_that_is_taken_back_is_forgotten() -> None:
    domain = make_domain()
    ask(domain, robots("User-agent: *\nCrawl-delay: 7\n"))
    settle(domain)
    ask(domain, robots("User-agent: *\nAllow: /\n"))
    assert domain.state.pace.robots_delay_s is None


def test_the_slowest_origin_sets_the_pace_of_its_domain() -> None:
    origins = [build_rules(rules_with(b"User-agent: *\nCrawl-delay: %d\n" % s)) for s in (3, 9, 5)]
    assert find_delay(origins, 60.0) == 9
    assert find_delay(origins, 4.0) == 4
    assert find_delay([], 60.0) is None


def test_a_lost_domain_takes_nothing_in() -> None:
    domain = make_domain()
    domain.phase = Phase.LOST
    ask(domain, robots("User-agent: *\nDisallow: /\n"))
    assert domain.robots == {}
    assert domain.robots_visits == []


# --- what other workers have fetched ---------------------------------------------------------------


def ask_with_others(
    domain: LeasedDomain, shared: MemoryCoordination, clock: FakeClock, *answers: Response
) -> list[str]:
    """The addresses that were requested."""
    fetcher = ScriptedFetcher(list(answers))
    robots_fetch = make_robots_fetch(fetcher, clock, shared)

    async def run() -> None:
        told: asyncio.Future[LeasedDomain] = asyncio.get_running_loop().create_future()
        robots_fetch.fetch(domain, ORIGIN, clock.now(), told.set_result)
        assert domain.robots_phase is RobotsPhase.FETCHING
        assert await told is domain
        assert domain.robots_phase is not RobotsPhase.FETCHING

    asyncio.run(run())
    return fetcher.asked


def share(
    clock: FakeClock, body: bytes = b"User-agent: *\nDisallow: /x\n", **fields: float
) -> MemoryCoordination:
    shared = MemoryCoordination(clock)
    shared.save_robots(replace(rules_with(body), **fields))  # type: ignore[arg-type]
    return shared


def test_a_copy_of_another_worker_spares_the_request() -> None:
    domain, clock = make_domain(), FakeClock()
    assert ask_with_others(domain, share(clock), clock) == []
    assert not domain.robots[ORIGIN].rules.allowed(f"{ORIGIN}/x")


def test_a_copy_is_stored_with_the_domain_and_is_no_visit() -> None:
    domain, clock = make_domain(), FakeClock()
    ask_with_others(domain, share(clock), clock)
    (kept,) = domain.robots_visits
    assert kept.record is not None
    assert (kept.record.origin, kept.made_request) == (ORIGIN, False)


def test_a_long_crawl_delay_of_a_copy_waits_until_it_is_durable() -> None:
    domain, clock = make_domain(), FakeClock()
    ask_with_others(domain, share(clock, b"User-agent: *\nCrawl-delay: 7\n"), clock)
    assert domain.state.pace.robots_delay_s == 7
    assert domain.robots_phase is RobotsPhase.UNSETTLED


def test_a_copy_is_not_used_for_longer_than_our_own_would_be() -> None:
    domain, clock = make_domain(), FakeClock()
    longest_s = SETTINGS.robots.max_cache_s
    ask_with_others(domain, share(clock, expires_at=START + 10 * longest_s), clock)
    assert domain.robots[ORIGIN].expires_at == START + longest_s


def test_a_copy_that_is_too_old_is_fetched_again() -> None:
    domain, clock = make_domain(), FakeClock()
    old = share(clock, fetched_at=START - SETTINGS.robots.max_cache_s)
    assert ask_with_others(domain, old, clock, robots("")) == [f"{ORIGIN}/robots.txt"]


def test_what_was_fetched_is_shared() -> None:
    domain, clock = make_domain(), FakeClock()
    shared = MemoryCoordination(clock)
    ask_with_others(domain, shared, clock, robots("User-agent: *\nDisallow: /x\n"))
    found = asyncio.run(shared.find_robots(ORIGIN))
    assert found is not None
    assert found.body == b"User-agent: *\nDisallow: /x\n"


def test_a_failure_is_not_shared() -> None:
    domain, clock = make_domain(), FakeClock()
    shared = MemoryCoordination(clock)
    ask_with_others(domain, shared, clock, make_response(500))
    assert asyncio.run(shared.find_robots(ORIGIN)) is None


def test_who_has_lost_the_lease_meanwhile_asks_nothing() -> None:
    domain, clock = make_domain(), FakeClock()
    clock.advance(60)
    assert ask_with_others(domain, MemoryCoordination(clock), clock) == []
    assert domain.robots == {}


def test_a_request_without_an_answer_tells_what_kind_of_failure_it_was() -> None:
    domain = make_domain()
    ask(domain, make_failure(FailureKind.DNS), robots(""))
    assert [visit.failure for visit in domain.robots_visits] == [FailureKind.DNS, None]


# --- what this machine answers for -------------------------------------------------------------------


@pytest.mark.parametrize("kind", [FailureKind.LOCAL, FailureKind.NO_ROUTE])
def test_a_request_that_this_machine_could_not_make_says_nothing_about_robots_txt(kind: FailureKind) -> None:
    domain = make_domain()
    before = replace(domain.state, pace=replace(domain.state.pace, last_start_at=START))
    ask(domain, *[make_failure(kind)] * 10)
    assert domain.state == before
    assert (domain.robots, domain.robots_visits, domain.robots_failures) == ({}, [], {})
    assert domain.ready_at > START


def test_where_a_robots_txt_has_moved_to_is_not_forgotten_while_the_machine_is_short() -> None:
    domain = make_domain()
    moved = make_response(302, headers={"location": "http://b.test/robots.txt"})
    fetcher = ask(domain, moved, make_failure(FailureKind.LOCAL), robots("User-agent: *\nDisallow: /x\n"))
    assert fetcher.asked[1:] == ["http://b.test/robots.txt"] * 2
    assert not domain.robots[ORIGIN].rules.allowed(f"{ORIGIN}/x")


def test_a_fault_of_this_program_refuses_the_origin_and_blocks_no_domain() -> None:
    domain = make_domain()
    ask(domain, *[make_failure(FailureKind.INTERNAL)] * 3)
    assert domain.state.status is DomainStatus.ACTIVE
    assert domain.state.breaker.failures == 0
    refusal = domain.robots[ORIGIN].refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.ROBOTS_UNREACHABLE


def test_an_origin_without_a_route_is_refused_once_others_were_answered() -> None:
    domain, other, clock = make_domain(), make_domain(domain_id=2, name="b.test"), FakeClock()
    fetcher = ScriptedFetcher([])
    robots_fetch = make_robots_fetch(fetcher, clock)
    for _ in range(3):
        for asked, answer in ((other, robots("")), (domain, make_failure(FailureKind.NO_ROUTE))):
            clock.advance(1.0)
            fetcher.answers.append(answer)
            robots_fetch.fetch(asked, ORIGIN, clock.now(), lambda domain: None)
    refusal = domain.robots[ORIGIN].refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NO_ROUTE
    assert domain.state.status is DomainStatus.ACTIVE


# --- sitemaps ------------------------------------------------------------------------------------


def test_sitemaps_are_settled_with_the_file_that_names_them() -> None:
    domain = make_domain()
    ask(domain, make_response(200, b"Sitemap: /one.xml\nSitemap: http://b.test/two.xml\nSitemap: mailto:x"))
    work = domain.hand_over()
    assert [url.url for url in work.found] == [f"{ORIGIN}/one.xml", "http://b.test/two.xml"]
    assert [url.sitemap and url.sitemap.hosts for url in work.found] == [(), ("a.test",)]
    assert work.robots[0].record is not None


def test_a_file_that_cannot_be_had_names_no_sitemaps() -> None:
    domain = make_domain()
    ask(domain, make_response(500, b"Sitemap: /one.xml"))
    assert not domain.found
