"""What a worker says of itself with its heartbeat: pages, their rate, and a Redis that fails it."""

import psutil  # type: ignore[import-untyped]
import pytest

from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.worker.heartbeat import Heartbeat
from tenax.records.domains import Breaker, BreakerState
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker
from tests.support.clock import START, FakeClock
from tests.support.crawling import make_blame


def test_the_rate_is_that_of_the_last_minute() -> None:
    clock = FakeClock()
    heartbeat = Heartbeat(MemoryCoordination(clock), make_blame(clock), clock)
    told = []
    for pages in (60, 120, 120, 120, 120):
        clock.advance(30)
        told.append(heartbeat.take(pages).pages_per_min)
    assert told == [120.0, 120.0, 60.0, 0.0, 0.0]


def test_the_pages_are_those_that_were_settled() -> None:
    clock = FakeClock()
    assert Heartbeat(MemoryCoordination(clock), make_blame(clock), clock).take(7).pages == 7


def test_a_service_that_does_its_part_is_not_told_of() -> None:
    clock = FakeClock()
    assert Heartbeat(MemoryCoordination(clock), make_blame(clock), clock).take(0).breakers == ()


def test_a_service_that_fails_is_told_of_with_its_next_trial() -> None:
    clock = FakeClock()
    coordination = MemoryCoordination(clock)
    coordination.trouble = "Redis does not answer"
    coordination.breaker = Breaker(state=BreakerState.OPEN, failures=5, reopen_at=START + 5)
    assert Heartbeat(coordination, make_blame(clock), clock).take(0).breakers == (
        ServiceBreaker(
            service=BackingService.REDIS,
            state=BreakerState.OPEN,
            retry_at=START + 5,
            reason="Redis does not answer",
        ),
    )


def test_the_memory_is_that_of_this_process() -> None:
    clock = FakeClock()
    told = Heartbeat(MemoryCoordination(clock), make_blame(clock), clock).take(0).rss_bytes
    assert told == pytest.approx(psutil.Process().memory_info().rss, rel=0.1)
