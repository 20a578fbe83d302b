"""What a worker says of itself with its heartbeat: pages, their rate, and a Redis that fails it."""

import psutil  # type: ignore[import-untyped]
import pytest

from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.visits.activity import Activity
from tenax.fetch.watched import WatchedFetcher
from tenax.policy.stalls import Stall, StallCause
from tenax.records.domains import Breaker, BreakerState
from tenax.records.requests import Request
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker
from tests.support.clock import START, FakeClock
from tests.support.crawling import SilentFetcher, make_heartbeat


def test_the_rate_is_that_of_the_last_minute() -> None:
    clock = FakeClock()
    heartbeat = make_heartbeat(clock)
    told = []
    for pages in (60, 120, 120, 120, 120):
        clock.advance(30)
        told.append(heartbeat.take(pages).pages_per_min)
    assert told == [120.0, 120.0, 60.0, 0.0, 0.0]


def test_the_pages_are_those_that_were_settled() -> None:
    clock = FakeClock()
    assert make_heartbeat(clock).take(7).pages == 7


def test_a_service_that_does_its_part_is_not_told_of() -> None:
    clock = FakeClock()
    assert make_heartbeat(clock).take(0).breakers == ()


def test_a_service_that_fails_is_told_of_with_its_next_trial() -> None:
    clock = FakeClock()
    coordination = MemoryCoordination(clock)
    coordination.trouble = "Redis does not answer"
    coordination.breaker = Breaker(state=BreakerState.OPEN, failures=5, reopen_at=START + 5)
    assert make_heartbeat(clock, coordination).take(0).breakers == (
        ServiceBreaker(
            service=BackingService.REDIS,
            state=BreakerState.OPEN,
            retry_at=START + 5,
            reason="Redis does not answer",
        ),
    )


def test_the_memory_is_that_of_this_process() -> None:
    clock = FakeClock()
    told = make_heartbeat(clock).take(0).rss_bytes
    assert told == pytest.approx(psutil.Process().memory_info().rss, rel=0.1)


def test_the_longest_visit_is_the_request_that_started_first() -> None:
    clock = FakeClock()
    fetcher = WatchedFetcher(SilentFetcher(), clock)
    for number in range(3):
        fetcher.start(Request(url=f"http://a.test/{number}"), lambda answer: None)
    longest = make_heartbeat(clock, fetcher=fetcher).take(0).longest
    assert longest is not None
    assert longest == LongestVisit(url="http://a.test/0", started_at=pytest.approx(START, abs=60))  # type: ignore[arg-type]


def test_a_document_that_is_read_apart_is_a_visit_under_way() -> None:
    clock, activity = FakeClock(), Activity()
    heartbeat = make_heartbeat(clock, activity=activity)
    ticket = activity.begin_reading("http://a.test/large")
    longest = heartbeat.take(0).longest
    assert longest is not None
    assert longest.url == "http://a.test/large"
    activity.end_reading(ticket)
    assert heartbeat.take(0).longest is None


def test_a_stall_is_told_of() -> None:
    clock, activity = FakeClock(), Activity()
    activity.stall = Stall(cause=StallCause.STORE, sentence="The store does not answer.", began_at=START)
    assert make_heartbeat(clock, activity=activity).take(0).stall is activity.stall
