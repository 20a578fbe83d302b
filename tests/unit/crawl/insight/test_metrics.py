"""Breakers as a collector of metrics sees them."""

from tenax.crawl.insight.metrics import measure_crawl
from tenax.crawl.insight.progress import ProgressMeter, WorkerSnapshot
from tenax.crawl.tally import WorkerTally
from tenax.records.domains import BreakerState
from tenax.stores.contracts.overview import Overview
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker

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


def make_breaker(service: BackingService, state: BreakerState, retry_at: float | None) -> ServiceBreaker:
    return ServiceBreaker(service=service, state=state, retry_at=retry_at, reason="no answer")


def publish(*snapshots: WorkerSnapshot) -> str:
    return measure_crawl(WorkerTally(), ProgressMeter(0.0).measure(1.0, snapshots, WorkerTally())).format()


def test_open_breakers_are_counted_over_the_workers_with_their_next_trial() -> None:
    first = make_breaker(BackingService.REDIS, BreakerState.OPEN, 1000.0)
    second = make_breaker(BackingService.REDIS, BreakerState.HALF_OPEN, None)
    found = publish(WorkerSnapshot(breakers=(first,)), WorkerSnapshot(breakers=(second,)), WorkerSnapshot())
    assert 'crawler_breakers_open{service="redis"} 2.0' in found
    assert 'crawler_breakers_until_seconds{service="redis"} 1000.0' in found
    assert 'crawler_breakers_open{service="store"} 0.0' in found


def test_a_service_that_only_refuses_has_a_closed_breaker() -> None:
    refusing = make_breaker(BackingService.REDIS, BreakerState.CLOSED, None)
    assert 'crawler_breakers_open{service="redis"} 0.0' in publish(WorkerSnapshot(breakers=(refusing,)))


def test_domains_without_their_robots_txt_are_counted() -> None:
    found = publish(WorkerSnapshot(overview=OVERVIEW))
    assert 'crawler_breakers_open{service="robots"} 2.0' in found
    assert 'crawler_breakers_until_seconds{service="robots"} 9000.0' in found
