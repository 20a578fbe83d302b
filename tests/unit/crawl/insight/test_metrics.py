"""Breakers as a collector of metrics sees them."""

from tenax.crawl.insight.metrics import measure_crawl
from tenax.crawl.insight.progress import Meter, Sight
from tenax.crawl.tally import Tally
from tenax.records import BreakerState
from tenax.stores.base import Overview
from tenax.stores.hot.vitals import Service, ServiceBreaker

OVERVIEW = Overview(
    queued=1,
    domains=3,
    domains_blocked=2,
    domains_queued=1,
    politeness_s=0.0,
    slowest_domain=None,
    next_waiting=None,
    robots_failed=2,
    robots_until=9000.0,
)


def make_breaker(service: Service, state: BreakerState, retry_at: float | None) -> ServiceBreaker:
    return ServiceBreaker(service=service, state=state, retry_at=retry_at, reason="no answer")


def publish(*sights: Sight) -> str:
    return measure_crawl(Tally(), Meter(0.0).measure(1.0, sights, Tally())).format()


def test_open_breakers_are_counted_over_the_workers_with_their_next_trial() -> None:
    first = make_breaker(Service.REDIS, BreakerState.OPEN, 1000.0)
    second = make_breaker(Service.REDIS, BreakerState.HALF_OPEN, None)
    found = publish(Sight(breakers=(first,)), Sight(breakers=(second,)), Sight())
    assert 'crawler_breakers_open{service="redis"} 2.0' in found
    assert 'crawler_breakers_until_seconds{service="redis"} 1000.0' in found
    assert 'crawler_breakers_open{service="store"} 0.0' in found


def test_a_service_that_only_refuses_has_a_closed_breaker() -> None:
    refusing = make_breaker(Service.REDIS, BreakerState.CLOSED, None)
    assert 'crawler_breakers_open{service="redis"} 0.0' in publish(Sight(breakers=(refusing,)))


def test_domains_without_their_robots_txt_are_counted() -> None:
    found = publish(Sight(overview=OVERVIEW))
    assert 'crawler_breakers_open{service="robots"} 2.0' in found
    assert 'crawler_breakers_until_seconds{service="robots"} 9000.0' in found
