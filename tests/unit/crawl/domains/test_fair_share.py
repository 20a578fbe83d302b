"""Who goes on when a run has fewer pages than its domains want."""

from dataclasses import replace

import pytest

from tenax.crawl.domains.fair_share import FairShare, Turn
from tenax.crawl.domains.leased_domain import LeasedDomain, Responsiveness
from tenax.crawl.domains.pool import Pool
from tenax.records.domains import DomainState, DomainStatus
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

PLENTY = 10_000


def make(pages: int, *, before: int = 0, number: int = 1) -> LeasedDomain:
    """One that has so many pages in this run, of which some were before it was leased."""
    state = DomainState(status=DomainStatus.ACTIVE, run_pages=before)
    domain = make_domain(state=state, queue=[make_target()], domain_id=number, name=f"{number}.test")
    domain.state = replace(domain.state, run_pages=pages)
    domain.ended_visits = pages - before
    return domain


def gather(*domains: LeasedDomain) -> Pool:
    pool = Pool()
    for domain in domains:
        pool.add(domain, START)
    return pool


def claimed(claimed: int, limit: int = 8, *, can_claim: bool = False, max_pages: int = 100) -> FairShare:
    turns = FairShare(max_pages)
    turns.note_claim(claimed=claimed, limit=limit, can_claim=can_claim)
    return turns


COMING, OUTSIDE, ALONE = claimed(8), claimed(0, can_claim=True), claimed(3)


@pytest.mark.parametrize("turns", [COMING, OUTSIDE, ALONE])
def test_the_first_page_is_for_everybody(turns: FairShare) -> None:
    domain = make(0)
    assert turns.find_turn(domain, gather(domain), PLENTY) is Turn.GO


def test_a_second_page_waits_while_more_domains_are_coming() -> None:
    domain = make(1)
    assert COMING.find_turn(domain, gather(domain), PLENTY) is Turn.WAIT


def test_a_domain_gives_way_to_those_that_find_no_room() -> None:
    domain = make(1)
    assert OUTSIDE.find_turn(domain, gather(domain), PLENTY) is Turn.LEAVE


def test_a_domain_goes_on_when_nobody_waits() -> None:
    domain = make(1)
    assert ALONE.find_turn(domain, gather(domain), PLENTY) is Turn.GO


def test_a_turn_is_as_long_as_all_before_it() -> None:
    # Leases then are few: their number grows with the logarithm of the pages.
    assert [make(pages, before=4).has_had_its_turn for pages in (5, 7, 8)] == [False, False, True]


def test_a_run_without_a_budget_knows_no_turns() -> None:
    domain, turns = make(500), FairShare(None)
    turns.note_claim(claimed=8, limit=8, can_claim=True)
    assert turns.find_turn(domain, gather(domain), 0) is Turn.GO


def test_the_last_pages_are_for_those_that_have_had_none() -> None:
    domain, slow = make(1), make(0, number=2)
    assert ALONE.find_turn(domain, gather(domain, slow), 1) is Turn.WAIT
    assert ALONE.find_turn(domain, gather(domain, slow), 2) is Turn.GO


def test_nobody_waits_for_a_domain_that_has_begun_and_has_no_page() -> None:
    domain, fruitless = make(1), make(0, number=2)
    fruitless.ended_visits = 1
    assert ALONE.find_turn(domain, gather(domain, fruitless), 1) is Turn.GO


def test_nobody_waits_for_a_domain_that_does_not_answer() -> None:
    domain, silent = make(20), make(0, number=2)
    silent.manner = Responsiveness.SLOW
    for turns in (ALONE, claimed(3, max_pages=20)):
        assert turns.find_turn(domain, gather(domain, silent), 1) is Turn.GO


def test_a_domain_far_ahead_waits_for_those_that_have_not_begun() -> None:
    turns = claimed(3, max_pages=20)
    ahead, slow = make(20), make(0, number=2)
    assert turns.find_turn(ahead, gather(ahead, slow), PLENTY) is Turn.WAIT
    assert turns.find_turn(make(19, number=3), gather(ahead, slow), PLENTY) is Turn.GO
