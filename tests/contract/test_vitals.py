"""What a worker says of itself with its heartbeat stands in the store, for those who look on."""

from dataclasses import replace

from tenax.policy.stalls import Stall, StallCause
from tenax.records.domains import BreakerState, DomainState, DomainStatus
from tenax.records.urls import RefusalReason
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.contracts.vitals import BackingService, LongestVisit, ServiceBreaker, Vitals
from tenax.stores.hot.vitals import format_stall, format_trouble, parse_stall, parse_trouble
from tests.support.clock import FakeClock
from tests.support.store import ACTIVE, LEASE_S, StoreUnderTest, StoreWorker

BREAKER = ServiceBreaker(
    service=BackingService.REDIS, state=BreakerState.OPEN, retry_at=12.5, reason="Redis does not answer"
)
STALL = Stall(cause=StallCause.STORE, sentence="The store does not answer.", began_at=11.5)
VITALS = Vitals(
    pages=7,
    pages_per_min=90.5,
    breakers=(BREAKER,),
    rss_bytes=5_000_000_000,
    silent_domains=3,
    longest=LongestVisit(url="https://a.example/slow", started_at=10.5),
    stall=STALL,
)
TOLD = [
    (
        7,
        90.5,
        format_trouble([BREAKER]),
        5_000_000_000,
        3,
        "https://a.example/slow",
        10.5,
        format_stall(STALL),
    )
]
NOTHING = (None, None, None)
QUERY = (
    "SELECT pages, pages_per_min, trouble, rss_bytes, silent_domains, longest_url, longest_started_at, stall"
    " FROM workers"
)


def test_trouble_is_read_as_it_was_told() -> None:
    assert parse_trouble(format_trouble([BREAKER])) == (BREAKER,)
    assert parse_trouble(format_trouble([])) == ()


def test_a_stall_is_read_as_it_was_told() -> None:
    assert parse_stall(format_stall(STALL)) == STALL
    assert parse_stall(format_stall(None)) is None


async def test_a_worker_that_joins_has_said_nothing_yet(worker: StoreWorker, store: StoreUnderTest) -> None:
    assert store.query(QUERY) == [(0, 0.0, None, 0, 0, *NOTHING)]


async def test_a_renewal_tells_how_the_worker_fares(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, VITALS)
    assert store.query(QUERY) == TOLD
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S, Vitals(pages=8))
    assert store.query(QUERY) == [(8, 0.0, None, 0, 0, *NOTHING)]


async def test_a_batch_tells_it_too_and_the_same_when_it_is_repeated(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add("https://a.example/")
    work = DomainWork(lease=await worker.claim_one(), state=ACTIVE)
    batch = replace(worker.make_batch(work), vitals=VITALS)
    for _ in range(2):
        await worker.frontier.settle(batch)
        assert store.query(QUERY) == TOLD


async def test_a_batch_whose_leases_are_lost_tells_it_as_well(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add("https://a.example/")
    lease = await worker.claim_one()
    await worker.release(lease)
    work = DomainWork(lease=lease, state=ACTIVE)
    settled = await worker.frontier.settle(replace(worker.make_batch(work), vitals=VITALS))
    assert settled.lost == {lease.domain_id}
    assert store.query(QUERY) == TOLD


async def test_domains_that_rest_for_their_robots_txt_are_counted(
    worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add("https://a.example/", "https://b.example/", "https://c.example/")
    ends = [clock.now() + 60, clock.now() + 90, clock.now() - 1]
    for lease, ends_at in zip(await worker.claim(), ends, strict=True):
        state = DomainState(
            status=DomainStatus.UNREACHABLE,
            block_code=RefusalReason.ROBOTS_UNREACHABLE,
            next_crawl_after=ends_at,
        )
        await worker.release(lease, state=state, ready_at=ends_at)
    overview = await worker.frontier.overview(1.0, 1000)
    assert (overview.robots_failed, overview.robots_until) == (2, clock.now() + 90)
