"""Domains come back: given back by their worker, woken by new urls, seen from the horizon."""

from tenax.records.domains import DomainState, DomainStatus, Lease, Pace
from tenax.records.visits import Failed
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    make_failed,
    make_fetched,
    make_visit,
)

A = "https://a.example/"
B = "https://b.example/"


async def start_another(store: StoreUnderTest, clock: FakeClock) -> StoreWorker:
    other = await store.connect()
    return await StoreWorker(other.frontier, other.runs, clock).start()


async def settle_all(worker: StoreWorker, lease: Lease) -> None:
    targets = (await worker.head(lease)).targets
    visits = [make_visit(target, make_fetched(target.url), at=worker.clock.now()) for target in targets]
    await worker.settle_visits(lease, visits)


def avail_at(store: StoreUnderTest) -> float | None:
    ((instant,),) = store.query("SELECT avail_at FROM domains")
    return None if instant is None else float(instant)


# --- release ---------------------------------------------------------------------------------


async def test_a_domain_given_back_is_free_when_politeness_allows(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.release(await worker.claim_one(), ready_at=clock.now() + 5)
    assert avail_at(store) == clock.now() + 5
    assert await worker.claim() == []
    clock.advance(5)
    assert len(await worker.claim()) == 1


async def test_a_domain_given_back_waits_for_its_earliest_url(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_failed(retry_at=clock.now() + 90))
    await worker.visit_next(lease, make_failed(retry_at=clock.now() + 40))
    await worker.release(lease, ready_at=clock.now() + 1)
    assert avail_at(store) == clock.now() + 40


async def test_a_domain_with_nothing_due_is_exhausted(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    await worker.release(lease)
    assert store.query("SELECT status, avail_at FROM domains") == [("exhausted", None)]


async def test_a_domain_whose_urls_were_all_refused_is_exhausted(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    await worker.release(lease, state=DomainState(status=DomainStatus.PENDING))
    assert store.query("SELECT status FROM domains") == [("exhausted",)]


async def test_a_blocked_domain_stays_blocked_when_nothing_is_due(
    worker: StoreWorker, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    await worker.release(lease, state=DomainState(status=DomainStatus.BLOCKED))
    assert store.query("SELECT status FROM domains") == [("blocked",)]


async def test_a_stale_release_changes_nothing(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    stale = await worker.claim_one()
    clock.advance(LEASE_S)
    other = await start_another(store, clock)
    await other.claim_one()
    before = store.query("SELECT * FROM domains")
    await worker.release(stale)
    assert store.query("SELECT * FROM domains") == before


# --- waking ----------------------------------------------------------------------------------


async def test_a_new_url_wakes_an_idle_domain(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    await worker.release(lease)
    clock.advance(10)
    await worker.add(A + "new")
    assert store.query("SELECT status, avail_at FROM domains") == [("active", clock.now())]


async def test_a_known_url_wakes_nobody(worker: StoreWorker, store: StoreUnderTest) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    await worker.release(lease)
    await worker.add(A)
    assert store.query("SELECT status, avail_at FROM domains") == [("exhausted", None)]


async def test_a_new_url_wakes_a_blocked_domain_only_after_its_rest(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await settle_all(worker, lease)
    rest_until = clock.now() + 500
    state = DomainState(status=DomainStatus.BLOCKED, next_crawl_after=rest_until)
    await worker.release(lease, ready_at=rest_until, state=state)
    await worker.add(A + "new")
    assert avail_at(store) == rest_until


async def test_a_new_url_does_not_wait_for_the_retry_of_another(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_failed(retry_at=clock.now() + 3600))
    await worker.release(lease)
    await worker.add(A + "new")
    assert avail_at(store) == clock.now()


async def test_a_new_url_does_not_shorten_a_rest(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    rest_until = clock.now() + 500
    limited = DomainState(status=DomainStatus.ACTIVE, pace=Pace(backoff_until=rest_until))
    outcome: Failed = make_failed(retry_at=rest_until)
    target = (await worker.head(lease)).targets[0]
    await worker.settle_visits(lease, [make_visit(target, outcome, at=clock.now())], state=limited)
    await worker.release(lease, ready_at=rest_until, state=limited)
    await worker.add(A + "new")
    assert avail_at(store) == rest_until


async def test_a_parked_domain_sleeps_until_the_next_run(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    await worker.release(await worker.claim_one(), is_parked=True)
    await worker.add(A + "new")
    assert await worker.claim() == []


async def test_a_new_url_of_a_leased_domain_leaves_the_lease_alone(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.add(A + "new")
    assert avail_at(store) == lease.expires_at
    assert len((await worker.head(lease)).targets) == 2


# --- horizon ---------------------------------------------------------------------------------


async def test_the_horizon_of_an_empty_frontier_is_empty(worker: StoreWorker) -> None:
    horizon = await worker.frontier.horizon(worker.id)
    assert (horizon.next_avail_at, horizon.is_leased_elsewhere) == (None, False)


async def test_the_horizon_names_the_next_free_domain(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A, B)
    for wait_s, lease in zip((50, 20), await worker.claim(), strict=True):
        await worker.release(lease, ready_at=clock.now() + wait_s)
    assert (await worker.frontier.horizon(worker.id)).next_avail_at == clock.now() + 20


async def test_only_the_leases_of_others_are_leased_elsewhere(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    other = await start_another(store, clock)
    assert not (await worker.frontier.horizon(worker.id)).is_leased_elsewhere
    assert (await other.frontier.horizon(other.id)).is_leased_elsewhere
    await worker.release(lease, state=ACTIVE)
    assert not (await other.frontier.horizon(other.id)).is_leased_elsewhere


async def test_only_urls_whose_last_visit_did_not_fail_count_as_untried(
    worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, B)
    for lease in await worker.claim():
        (target,) = (await worker.head(lease)).targets
        retry_at = clock.now() + 100
        failed = make_visit(target, make_failed(retry_at=retry_at), at=clock.now())
        await worker.settle_visits(lease, [failed])
        await worker.release(lease, ready_at=retry_at)
    assert not await worker.frontier.has_untried(clock.now() + 100)
    await worker.add(f"{A}new")
    assert await worker.frontier.has_untried(clock.now() + 100)


async def test_what_is_untried_counts_only_where_its_domain_can_be_claimed_by_then(
    worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.release(await worker.claim_one(), ready_at=clock.now() + 50)
    assert not await worker.frontier.has_untried(clock.now() + 49)
    assert await worker.frontier.has_untried(clock.now() + 50)
