"""What a run leaves, by what blocks it."""

from tenax.records.domains import Breaker, BreakerState, DomainState, DomainStatus, Pace
from tenax.records.runs import RunState
from tenax.stores.contracts.frontier import FrontierStore
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.runs import RunStore
from tenax.stores.hot.leftovers import parse_leftover
from tests.support.clock import FakeClock
from tests.support.store import ACTIVE, StoreUnderTest, StoreWorker, make_failed, make_fetched

A, B, C, D, E, F, G = (f"https://{name}.example/" for name in "abcdefg")
FAR_S = 5000.0


def find_noted(store: StoreUnderTest, run_id: int) -> Leftover | None:
    ((text,),) = store.query(f"SELECT leftover FROM runs WHERE id = {run_id}")
    return parse_leftover(text)


async def count(frontier: FrontierStore) -> Leftover:
    return (await frontier.summarise()).leftover


async def test_nothing_is_left_of_nothing(store: StoreUnderTest) -> None:
    left = await count(store.frontier)
    assert left == Leftover()
    assert (left.urls, left.is_unfinished) == (0, False)


async def test_urls_are_counted_by_what_blocks_them(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, B, B + "x", C, C + "x", C + "y", D, E, F)
    leases = {lease.domain[0]: lease for lease in await worker.claim()}
    until = clock.now() + FAR_S
    # a stays in hand.
    await worker.release(leases["b"], is_parked=True)
    blocked = DomainState(status=DomainStatus.BLOCKED, block_code="forbidden", next_crawl_after=until)
    await worker.release(leases["c"], state=blocked, ready_at=until)
    rests = DomainState(status=DomainStatus.ACTIVE, pace=Pace(backoff_until=until))
    await worker.release(leases["d"], state=rests, ready_at=until)
    await worker.visit_next(leases["e"], make_failed(retry_at=until + 1))
    await worker.release(leases["e"])
    await worker.release(leases["f"])
    left = await count(store.frontier)
    assert left == Leftover(held=1, capped=2, resting=4, later=1, due=1, next_at=until + 1)
    assert left.urls == 9


async def test_an_open_breaker_is_a_rest(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    until = clock.now() + FAR_S
    broken = DomainState(
        status=DomainStatus.ACTIVE, breaker=Breaker(state=BreakerState.OPEN, trips=1, reopen_at=until)
    )
    await worker.release(await worker.claim_one(), state=broken, ready_at=until)
    left = await count(store.frontier)
    assert left == Leftover(resting=1)
    assert not left.is_unfinished


async def test_a_rest_that_ends_before_its_urls_are_due_does_not_block_them(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    rest_until, retry_at = clock.now() + 60, clock.now() + FAR_S
    rests = DomainState(status=DomainStatus.ACTIVE, pace=Pace(backoff_until=rest_until))
    await worker.visit_next(lease, make_failed(retry_at=retry_at))
    await worker.release(lease, state=rests, ready_at=rest_until)
    left = await count(store.frontier)
    assert left == Leftover(later=1, next_at=retry_at)
    assert left.is_unfinished


async def test_what_a_dead_worker_holds_is_due_when_its_lease_is_over(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    assert await count(store.frontier) == Leftover(held=1)
    clock.advance(100)
    assert await count(store.frontier) == Leftover(due=1)


async def test_each_source_has_its_own(worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> None:
    theirs = store.of_source(7)
    await worker.add(A, A + "x")
    await StoreWorker(theirs.frontier, theirs.runs, clock).add(B)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    ours, other = await store.frontier.summarise(), await theirs.frontier.summarise()
    assert (ours.leftover, ours.fates, ours.pages) == (Leftover(due=1), {"fetched": 1, "queued": 1}, 1)
    assert (other.leftover, other.fates, other.pages) == (Leftover(due=1), {"queued": 1}, 0)


async def test_a_run_that_ends_records_its_leftovers(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A, A + "x")
    await worker.release(await worker.claim_one(), is_parked=True, state=ACTIVE)
    assert find_noted(store, worker.run_id) is None
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    assert find_noted(store, worker.run_id) == Leftover(capped=2)
    # What the next run fetches is not taken off the last one's account.
    await run_store.open_run("{}")
    assert find_noted(store, worker.run_id) == Leftover(capped=2)


async def test_a_worker_that_only_leaves_records_nothing(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    assert not await run_store.end_run(worker.run_id, RunState.PAUSED, worker.id)
    assert find_noted(store, worker.run_id) is None


async def test_a_resumed_run_has_no_leftovers_yet(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    assert find_noted(store, worker.run_id) == Leftover(due=1)
    await run_store.add_worker(worker.run_id, "late", "localhost", 2, 60.0)
    assert find_noted(store, worker.run_id) is None
