"""The score of a domain and the tier that follows from it."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from tenax.config.crawl import DAY_S
from tenax.policy.scoring import BACK_EVERY_S, LAST_TIER, TIERS, DomainFacts, find_tier, order_tiers, rate
from tenax.records.domains import DomainStatus

NOW = 1_750_000_000.0
NEW = DomainFacts(
    status=DomainStatus.PENDING,
    seed_rank=None,
    pages_discovered=0,
    pages_crawled=0,
    images_found=0,
    images_stored=0,
    total_errors=0,
    first_seen_at=NOW,
    last_crawled_at=None,
)
CRAWLED = replace(
    NEW, status=DomainStatus.ACTIVE, pages_discovered=100, pages_crawled=100, last_crawled_at=NOW
)


def score(**facts: Any) -> int:
    return rate(replace(CRAWLED, **facts), NOW).priority_score


def test_a_domain_of_which_nothing_is_known_has_no_score_and_the_tier_of_new_ones() -> None:
    rated = rate(NEW, NOW)
    assert (rated.priority_score, rated.tier) == (0, LAST_TIER)
    assert (rated.image_yield_rate, rated.avg_images_per_page, rated.error_rate) == (None, None, None)


def test_two_images_a_page_are_worth_two_thousand() -> None:
    assert score(images_stored=200) == 2000


def test_urls_that_wait_count_twice_up_to_five_hundred() -> None:
    assert score(pages_discovered=150) == 100
    assert score(pages_discovered=600) == score(pages_discovered=90_000) == 1000


def test_half_of_the_pages_in_error_cost_250() -> None:
    assert score(total_errors=50) == -250


def test_thirty_days_without_a_visit_are_worth_150() -> None:
    assert score(last_crawled_at=NOW - 30 * DAY_S) == 150


def test_nothing_is_staler_than_a_year() -> None:
    assert score(last_crawled_at=0.0) == 365 * 5


def test_a_domain_never_visited_is_stale_since_it_is_known() -> None:
    assert score(last_crawled_at=None, first_seen_at=NOW - 10 * DAY_S) == 50


def test_a_clock_that_was_set_back_makes_nothing_fresher_than_fresh() -> None:
    assert score(last_crawled_at=NOW + DAY_S) == 0


def test_the_first_of_a_rank_list_is_the_best() -> None:
    ranks = [1, 10, 1000, 1_000_000, 10_000_000, 10**9]
    scores = [score(seed_rank=rank) for rank in ranks]
    assert scores[0] == 1000
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] == score(seed_rank=None) == 0


def test_the_quality_signals_are_per_page() -> None:
    rated = rate(replace(CRAWLED, images_found=300, images_stored=50, total_errors=10), NOW)
    assert rated.avg_images_per_page == pytest.approx(3.0)
    assert rated.image_yield_rate == pytest.approx(0.5)
    assert rated.error_rate == pytest.approx(0.1)


def test_partly_crawled_domains_come_before_all_others() -> None:
    worst_active = find_tier(DomainStatus.ACTIVE, -(10**6))
    assert worst_active < find_tier(DomainStatus.PENDING, 10**6)


@pytest.mark.parametrize("status", [DomainStatus.ACTIVE, DomainStatus.PENDING, DomainStatus.EXHAUSTED])
def test_a_better_score_never_makes_a_worse_tier(status: DomainStatus) -> None:
    tiers = [find_tier(status, score) for score in range(-1000, 5000, 100)]
    assert tiers == sorted(tiers, reverse=True)
    assert set(tiers) <= set(TIERS)


@pytest.mark.parametrize("status", [DomainStatus.BLOCKED, DomainStatus.UNREACHABLE])
def test_one_that_turned_us_away_comes_last(status: DomainStatus) -> None:
    assert find_tier(status, 10**6) == LAST_TIER


def test_one_second_in_eight_belongs_to_the_last() -> None:
    firsts = Counter(order_tiers(NOW + second)[0] for second in range(80))
    assert firsts == {TIERS[0]: 80 - 80 // BACK_EVERY_S, LAST_TIER: 80 // BACK_EVERY_S}
