"""New urls per second: all are stored, and those beyond the limit are due later."""

import asyncio

import pytest

from tenax.record import replace
from tenax.records.runs import RunState
from tenax.records.urls import NewUrl
from tenax.stores.contracts.batches import Batch, DomainWork
from tests.support.clock import START, FakeClock
from tests.support.store import (
    ACTIVE,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_fetched,
    make_visit,
    new_url,
)

A, B = "https://a.example/", "https://b.example/"


@pytest.fixture
def other(store: StoreUnderTest, clock: FakeClock, runner: asyncio.Runner) -> StoreWorker:
    async def join() -> StoreWorker:
        mine = await store.connect()
        return await StoreWorker(mine.frontier, mine.runs, clock).start()

    return runner.run(join())


def find_links(start: str, count: int) -> list[NewUrl]:
    return [new_url(f"{start}{number}", discovered_from=1) for number in range(count)]


async def make_batch(worker: StoreWorker, found: list[NewUrl], per_s: int = 2) -> Batch:
    """A page of a domain that nobody holds, with these links."""
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    visit = make_visit(target, make_fetched(), at=worker.clock.now(), discovered=found)
    batch = worker.make_batch(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    return replace(batch, new_urls_per_s=per_s)


async def settle(worker: StoreWorker, found: list[NewUrl], per_s: int = 2) -> None:
    await worker.frontier.settle(await make_batch(worker, found, per_s))


def list_waits(store: StoreUnderTest, start: str) -> list[int]:
    """Seconds until the urls found below this address are due, in the order of their numbers."""
    rows = store.query(f"SELECT url, due_at FROM urls WHERE url LIKE '{start}%' AND due_at IS NOT NULL")
    found = {int(url.removeprefix(start)): due_at for url, due_at in rows if url != start}
    return [round(found[number] - START) for number in sorted(found)]


def find_counts(store: StoreUnderTest) -> tuple[int, float | None]:
    ((postponed, intake_at),) = store.query("SELECT postponed, intake_at FROM runs")
    return postponed, intake_at


async def test_without_a_limit_all_are_due_at_once(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    await settle(worker, find_links(A, 5), per_s=0)
    assert list_waits(store, A) == [0] * 5
    assert find_counts(store) == (0, None)


async def test_those_beyond_the_limit_are_stored_and_due_later(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await settle(worker, find_links(A, 5))
    assert list_waits(store, A) == [0, 0, 1, 1, 2]
    assert find_counts(store) == (3, START + 2.5)
    assert find_wrong_counters(store.query) == []


async def test_the_next_batch_waits_for_the_last(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, B)
    await settle(worker, find_links(A, 8))
    clock.advance(1.0)
    await settle(worker, find_links(B, 2))
    assert list_waits(store, B) == [4, 4]


async def test_known_urls_do_not_count(worker: StoreWorker, store: StoreUnderTest) -> None:
    links = find_links(A, 6)
    await worker.add(A, B, *(url.url for url in links[:5]))
    await settle(worker, links)
    assert find_counts(store) == (0, START + 0.5)


async def test_seeds_and_redirects_do_not_wait(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    seed, target = new_url(B + "0", is_seed=True, discovered_from=1), new_url(B + "1", discovered_from=1)
    await settle(worker, [*find_links(A, 6), seed, replace(target, hops=1)])
    assert list_waits(store, B) == [0, 0]


async def test_a_repeated_batch_changes_nothing(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    batch = await make_batch(worker, find_links(A, 5))
    await worker.frontier.settle(batch)
    counts = find_counts(store)
    await worker.frontier.settle(batch)
    assert find_counts(store) == counts


async def test_workers_share_the_limit(
    worker: StoreWorker, other: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A, B)
    mine, yours = await make_batch(worker, find_links(A, 4)), await make_batch(other, find_links(B, 4))
    await worker.frontier.settle(mine)
    await other.frontier.settle(yours)
    waits = sorted([*list_waits(store, A), *list_waits(store, B)])
    assert waits == [0, 0, 1, 1, 2, 2, 3, 3]


async def test_a_domain_whose_urls_all_wait_is_claimed_then(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    await settle(worker, [*find_links(A, 6), *find_links(B, 2)])
    assert await worker.claim() == []
    horizon = await worker.frontier.horizon(worker.id)
    assert horizon.next_avail_at is not None
    assert await worker.frontier.has_untried(START + 60)
    clock.advance(3.0)
    lease = await worker.claim_one()
    assert lease.domain == "b.example"
    assert len((await worker.head(lease)).targets) == 2


async def test_a_domain_with_one_url_that_is_due_is_claimed_at_once(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await settle(worker, [*find_links(B, 1), *find_links(A, 6), new_url(B + "9", discovered_from=1)])
    lease = await worker.claim_one()
    head = await worker.head(lease)
    assert [target.url for target in head.targets] == [B + "0"]
    assert head.next_due_at is not None


async def test_a_new_run_begins_with_everything(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    await settle(worker, [*find_links(A, 6), *find_links(B, 2)])
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    clock.advance(1.0)
    await worker.start()
    assert {round(row[0] - START) for row in store.query("SELECT due_at FROM urls WHERE due_at > 0")} == {
        0,
        1,
    }
    assert "b.example" in [lease.domain for lease in await worker.claim()]
