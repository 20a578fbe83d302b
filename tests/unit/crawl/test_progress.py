"""The numbers of a running crawl and its forecast."""

from dataclasses import replace

import pytest

from tenax.crawl.pool import Pool
from tenax.crawl.progress import RATE_WINDOW_S, Progress, Rate, forecast, take_progress
from tenax.crawl.tally import Tally
from tenax.stores.base import Overview
from tests.support.clock import START
from tests.support.crawling import make_domain, make_target

OVERVIEW = Overview(
    queued=100,
    domains=10,
    domains_blocked=2,
    domains_queued=8,
    politeness_s=50.0,
    slowest_domain="slow.test",
    next_waiting=None,
)


def take(pool: Pool, *, in_flight: int = 0, trouble: str | None = None) -> Progress:
    return take_progress(
        now=START + 5,
        started_at=START,
        tally=Tally(pages=10, requests=12),
        rate=Rate(START),
        pool=pool,
        overview=OVERVIEW,
        in_flight=in_flight,
        trouble=trouble,
        notice=None,
    )


@pytest.mark.parametrize(
    ("queued", "rate", "left_s"),
    [
        (0, 5.0, 0.0),
        (100, 0.0, 50.0),
        (100, 10.0, 50.0),  # the longest queue needs its time, however fast the others are
        (100, 1.0, 100.0),
    ],
)
def test_the_forecast_is_the_longer_of_two_floors(queued: int, rate: float, left_s: float) -> None:
    assert forecast(replace(OVERVIEW, queued=queued), rate) == left_s


def test_without_anything_to_go_by_there_is_no_forecast() -> None:
    assert forecast(replace(OVERVIEW, politeness_s=0.0), 0.0) is None


def test_the_rate_is_that_of_the_last_seconds() -> None:
    rate = Rate(START)
    assert rate.measure(START + 1, 100) == 100.0
    rate.measure(START + 1 + RATE_WINDOW_S, 110)
    assert rate.measure(START + 2 + RATE_WINDOW_S, 111) == pytest.approx(1.0)


def test_a_clock_that_stands_still_gives_no_rate() -> None:
    assert Rate(START).measure(START, 5) == 0.0


def test_domains_are_counted_by_what_they_do() -> None:
    pool, domain = Pool(1), make_domain(queue=[make_target()])
    domain.in_flight = 1
    pool.add(domain, START)
    progress = take(pool, in_flight=1)
    assert (progress.domains_active, progress.domains_resting, progress.domains_blocked) == (1, 5, 2)


def test_a_crawl_with_requests_under_way_waits_for_nothing() -> None:
    assert take(Pool(1), in_flight=3).waiting_for is None


def test_trouble_is_told_also_while_requests_are_under_way() -> None:
    assert take(Pool(1), in_flight=3, trouble="The disk is full.").waiting_for == "The disk is full."
