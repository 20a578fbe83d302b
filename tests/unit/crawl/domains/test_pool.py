"""The domains that a worker holds: who may be asked next, who waits for the store, who leaves."""

from dataclasses import replace

from tenax.config.settings import Settings
from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness
from tenax.crawl.domains.phases import Phase
from tenax.crawl.domains.pool import RELEASE_AFTER_S, Pool
from tenax.crawl.visits.outcome import refuse
from tenax.records.domains import DomainRules, DomainState, DomainStatus, Pace, RobotsRecord
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

TWO_AT_A_TIME = Settings.model_validate({"politeness": {"per_domain": 2}})
THREE_PAGES = Settings.model_validate({"limits": {"pages_per_domain": 3}})
REFUSED = Refused(reason=RefusalReason.ROBOTS, detail="")


def resting(seconds: float, domain_id: int = 1) -> LeasedDomain:
    state = DomainState(status=DomainStatus.ACTIVE, pace=Pace(backoff_until=START + seconds))
    return make_domain(state=state, queue=[make_target()], domain_id=domain_id)


def refill(pool: Pool, domain: LeasedDomain) -> None:
    """The store has nothing more for it."""
    assert pool.start_refill() == [domain]
    pool.end_refill(domain, START)


def test_the_domain_that_is_ready_first_comes_first() -> None:
    pool = Pool()
    late, early = resting(3.0, 1), resting(1.0, 2)
    pool.add(late, START)
    pool.add(early, START)
    assert pool.next_ready_at() == START + 1.0
    assert pool.pop_ready(START + 0.9) is None
    assert pool.pop_ready(START + 3.0) is early
    assert pool.pop_ready(START + 3.0) is late


def test_domains_that_may_not_start_stand_in_nobody_elses_way() -> None:
    pool = Pool()
    first, second = resting(0.0, 1), resting(1.0, 2)
    second.manner = Responsiveness.PROMPT
    pool.add(first, START)
    pool.add(second, START)
    assert pool.next_ready_at([Responsiveness.PROMPT, Responsiveness.SLOW]) == START + 1
    assert pool.pop_ready(START + 1, [Responsiveness.PROMPT, Responsiveness.SLOW]) is second
    assert pool.pop_ready(START + 1, [Responsiveness.PROMPT, Responsiveness.SLOW]) is None
    assert pool.pop_ready(START + 1, [Responsiveness.UNKNOWN]) is first


def test_a_domain_that_has_become_slow_meanwhile_waits_among_the_slow() -> None:
    pool, domain = Pool(), resting(0.0)
    domain.manner = Responsiveness.PROMPT
    pool.add(domain, START)
    domain.manner = Responsiveness.SLOW
    assert pool.pop_ready(START, [Responsiveness.PROMPT]) is None
    assert pool.pop_ready(START, [Responsiveness.SLOW]) is domain


def test_a_domain_is_handed_out_once() -> None:
    pool = Pool()
    pool.add(resting(0.0), START)
    assert pool.pop_ready(START) is not None
    assert pool.pop_ready(START) is None


def test_a_busy_domain_is_not_scheduled_beyond_its_limit() -> None:
    pool, domain = Pool(), make_domain(queue=[make_target()], settings=TWO_AT_A_TIME)
    domain.in_flight = 1
    pool.add(domain, START)
    assert pool.pop_ready(START) is domain
    domain.in_flight = 2
    pool.schedule(domain)
    assert pool.pop_ready(START) is None


def test_a_domain_that_asks_for_its_rules_is_not_scheduled() -> None:
    pool, domain = Pool(), resting(0.0)
    domain.begin_robots_fetch()
    pool.add(domain, START)
    assert pool.next_ready_at() is None


def test_a_domain_without_urls_is_hungry() -> None:
    pool, domain = Pool(), make_domain()
    pool.add(domain, START)
    assert domain.phase is Phase.HUNGRY
    assert pool.start_refill() == [domain]


def test_a_hungry_domain_whose_visits_are_not_durable_is_starved_until_they_are() -> None:
    pool, domain = Pool(), make_domain(queue=[make_target()])
    pool.add(domain, START)
    assert pool.pop_ready(START) is domain
    domain.take()
    pool.schedule(domain)
    refill(pool, domain)
    assert domain.phase is Phase.STARVED
    assert pool.next_commit_at() == domain.ready_at
    domain.taken.clear()
    pool.settled(domain, START)
    assert (domain.phase, pool.next_commit_at()) == (Phase.HUNGRY, None)


def test_a_domain_with_nothing_to_do_is_given_back() -> None:
    pool, domain = Pool(), make_domain()
    pool.add(domain, START)
    refill(pool, domain)
    assert (pool.take_given_back(), len(pool), domain.phase) == ([domain], 0, Phase.GIVEN_BACK)


def test_a_domain_that_has_a_url_due_soon_is_kept_for_it() -> None:
    pool, domain = Pool(), make_domain(next_due_at=START + 2)
    pool.add(domain, START)
    refill(pool, domain)
    assert pool.next_ready_at() == START + 2


def test_a_domain_that_has_a_url_due_later_is_given_back() -> None:
    pool, domain = Pool(), make_domain(next_due_at=START + RELEASE_AFTER_S + 1)
    pool.add(domain, START)
    refill(pool, domain)
    assert pool.take_given_back() == [domain]


def test_a_blocked_domain_is_given_back_although_a_url_is_due_soon() -> None:
    pool, domain = Pool(), make_domain(next_due_at=START + 1)
    pool.add(domain, START)
    domain.state = replace(domain.state, status=DomainStatus.BLOCKED, next_crawl_after=START + 604_800)
    domain.plan(START, 0.0)
    refill(pool, domain)
    assert pool.take_given_back() == [domain]


def test_a_domain_that_rests_long_is_given_back_once_it_is_durable() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    domain.ready_at = START + RELEASE_AFTER_S + 1
    pool.settled(domain, START)
    assert pool.take_given_back() == [domain]


def test_a_domain_that_rests_long_is_given_back_although_the_store_has_more_urls_for_it() -> None:
    """Nothing of it would be settled before its next request, and the run would wait for that."""
    pool, domain = Pool(), make_domain(queue=[])
    pool.add(domain, START)
    assert pool.start_refill() == [domain]
    domain.ready_at = START + RELEASE_AFTER_S + 1
    domain.queue.append(make_target())
    pool.end_refill(domain, START)
    assert pool.take_given_back() == [domain]


def test_a_lost_domain_is_never_handed_out() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    pool.lose(domain)
    assert pool.pop_ready(START) is None
    assert pool.next_ready_at() is None


# --- another worker is hungry ----------------------------------------------------------------


def test_idle_domains_are_given_back_before_busy_ones() -> None:
    pool, busy, idle = Pool(), resting(0.0, 1), resting(0.0, 2)
    pool.add(busy, START)
    pool.add(idle, START)
    busy.in_flight = 1
    pool.shed(1)
    assert (pool.take_given_back(), list(pool)) == ([idle], [busy])


def test_nothing_is_given_back_of_a_share() -> None:
    pool = Pool()
    pool.add(resting(0.0), START)
    pool.shed(1)
    pool.shed(5)
    assert (pool.take_given_back(), len(pool)) == ([], 1)


def test_a_busy_domain_leaves_when_what_ran_is_durable() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    target = domain.take()
    domain.in_flight = 1
    pool.shed(0)
    assert (pool.take_given_back(), pool.pop_ready(START)) == ([], None), "nothing more is started"
    domain.in_flight = 0
    domain.mark_settled([refuse(target, REFUSED, START)], START + 60)
    pool.settled(domain, START)
    assert pool.take_given_back() == [domain]


def test_a_domain_that_leaves_is_not_asked_for_more_urls() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    domain.take()
    pool.shed(0)
    pool.schedule(domain)
    assert (domain.phase, pool.has_given_back) == (Phase.DRAINING, False)


def test_a_domain_that_leaves_counts_as_given_back() -> None:
    pool, leaves, stays = Pool(), resting(0.0, 1), resting(0.0, 2)
    for domain in (leaves, stays):
        pool.add(domain, START)
        domain.in_flight = 1
    pool.shed(1)
    pool.shed(1)
    assert [domain.phase for domain in (leaves, stays)] == [Phase.DRAINING, Phase.SCHEDULED]


# --- memory ----------------------------------------------------------------------------------------


def fill(pool: Pool, *domains: LeasedDomain) -> Pool:
    for domain in domains:
        pool.add(domain, START)
    return pool


def test_a_pool_that_is_light_enough_stays_as_it_is() -> None:
    pool = fill(Pool(), make_domain(known=range(1000)))
    pool.lighten(pool.weight_bytes)
    (domain,) = pool
    assert domain.known is not None


def test_the_most_known_keys_are_forgotten_first() -> None:
    few, many = make_domain(known=range(1_000)), make_domain(known=range(100_000), domain_id=2)
    pool = fill(Pool(), few, many)
    pool.lighten(pool.weight_bytes - 1)
    assert (few.known is None, many.known is None, len(pool)) == (False, True, 2)


def test_idle_domains_are_given_back_when_forgetting_is_not_enough() -> None:
    domains = [make_domain(queue=[make_target()], domain_id=number) for number in range(1, 5)]
    domains[0].in_flight = 1
    domains[1].taken.add(7)
    pool = fill(Pool(), *domains)
    pool.lighten(0)
    assert list(pool) == domains[:2]
    assert pool.take_given_back() == domains[2:]


def test_the_last_domain_is_kept_however_heavy_it_is() -> None:
    pool = fill(Pool(), make_domain(queue=[make_target()]))
    pool.lighten(0)
    assert len(pool) == 1


def test_large_rules_weigh_on_a_domain() -> None:
    rules = RobotsRecord(
        origin="http://a.test", status=200, body=b"Allow: /\n" * 1_000, fetched_at=START, expires_at=START
    )
    assert make_domain(robots=[rules]).weight_bytes > make_domain().weight_bytes + 100_000


def test_a_domain_that_leaves_is_let_go_also_when_nothing_of_it_is_to_be_settled() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    domain.begin_robots_fetch()
    pool.shed(0)
    domain.end_robots_fetch()
    pool.schedule(domain)
    pool.schedule(domain)
    assert pool.take_given_back() == [domain]


# --- rules that a person changes ------------------------------------------------------------------


def asked_just_now(domain_id: int = 1) -> LeasedDomain:
    state = DomainState(status=DomainStatus.ACTIVE, pace=Pace(last_start_at=START, last_answer_at=START))
    return make_domain(state=state, queue=[make_target()], domain_id=domain_id)


def test_a_longer_delay_counts_from_the_last_request() -> None:
    pool, domain = Pool(), asked_just_now()
    pool.add(domain, START)
    pool.apply_rules(domain, DomainRules(delay_s=4.0), START + 0.5, 0.0)
    assert pool.pop_ready(START + 3.9) is None
    assert pool.pop_ready(START + 4.0) is domain


def test_a_shorter_delay_is_not_held_up_by_the_earlier_plan() -> None:
    pool, domain = Pool(), asked_just_now()
    pool.add(domain, START)
    pool.apply_rules(domain, DomainRules(delay_s=4.0), START, 0.0)
    pool.apply_rules(domain, DomainRules(delay_s=0.2), START, 0.0)
    assert pool.next_ready_at() == START + 0.2
    assert (pool.pop_ready(START + 0.2), pool.pop_ready(START + 9)) == (domain, None), "it stands there once"


def test_a_domain_that_has_to_rest_for_long_by_its_rule_is_given_back() -> None:
    pool, domain = Pool(), asked_just_now()
    pool.add(domain, START)
    pool.apply_rules(domain, DomainRules(delay_s=100.0), START, 0.0)
    assert (pool.take_given_back(), len(pool)) == ([domain], 0)


def test_a_domain_that_becomes_inactive_leaves_when_what_ran_is_durable() -> None:
    pool, domain = Pool(), resting(0.0)
    pool.add(domain, START)
    target = domain.take()
    domain.in_flight = 1
    pool.apply_rules(domain, DomainRules(is_active=False), START, 0.0)
    assert (pool.take_given_back(), pool.pop_ready(START + 9)) == ([], None), "nothing more is started"
    domain.in_flight = 0
    domain.mark_settled([refuse(target, REFUSED, START)], START + 60)
    pool.settled(domain, START)
    assert pool.take_given_back() == [domain]


def test_an_inactive_domain_that_is_leased_is_given_back_unasked() -> None:
    pool = Pool()
    domain = make_domain(queue=[make_target()], rules=DomainRules(is_active=False))
    pool.add(domain, START)
    assert (pool.take_given_back(), pool.pop_ready(START + 9)) == ([domain], None)
    assert domain.ready_at == 0.0, "what politeness allows is not forgotten"


def test_more_requests_at_a_time_begin_at_once() -> None:
    pool, domain = Pool(), make_domain(queue=[make_target(id=1), make_target(id=2)])
    pool.add(domain, START)
    assert pool.pop_ready(START) is domain
    domain.take()
    domain.in_flight = 1
    pool.schedule(domain)
    assert pool.pop_ready(START + 9) is None
    pool.apply_rules(domain, DomainRules(per_domain=2), START, 0.0)
    assert pool.pop_ready(START) is domain


def test_the_page_budget_of_a_domain_is_its_own() -> None:
    state = DomainState(status=DomainStatus.ACTIVE, run_pages=3)
    domain = make_domain(state=state, settings=THREE_PAGES)
    assert (domain.has_pages_left, domain.is_spent) == (False, True)
    domain.apply_rules(DomainRules(pages_per_run=4), START, 0.0)
    assert (domain.has_pages_left, domain.is_spent) == (True, False)
    domain.in_flight = 1
    assert not domain.has_pages_left, "a page under way counts"
    domain.apply_rules(DomainRules(pages_per_run=0), START, 0.0)
    assert domain.has_pages_left
