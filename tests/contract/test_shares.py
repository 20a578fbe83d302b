"""Several workers on one run: equal shares of its domains, and a budget of pages that nobody exceeds."""

import asyncio
import threading

import pytest

from tenax.records.runs import RunState
from tenax.stores.contracts.batches import DomainWork, Settled
from tenax.stores.contracts.workers import DeadWorker
from tests.support.clock import FakeClock
from tests.support.store import ACTIVE, LEASE_S, StoreUnderTest, StoreWorker, make_fetched, make_visit

LIMIT = 10
UNWANTED_S = 3.0  # what is free for so long may be taken beyond a share


@pytest.fixture
def other(store: StoreUnderTest, clock: FakeClock, runner: asyncio.Runner) -> StoreWorker:
    return runner.run(join(store, clock))


async def join(store: StoreUnderTest, clock: FakeClock) -> StoreWorker:
    mine = await store.connect()
    return await StoreWorker(mine.frontier, mine.runs, clock).start()


def name_domains(count: int) -> list[str]:
    return [f"https://d{number}.example/" for number in range(count)]


async def want(worker: StoreWorker, pages: int, limit: int = LIMIT) -> int:
    return (await worker.runs.grant(worker.id, worker.run_id, pages, limit)).pages


def dead(worker: StoreWorker) -> DeadWorker:
    return DeadWorker(uuid=worker.uuid, last_alive_at=0.0, reading_url_id=None)


async def renew(worker: StoreWorker) -> Settled:
    return await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S)


# --- domains ---------------------------------------------------------------------------------


async def test_a_worker_alone_may_hold_everything(worker: StoreWorker) -> None:
    await worker.add(*name_domains(9))
    assert len(await worker.claim()) == 9


async def test_two_workers_hold_equally_many(worker: StoreWorker, other: StoreWorker) -> None:
    await worker.add(*name_domains(9))
    assert (len(await worker.claim()), len(await other.claim())) == (5, 4)


async def test_a_share_counts_what_is_held_already(worker: StoreWorker, other: StoreWorker) -> None:
    await worker.add(*name_domains(8))
    assert [len(await worker.claim(3)) for _ in range(3)] == [3, 1, 0]


async def test_a_last_domain_is_not_divided(worker: StoreWorker, other: StoreWorker) -> None:
    await worker.add(*name_domains(1))
    assert (len(await worker.claim()), len(await other.claim())) == (1, 0)


async def test_what_nobody_takes_is_free_for_all(
    worker: StoreWorker, other: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(*name_domains(8))
    await worker.claim()
    clock.advance(UNWANTED_S)
    assert len(await worker.claim()) == 4


async def test_a_worker_that_left_has_no_share(worker: StoreWorker, other: StoreWorker) -> None:
    await worker.add(*name_domains(8))
    await other.runs.end_run(other.run_id, RunState.STOPPED, other.id)
    assert len(await worker.claim()) == 8


async def test_a_worker_that_is_silent_for_a_lease_has_no_share(
    worker: StoreWorker, other: StoreWorker, clock: FakeClock
) -> None:
    clock.advance(LEASE_S + 1)
    await renew(worker)
    await worker.add(*name_domains(8))
    assert len(await worker.claim()) == 8


async def test_whoever_holds_enough_hears_of_a_hungry_one(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(*name_domains(9))
    await worker.claim()
    newcomer = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    assert (await renew(worker)).share is None
    assert await newcomer.claim() == []
    assert (await renew(worker)).share == 5


async def test_settling_tells_of_a_hungry_one_too(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(*name_domains(4))
    lease = (await worker.claim())[0]
    newcomer = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    await newcomer.claim()
    assert (await worker.settle_visits(lease, [])).share == 2


async def test_the_hungry_one_gets_what_was_given_back(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(*name_domains(4))
    leases = await worker.claim()
    newcomer = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    await newcomer.claim()
    for lease in leases[2:]:
        await worker.release(lease)
    assert await worker.claim() == [], "it takes back what it gave"
    assert len(await newcomer.claim()) == 2
    assert (await renew(worker)).share is None


async def test_a_hungry_one_that_died_is_not_waited_for(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(*name_domains(4))
    await worker.claim()
    newcomer = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    await newcomer.claim()
    await worker.runs.end_dead_workers([dead(newcomer)])
    assert (await renew(worker)).share is None


async def test_a_worker_with_most_of_its_share_is_not_hungry(worker: StoreWorker, other: StoreWorker) -> None:
    await worker.add(*name_domains(10))
    held = await other.claim()
    await worker.claim()
    await other.release(held[0], is_parked=True)
    assert await other.claim() == []
    assert (await renew(worker)).share is None


# --- pages -----------------------------------------------------------------------------------


async def test_a_worker_alone_is_granted_what_it_wants(worker: StoreWorker) -> None:
    assert [await want(worker, 7), await want(worker, 7), await want(worker, 7)] == [7, 3, 0]


async def test_a_worker_gets_no_more_than_an_equal_part_of_the_rest(
    worker: StoreWorker, other: StoreWorker
) -> None:
    assert [await want(worker, 100), await want(other, 100), await want(worker, 100)] == [5, 3, 1]


async def test_settled_pages_use_up_what_was_granted(worker: StoreWorker) -> None:
    await worker.add(*(f"https://a.example/{number}" for number in range(3)))
    lease = await worker.claim_one()
    assert await want(worker, 2) == 2
    for _ in range(2):
        await worker.visit_next(lease, make_fetched())
    grant = await worker.runs.grant(worker.id, worker.run_id, 100, LIMIT)
    assert (grant.pages, grant.run_pages, grant.run_state) == (8, 2, RunState.RUNNING)


async def test_pages_with_a_stale_fence_use_up_nothing(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add("https://a.example/")
    lease = await worker.claim_one()
    await want(worker, LIMIT)
    target = (await worker.head(lease)).targets[0]
    await worker.release(lease)
    visit = make_visit(target, make_fetched(), at=clock.now())
    settled = await worker.settle(DomainWork(lease=lease, state=ACTIVE, visits=[visit]))
    assert settled.lost == {lease.domain_id}
    await worker.runs.return_pages(worker.id, LIMIT)
    assert await want(worker, 100) == LIMIT


async def test_what_is_returned_can_be_granted_again(worker: StoreWorker, other: StoreWorker) -> None:
    assert await want(worker, 4) == 4
    await worker.runs.return_pages(worker.id, 4)
    assert await want(other, 100) == 5


async def test_nothing_is_made_by_returning_too_much(worker: StoreWorker) -> None:
    await want(worker, 4)
    await worker.runs.return_pages(worker.id, 400)
    assert await want(worker, 100) == LIMIT


@pytest.mark.parametrize("leave", ["end", "bury"])
async def test_whoever_leaves_or_dies_leaves_its_pages(
    worker: StoreWorker, other: StoreWorker, leave: str
) -> None:
    await want(worker, LIMIT)
    if leave == "end":
        await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    else:
        await other.runs.end_dead_workers([dead(worker)])
    assert await want(other, 100) == LIMIT


async def test_a_buried_worker_is_granted_nothing(worker: StoreWorker, other: StoreWorker) -> None:
    await other.runs.end_dead_workers([dead(worker)])
    assert await want(worker, 100) == 0
    assert await want(other, 100) == LIMIT


async def test_a_limit_below_what_is_settled_grants_nothing(worker: StoreWorker) -> None:
    await worker.add("https://a.example/", "https://a.example/x")
    lease = await worker.claim_one()
    for _ in range(2):
        await worker.visit_next(lease, make_fetched())
    assert await want(worker, 5, limit=1) == 0


async def test_a_worker_without_a_limit_lessens_what_others_get(
    worker: StoreWorker, other: StoreWorker
) -> None:
    await worker.add("https://a.example/")
    await worker.visit_next(await worker.claim_one(), make_fetched())
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert await want(other, 100) == LIMIT - 1


async def test_workers_that_ask_at_once_never_get_more_than_the_limit(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    gate = threading.Barrier(3)

    async def ask() -> int:
        async with store.join() as mine:
            asking = await StoreWorker(mine.frontier, mine.runs, clock).start()
            gate.wait()
            return sum([await want(asking, 3, limit=100) for _ in range(40)])

    granted = await asyncio.gather(*(asyncio.to_thread(asyncio.run, ask()) for _ in range(3)))
    assert sum(granted) == 100
