"""What fails leaves nothing, and what comes again changes nothing: answers get lost on their way."""

import pytest

from tenax.errors import StoreError
from tenax.stores.contracts.batches import Batch, DomainWork
from tenax.stores.contracts.runs import RunStore
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
LOGO = (A + "logo.png", "Logo", "img")

TABLES = (
    "domains",
    "urls",
    "pages",
    "images",
    "changes",
    "visits",
    "robots",
    "runs",
    "seeds",
    "workers",
    "stats",
)
STEPS = {
    "a new url": ("INSERT", "urls"),
    "the fate of a url": ("UPDATE OF fate", "urls"),
    "a page": ("INSERT", "pages"),
    "an image": ("INSERT", "images"),
    "a visit": ("INSERT", "visits"),
    "the state of a domain": ("UPDATE OF status", "domains"),
    "the heartbeat": ("UPDATE", "workers"),
    "the counters of the run": ("UPDATE OF pages", "runs"),
    "the counts of the minute": ("INSERT", "stats"),
}


def snapshot(store: StoreUnderTest) -> list[object]:
    return [store.query(f"SELECT * FROM {table}") for table in TABLES]


async def make_batch(worker: StoreWorker) -> Batch:
    """A page with a link and an image, and a url that is tried again."""
    await worker.add(A, A + "later")
    lease = await worker.claim_one()
    page, later = (await worker.head(lease)).targets
    visits = [
        make_visit(page, make_fetched(images=[LOGO]), at=START, discovered=[new_url(A + "x")]),
        make_visit(later, make_failed(retry_at=START + 9), at=START),
    ]
    return worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=visits))


@pytest.mark.parametrize("step", STEPS.values(), ids=list(STEPS))
async def test_a_batch_that_fails_at_any_step_leaves_nothing_and_can_be_repeated(
    step: tuple[str, str], worker: StoreWorker, store: StoreUnderTest
) -> None:
    batch = await make_batch(worker)
    before = snapshot(store)
    with store.broken(*step), pytest.raises(StoreError, match="fault"):
        await worker.frontier.settle(batch)
    assert snapshot(store) == before
    await worker.frontier.settle(batch)
    assert store.query("SELECT count(*) FROM visits") == [(2,)]
    assert find_wrong_counters(store.query) == []


async def test_a_batch_that_comes_again_is_not_counted_twice(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    batch = await make_batch(worker)
    first = await worker.frontier.settle(batch)
    before = snapshot(store)
    assert await worker.frontier.settle(batch) == first
    assert snapshot(store) == before


async def test_a_batch_that_comes_again_renews_its_leases(worker: StoreWorker, clock: FakeClock) -> None:
    batch = await make_batch(worker)
    await worker.frontier.settle(batch)
    clock.advance(LEASE_S - 1)
    again = await worker.frontier.settle(batch)
    assert again.expires_at == clock.now() + LEASE_S
    clock.advance(LEASE_S - 1)
    assert await worker.claim() == []


async def test_a_batch_that_comes_again_names_what_was_lost(worker: StoreWorker, clock: FakeClock) -> None:
    batch = await make_batch(worker)
    clock.advance(LEASE_S)
    taken = await worker.claim_one()
    for _ in range(2):
        assert (await worker.frontier.settle(batch)).lost == {taken.domain_id}


async def test_the_batches_of_two_workers_are_told_apart(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    await worker.frontier.settle(await make_batch(worker))
    await other.add("https://b.example/")
    await other.visit_next(await other.claim_one(), make_fetched())
    assert store.query("SELECT count(*) FROM pages") == [(2,)]


async def test_a_worker_that_is_added_again_is_the_same(worker: StoreWorker, run_store: RunStore) -> None:
    assert await run_store.add_worker(worker.run_id, worker.uuid, "localhost", 1, LEASE_S) == worker.id


async def test_a_release_that_comes_again_changes_nothing(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.release(lease)
    before = snapshot(store)
    await worker.release(lease)
    assert snapshot(store) == before
