"""Where all domains of a site share one pace, one of them is held at a time, whoever claims."""

import asyncio

import pytest

from tenax.config.crawl import PolitenessSettings
from tenax.records.domains import DomainState, DomainStatus, Lease, Pace
from tenax.stores.access import Access
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.feeds.holds import SOON_S, FeedHold, PolitenessTerms, hold_domain
from tenax.web.urls import registrable_domain
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker

GAP_S = 2.0
SHOP = tuple(f"https://{name}.shop.co.uk/" for name in "abc")
OTHER = "https://other.example/"


async def start(store: StoreUnderTest, clock: FakeClock) -> StoreWorker:
    return await StoreWorker(store.frontier, store.runs, clock).start()


async def claim(worker: StoreWorker, limit: int = 10) -> list[str]:
    leases = await worker.frontier.claim(worker.id, worker.run_id, limit, LEASE_S, GAP_S)
    return sorted(lease.domain for lease in leases)


async def claim_leases(worker: StoreWorker) -> list[Lease]:
    return await worker.frontier.claim(worker.id, worker.run_id, 10, LEASE_S, GAP_S)


def asked_at(now: float) -> DomainState:
    return DomainState(status=DomainStatus.ACTIVE, pace=Pace(last_start_at=now, last_answer_at=now))


async def test_one_domain_of_each_site_is_claimed(worker: StoreWorker) -> None:
    await worker.add(*SHOP, OTHER)
    # All of them have waited equally long: which one of the site comes first is open.
    assert sorted(map(registrable_domain, await claim(worker))) == ["other.example", "shop.co.uk"]
    assert await claim(worker) == []


async def test_without_a_shared_pace_all_are_claimed(worker: StoreWorker) -> None:
    await worker.add(*SHOP, OTHER)
    assert len(await worker.claim()) == 4


async def test_another_worker_gets_no_other_domain_of_a_held_site(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    assert len(await claim(worker)) == 1
    other = await start(store, clock)
    clock.advance(LEASE_S - 1)
    assert await claim(other) == []


async def test_two_who_claim_at_once_never_hold_one_site_together(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*(f"https://{number}.shop.co.uk/" for number in range(20)))
    workers = [worker]
    for _ in range(3):
        connected = await store.connect()
        workers.append(await StoreWorker(connected.frontier, connected.runs, clock).start())
    for _ in range(5):
        clock.advance(GAP_S + 3)
        found = await asyncio.gather(*(claim_leases(each) for each in workers))
        leases = [(each, lease) for each, got in zip(workers, found, strict=True) for lease in got]
        assert len(leases) == 1
        holder, lease = leases[0]
        await holder.release(lease, state=asked_at(clock.now()))


async def test_the_next_domain_waits_for_the_last_request_to_the_one_before(
    worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    (lease,) = await claim_leases(worker)
    clock.advance(5)
    await worker.release(lease, state=asked_at(clock.now()), ready_at=clock.now() + GAP_S + 1)
    clock.advance(GAP_S - 0.1)
    assert await claim(worker) == []
    clock.advance(0.2)
    (following,) = await claim(worker)
    assert following != lease.domain


async def test_domains_of_a_site_take_turns(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(*SHOP, *(f"{url}more" for url in SHOP))
    order = []
    for _ in range(6):
        (lease,) = await claim_leases(worker)
        order.append(lease.domain[0])
        await worker.release(lease, state=asked_at(clock.now()), ready_at=clock.now() + GAP_S + 1)
        assert await claim(worker) == [], "those that wait are put off, not forgotten"
        clock.advance(GAP_S + 0.5)
    assert sorted(order[:3]) == sorted(order[3:]) == ["a", "b", "c"]


async def test_a_site_at_rest_stands_in_nobody_elses_way(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(*(f"https://{number}.shop.co.uk/" for number in range(300)))
    (lease,) = await claim_leases(worker)
    clock.advance(1)
    await worker.add(OTHER)
    assert await claim(worker, 1) == ["other.example"], "while it is held"
    await worker.add("https://third.example/")
    await worker.release(lease, state=asked_at(clock.now()), ready_at=clock.now() + 9)
    assert await claim(worker, 1) == ["third.example"], "while it rests"


async def test_an_expired_lease_frees_the_site_after_a_full_gap_and_for_good(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    (stale,) = await claim_leases(worker)
    other = await start(store, clock)
    clock.advance(LEASE_S + 1)
    assert await claim(other) == [], "when it was asked last is not known"
    clock.advance(GAP_S + 0.1)
    assert len(await claim(other)) == 1
    settled = await store.frontier.renew(worker.id, worker.run_id, [stale], LEASE_S)
    assert settled.lost == {stale.domain_id}, "who slept must not go on beside the other"


async def test_a_dead_workers_site_rests_from_its_last_sign_of_life(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    await claim(worker)
    other = await start(store, clock)
    dead = DeadWorker(uuid=worker.uuid, last_alive_at=clock.now(), reading_url_id=None)
    await store.runs.end_dead_workers([dead])
    assert await claim(other) == []
    clock.advance(GAP_S + 0.1)
    assert len(await claim(other)) == 1


async def test_whoever_loses_a_domain_to_an_order_may_still_be_asking_its_site(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    (lease,) = await claim_leases(worker)
    await store.domains.block(lease.domain, "why")
    other = await start(store, clock)
    clock.advance(LEASE_S - 1)
    assert await claim(other) == []
    clock.advance(GAP_S + 1.1)
    assert len(await claim(other)) == 1


async def test_domains_of_other_sources_do_not_count(
    store: StoreUnderTest, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(SHOP[0])
    await claim(worker)
    other = store.of_source(7)
    of_source = await StoreWorker(other.frontier, other.runs, clock).start()
    await of_source.add(SHOP[1])
    assert await claim(of_source) == ["b.shop.co.uk"]


TERMS = PolitenessTerms(
    politeness=PolitenessSettings.model_validate({"delay_s": GAP_S, "jitter": 0.0, "share_pace": "site"}),
    request_s=10.0,
)


async def hold(access: Access, clock: FakeClock, name: str) -> FeedHold | float:
    now = clock.now()
    return await access.write(lambda connection: hold_domain(connection, name, TERMS, now))


async def test_a_feed_waits_for_the_whole_site(access: Access, worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(*SHOP)
    (lease,) = await claim_leases(worker)
    clock.advance(SOON_S)
    assert await hold(access, clock, "b.shop.co.uk") == clock.now() + SOON_S
    await worker.release(lease, state=asked_at(clock.now()), ready_at=clock.now() + 60)
    assert await hold(access, clock, "b.shop.co.uk") == pytest.approx(clock.now() + GAP_S)


async def test_a_crawl_waits_for_a_feed_of_the_site(
    access: Access, worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*SHOP)
    clock.advance(SOON_S)
    held = await hold(access, clock, "b.shop.co.uk")
    assert isinstance(held, FeedHold)
    assert await claim(worker) == []
    clock.advance(held.until - clock.now() + GAP_S + 0.1)
    assert len(await claim(worker)) == 1
