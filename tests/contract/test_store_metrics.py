"""Metrics of a store."""

import asyncio
from dataclasses import replace

import pytest

from tenax.clock import Instant
from tenax.crawl.insight.metrics import measure_crawl
from tenax.crawl.insight.progress import ProgressMeter
from tenax.crawl.tally import WorkerTally
from tenax.metrics import Readings, list_metrics
from tenax.records.domains import BreakerState, DomainState, DomainStatus
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.records.visits import Outcome
from tenax.stores.commands.stat_rollup import roll_up
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.vitals import BackingService, ServiceBreaker, Vitals
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import find_load
from tenax.stores.queries.metrics import gather_metrics, report_outage
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"


async def gather(store: StoreUnderTest, now: Instant) -> Readings:
    async with open_access(store.place) as access:
        return await access.read(
            lambda connection: gather_metrics(
                connection, place=store.place, now=now, wall=now, load=find_load(store.place, connection)
            )
        )


async def gather_lines(store: StoreUnderTest, now: Instant) -> list[str]:
    return (await gather(store, now)).format().splitlines()


@pytest.fixture
def crawled(worker: StoreWorker, runner: asyncio.Runner) -> StoreWorker:
    """Two pages that took 0.25 s, one that failed, and 3 urls that wait under a lease."""
    runner.run(crawl(worker))
    return worker


async def crawl(worker: StoreWorker) -> None:
    await worker.add(A, A + "1", A + "2")
    lease = await worker.claim_one()
    targets = (await worker.head(lease)).targets
    outcomes: list[Outcome] = [make_fetched("one"), make_fetched("two"), make_failed()]
    visits = [make_visit(*each, at=START) for each in zip(targets, outcomes, strict=True)]
    found = tuple(new_url(f"{A}{n}") for n in range(3, 6))
    visits[0] = replace(visits[0], discovered=found)
    await worker.settle_visits(lease, visits)


async def test_counters_show_what_was_done(crawled: StoreWorker, store: StoreUnderTest) -> None:
    lines = await gather_lines(store, START)
    assert "crawler_pages_fetched_total 2.0" in lines
    assert "crawler_requests_total 3.0" in lines
    assert 'crawler_visits_total{outcome="failed"} 1.0' in lines
    assert 'crawler_http_status_total{code="200"} 2.0' in lines
    assert 'crawler_fetch_failures_total{kind="http_status"} 1.0' in lines
    assert "crawler_bytes_downloaded_total 300.0" in lines
    assert "crawler_urls_discovered_total 3.0" in lines
    assert 'crawler_fetch_duration_seconds_bucket{le="0.1"} 0' in lines
    assert 'crawler_fetch_duration_seconds_bucket{le="0.25"} 3' in lines
    assert "crawler_fetch_duration_seconds_sum 0.75" in lines


async def test_counters_never_go_back_when_statistics_are_rolled_up(
    crawled: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    before = [line for line in await gather_lines(store, START) if "_total" in line]
    now = clock.advance(100 * 86400)
    async with open_access(store.place) as access:
        await access.write(lambda connection: roll_up(connection, now))
    assert [line for line in await gather_lines(store, now) if "_total" in line] == before


async def test_the_success_rate_is_that_of_the_last_minutes(
    crawled: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    assert f"crawler_fetch_success_rate {1 - 1 / 3!r}" in await gather_lines(store, START)
    assert "crawler_fetch_success_rate 1.0" in await gather_lines(store, START + 600)


async def test_urls_under_a_lease_wait_and_are_not_due(crawled: StoreWorker, store: StoreUnderTest) -> None:
    lines = await gather_lines(store, START)
    assert "crawler_frontier_size 3.0" in lines
    assert "crawler_frontier_due 0.0" in lines
    assert "crawler_frontier_due_age_seconds 0.0" in lines
    assert 'crawler_leases{state="held"} 1.0' in lines
    assert 'crawler_leases{state="expired"} 0.0' in lines


async def test_urls_under_a_lease_that_expired_are_due_since_then(
    crawled: StoreWorker, store: StoreUnderTest
) -> None:
    lines = await gather_lines(store, START + LEASE_S + 5)
    assert "crawler_frontier_due 3.0" in lines
    assert "crawler_frontier_due_age_seconds 5.0" in lines
    assert 'crawler_leases{state="expired"} 1.0' in lines


async def test_domains_are_counted_by_status(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A, "https://b.example/")
    lease, _ = await worker.claim()
    rests = DomainState(
        status=DomainStatus.UNREACHABLE,
        block_code=RefusalReason.ROBOTS_UNREACHABLE,
        next_crawl_after=START + 90,
    )
    await worker.release(lease, state=rests, ready_at=START + 90)
    lines = await gather_lines(store, START)
    assert 'crawler_domains{status="unreachable"} 1.0' in lines
    assert 'crawler_domains{status="pending"} 1.0' in lines
    assert 'crawler_domains{status="blocked"} 0.0' in lines
    assert 'crawler_breakers_open{service="robots"} 1.0' in lines
    assert f'crawler_breakers_until_seconds{{service="robots"}} {START + 90!r}' in lines


async def test_a_worker_reports_its_rate_its_memory_and_failing_services(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    breaker = ServiceBreaker(
        service=BackingService.REDIS, state=BreakerState.OPEN, retry_at=START + 5, reason="no answer"
    )
    vitals = Vitals(pages_per_min=90.0, breakers=(breaker,), rss_bytes=123_000_000, silent_domains=3)
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, vitals)
    lines = await gather_lines(store, START + 7)
    name = f'worker="{worker.id}",host="localhost"'
    assert "crawler_active_workers 1.0" in lines
    assert 'crawler_workers{state="idle"} 1.0' in lines
    assert "crawler_pages_per_second 1.5" in lines
    assert "crawler_silent_domains 3.0" in lines
    assert f"crawler_worker_heartbeat_age_seconds{{{name}}} 7.0" in lines
    assert f"crawler_worker_rss_bytes{{{name}}} 123000000.0" in lines
    assert 'crawler_breakers_open{service="redis"} 1.0' in lines
    assert 'crawler_service_trouble{service="redis"} 1.0' in lines


async def test_a_silent_worker_is_shown_until_it_is_lost(worker: StoreWorker, store: StoreUnderTest) -> None:
    name = f'worker="{worker.id}",host="localhost"'
    lines = await gather_lines(store, START + 130)
    assert "crawler_active_workers 0.0" in lines
    assert 'crawler_workers{state="silent"} 1.0' in lines
    assert f"crawler_worker_heartbeat_age_seconds{{{name}}} 130.0" in lines
    lines = await gather_lines(store, START + 700)
    assert 'crawler_workers{state="lost"} 1.0' in lines
    assert not any(line.startswith("crawler_worker_heartbeat_age_seconds{") for line in lines)


async def test_a_worker_that_left_is_no_longer_shown(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    lines = await gather_lines(store, START)
    assert 'crawler_runs{state="done"} 1.0' in lines
    assert 'crawler_runs{state="running"} 0.0' in lines
    assert not any(line.startswith("crawler_worker_rss_bytes{") for line in lines)


async def test_the_store_reports_its_size(store: StoreUnderTest) -> None:
    lines = await gather_lines(store, START)
    assert "crawler_store_up 1.0" in lines
    (size,) = (line.split()[1] for line in lines if line.startswith("crawler_store_bytes "))
    assert float(size) > 10_000


async def test_every_metric_of_the_crawler_comes_from_a_store_or_a_crawl(
    crawled: StoreWorker, store: StoreUnderTest
) -> None:
    told = {*(await gather(store, START)).list_names(), *report_outage().list_names()}
    told |= {*measure_crawl(WorkerTally(), ProgressMeter(0.0).measure(1.0, [], WorkerTally())).list_names()}
    told.add("crawler_product_alerts_total")  # counted by the server that tells webhooks
    assert told == {metric.name for metric in list_metrics() if metric.name.startswith("crawler_")}


async def test_new_urls_that_had_to_wait_are_counted(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    found = [new_url(f"{A}{number}", discovered_from=1) for number in range(5)]
    visit = make_visit(target, make_fetched(), at=START, discovered=found)
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    await worker.frontier.settle(replace(batch, new_urls_per_s=2))
    assert "crawler_urls_postponed_total 3.0" in await gather_lines(store, START)
