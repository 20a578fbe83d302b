"""Settling: a stale fence writes nothing, robots copies stay good, counters stay true."""

import random
from collections.abc import Callable
from typing import Any

import pytest

from tenax.records.domains import Lease, RobotsRecord
from tenax.records.requests import FailureKind
from tenax.records.urls import RefusalReason, Target
from tenax.records.visits import Gone, Outcome, Redirected, Refused, Skipped
from tenax.stores.contracts.batches import DomainWork, RobotsVisit
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
B = "https://b.example/"
LONG = "A text that is long enough to be a page of its own. " * 10


# --- the fence -------------------------------------------------------------------------------


def snapshot(store: StoreUnderTest, domain_id: int) -> list[Any]:
    return [
        store.query(f"SELECT * FROM domains WHERE id = {domain_id}"),
        *(
            store.query(f"SELECT * FROM {table} WHERE domain_id = {domain_id}")
            for table in ("urls", "pages", "visits", "robots")
        ),
    ]


async def test_a_stale_fence_writes_nothing_and_the_rest_of_the_batch_is_written(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, B)
    stale = {lease.domain: lease for lease in await worker.claim()}
    clock.advance(LEASE_S)
    fresh = {lease.domain: lease for lease in await worker.claim()}
    works = [
        await work_on(worker, stale["a.example"], discovered=A + "n"),
        await work_on(worker, fresh["b.example"], discovered=B + "n"),
    ]
    before = snapshot(store, stale["a.example"].domain_id)
    settled = await worker.settle(*works)
    assert settled.lost == {stale["a.example"].domain_id}
    assert snapshot(store, stale["a.example"].domain_id) == before
    assert store.query("SELECT count(*) FROM pages") == [(1,)]
    assert find_wrong_counters(store.query) == []


async def test_a_lease_given_back_can_not_settle(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    work = await work_on(worker, lease)
    await worker.release(lease)
    before = snapshot(store, lease.domain_id)
    assert (await worker.settle(work)).lost == {lease.domain_id}
    assert snapshot(store, lease.domain_id) == before


async def test_an_expired_lease_that_nobody_took_still_settles(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    work = await work_on(worker, await worker.claim_one())
    clock.advance(LEASE_S * 10)
    assert (await worker.settle(work)).lost == frozenset()
    assert store.query("SELECT count(*) FROM pages") == [(1,)]


async def work_on(worker: StoreWorker, lease: Lease, *, discovered: str | None = None) -> DomainWork:
    target = (await worker.head(lease)).targets[0]
    found = [new_url(discovered)] if discovered else []
    visit = make_visit(target, make_fetched(), at=worker.clock.now(), discovered=found)
    return DomainWork(lease=lease, state=ACTIVE, visits=[visit])


# --- robots ----------------------------------------------------------------------------------

ORIGIN = "https://a.example"


def asked(body: bytes, *, at: float, error: str | None = None, is_redirect: bool = False) -> RobotsVisit:
    status = None if error else 200
    record = RobotsRecord(
        origin=ORIGIN, status=status, body=body, fetched_at=at, expires_at=at + 60, error=error
    )
    return RobotsVisit(
        record=None if is_redirect else record,
        at=at,
        duration_s=0.1,
        wire_bytes=len(body),
        status=status,
        error=error,
    )


async def settle_robots(worker: StoreWorker, *visits: RobotsVisit) -> RobotsRecord | None:
    """What a successor reads after these requests."""
    await worker.add(A)
    lease = await worker.claim_one()
    for visit in visits:
        await worker.settle_robots(lease, visit)
    (loaded,) = await worker.frontier.load([lease], 1, 1)
    return loaded.robots[0] if loaded.robots else None


async def test_a_robots_copy_comes_back_as_it_was(worker: StoreWorker) -> None:
    visit = asked(b"User-agent: *", at=START)
    assert await settle_robots(worker, visit) == visit.record


async def test_a_newer_robots_copy_replaces_an_older(worker: StoreWorker) -> None:
    newer = asked(b"new", at=START + 1)
    assert await settle_robots(worker, asked(b"old", at=START), newer) == newer.record


async def test_a_robots_failure_leaves_a_good_copy_in_force(worker: StoreWorker) -> None:
    good = asked(b"good", at=START)
    assert await settle_robots(worker, good, asked(b"", at=START + 1, error="timeout")) == good.record


async def test_a_robots_failure_replaces_an_older_failure(worker: StoreWorker) -> None:
    newer = asked(b"", at=START + 1, error="connection refused")
    assert await settle_robots(worker, asked(b"", at=START, error="timeout"), newer) == newer.record


async def test_a_good_robots_copy_replaces_a_failure(worker: StoreWorker) -> None:
    good = asked(b"good", at=START + 1)
    assert await settle_robots(worker, asked(b"", at=START, error="timeout"), good) == good.record


async def test_a_robots_redirect_is_a_request_without_a_copy(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    assert await settle_robots(worker, asked(b"", at=START, is_redirect=True)) is None
    assert store.query("SELECT outcome, url_id FROM visits") == [("robots", None)]
    assert find_wrong_counters(store.query) == []


# --- counters --------------------------------------------------------------------------------


OUTCOMES: list[Callable[[random.Random, float], Outcome]] = [
    lambda dice, now: make_fetched(dice.choice([LONG, "short", str(dice.random()) * 20])),
    lambda dice, now: make_fetched(canonical=f"{A}{dice.randrange(30)}"),
    lambda dice, now: Redirected(status=302, to_url=f"{B}{dice.randrange(30)}"),
    lambda dice, now: Skipped(status=200, content_type="application/pdf"),
    lambda dice, now: Gone(status=404),
    lambda dice, now: Refused(reason=RefusalReason.TOO_DEEP, detail="11"),
    lambda dice, now: make_failed(),
    lambda dice, now: make_failed(retry_at=now + dice.uniform(0, 20)),
    lambda dice, now: make_failed(kind=FailureKind.CRASH),
]


@pytest.mark.parametrize("seed", range(4))
async def test_counters_stay_true_whatever_happens(
    seed: int, worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    dice = random.Random(seed)
    await worker.add(A, B, "https://c.example/")
    stale: list[Lease] = []
    for _ in range(25):
        leases = await worker.claim(3)
        works = [await random_work(worker, lease, dice) for lease in leases + stale]
        await worker.settle(*works)
        clock.advance(dice.choice([0.0, 1.0, 30.0]))
        for lease in leases:
            if dice.random() < 0.7:
                await worker.release(lease, is_parked=dice.random() < 0.02)
            else:
                stale.append(lease)
                clock.advance(LEASE_S)
        assert find_wrong_counters(store.query) == []
    assert store.query("SELECT count(*) > 40 FROM visits") == [(1,)]


async def random_work(worker: StoreWorker, lease: Lease, dice: random.Random) -> DomainWork:
    now = worker.clock.now()
    targets: tuple[Target, ...] = (await worker.head(lease, dice.randrange(6))).targets
    hosts = [A, B, "https://c.example/"]
    visits = [
        make_visit(
            target,
            dice.choice(OUTCOMES)(dice, now),
            at=now,
            discovered=[new_url(f"{dice.choice(hosts)}{dice.randrange(200)}") for _ in range(3)],
            wire_bytes=dice.randrange(10_000),
        )
        for target in targets
    ]
    robots = [asked(b"x" * dice.randrange(50), at=now)] if dice.random() < 0.3 else []
    return DomainWork(lease=lease, state=ACTIVE, visits=visits, robots=robots)
