"""The phases of a leased domain: every transition that exists, and none besides."""

from itertools import product

import pytest

from tenax.crawl.domains.leased_domain import LeasedDomain
from tenax.crawl.domains.phases import (
    GONE,
    NEXT_PHASES,
    NEXT_ROBOTS_PHASES,
    IllegalPhase,
    Phase,
    RobotsPhase,
    check_phase,
    check_robots_phase,
)
from tenax.crawl.domains.pool import RELEASE_AFTER_S, Pool
from tenax.records.domains import DomainRules
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

INACTIVE = DomainRules(is_active=False)


def put_into(phase: Phase) -> tuple[Pool, LeasedDomain]:
    """A pool with one domain in this phase, by the ways that a worker goes."""
    pool, domain = Pool(), make_domain(queue=[make_target(id=1), make_target("http://a.test/2", id=2)])
    if phase is Phase.CLAIMED:
        return pool, domain
    pool.add(domain, START)
    if phase is Phase.SCHEDULED:
        return pool, domain
    assert pool.pop_ready(START) is domain
    if phase in (Phase.HUNGRY, Phase.REFILLING, Phase.STARVED):
        domain.take()
        domain.take()
        pool.schedule(domain)
    if phase in (Phase.REFILLING, Phase.STARVED):
        pool.start_refill()
    if phase is Phase.STARVED:
        pool.end_refill(domain, START)
    if phase is Phase.DRAINING:
        domain.take()
        pool.drain(domain)
    if phase is Phase.GIVEN_BACK:
        pool.give_back(domain)
    if phase is Phase.LOST:
        pool.lose(domain)
    return pool, domain


@pytest.mark.parametrize("phase", Phase)
def test_every_phase_can_be_reached(phase: Phase) -> None:
    pool, domain = put_into(phase)
    assert domain.phase is phase
    assert (domain in pool) == (phase not in GONE | {Phase.CLAIMED})
    assert domain.is_held == (phase not in GONE)


@pytest.mark.parametrize(("earlier", "later"), [*product(Phase, Phase)])
def test_only_the_transitions_of_the_table_are_legal(earlier: Phase, later: Phase) -> None:
    if later in NEXT_PHASES[earlier]:
        check_phase(earlier, later)
    else:
        with pytest.raises(IllegalPhase, match=f"{earlier} cannot become {later}"):
            check_phase(earlier, later)


@pytest.mark.parametrize(("earlier", "later"), [*product(RobotsPhase, RobotsPhase)])
def test_only_the_transitions_of_a_robots_txt_are_legal(earlier: RobotsPhase, later: RobotsPhase) -> None:
    if later in NEXT_ROBOTS_PHASES[earlier]:
        check_robots_phase(earlier, later)
    else:
        with pytest.raises(IllegalPhase):
            check_robots_phase(earlier, later)


def test_a_domain_in_any_phase_of_the_pool_can_be_given_back_or_lost() -> None:
    assert all(NEXT_PHASES[phase] >= GONE for phase in set(Phase) - GONE - {Phase.CLAIMED})


@pytest.mark.parametrize("phase", sorted(GONE))
def test_a_domain_that_has_left_never_returns(phase: Phase) -> None:
    pool, domain = put_into(phase)
    pool.schedule(domain)
    pool.lose(domain)
    assert (domain.phase, len(pool)) == (phase, 0)
    for leave in (pool.drain, pool.retire, pool.give_back):
        with pytest.raises(IllegalPhase):
            leave(domain)
    with pytest.raises(IllegalPhase):
        pool.postpone(domain, START)


@pytest.mark.parametrize("phase", [Phase.HUNGRY, Phase.REFILLING, Phase.STARVED])
def test_a_url_that_is_put_back_is_enough_to_go_on_with(phase: Phase) -> None:
    pool, domain = put_into(phase)
    domain.put_back(make_target(id=1))
    pool.schedule(domain)
    assert (domain.phase, pool.has_hungry, pool.next_commit_at()) == (Phase.SCHEDULED, False, None)
    pool.end_refill(domain, START)
    assert pool.pop_ready(START) is domain
    assert pool.pop_ready(START) is None


@pytest.mark.parametrize("phase", [Phase.HUNGRY, Phase.REFILLING, Phase.STARVED, Phase.DRAINING])
def test_a_domain_that_waits_for_the_store_stays_where_it_is(phase: Phase) -> None:
    pool, domain = put_into(phase)
    pool.schedule(domain)
    assert domain.phase is phase


def test_a_refilled_domain_that_may_make_no_further_request_is_busy() -> None:
    pool, domain = put_into(Phase.REFILLING)
    domain.in_flight = domain.settings.politeness.per_domain
    domain.queue.append(make_target("http://a.test/3", id=3))
    pool.end_refill(domain, START)
    assert domain.phase is Phase.BUSY


@pytest.mark.parametrize("phase", sorted(set(Phase) - GONE - {Phase.CLAIMED}))
def test_a_domain_that_becomes_inactive_drains_from_any_phase(phase: Phase) -> None:
    pool, domain = put_into(phase)
    domain.taken.add(1)
    pool.apply_rules(domain, INACTIVE, START, 0.0)
    assert (domain.phase, pool.has_hungry, pool.next_ready_at()) == (Phase.DRAINING, False, None)
    pool.apply_rules(domain, DomainRules(), START, 0.0)
    assert domain.phase is Phase.DRAINING, "it goes on in its next lease"


def test_a_busy_domain_that_rests_long_is_given_back_once_it_is_settled() -> None:
    pool, domain = put_into(Phase.BUSY)
    domain.ready_at = START + RELEASE_AFTER_S + 1
    pool.settled(domain, START)
    assert domain.phase is Phase.GIVEN_BACK


def test_a_robots_txt_with_a_longer_delay_holds_its_domain_until_it_is_settled() -> None:
    pool, domain = put_into(Phase.BUSY)
    domain.begin_robots_fetch()
    domain.await_settling()
    domain.end_robots_fetch()
    pool.schedule(domain)
    assert (domain.phase, domain.robots_phase) == (Phase.BUSY, RobotsPhase.UNSETTLED)
    domain.mark_settled([], START + 60)
    pool.settled(domain, START)
    assert (domain.phase, domain.robots_phase) == (Phase.SCHEDULED, RobotsPhase.IDLE)
