"""The frontier: urls are kept once, domains are leased to one worker at a time, queues have an order."""

import asyncio
import threading
from dataclasses import replace

from tenax.records.domains import Breaker, DomainState, DomainStatus, Pace
from tenax.records.urls import Priority
from tenax.stores.contracts.frontier import MOST_KNOWN, FrontierStore
from tests.support.clock import FakeClock
from tests.support.store import (
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A = "https://a.example/"
B = "https://b.example/"
UNWANTED_S = 3.0  # what is free for so long may be taken beyond a share


async def start_another(store: StoreUnderTest, clock: FakeClock) -> StoreWorker:
    other = await store.connect()
    return await StoreWorker(other.frontier, other.runs, clock).start()


# --- urls ------------------------------------------------------------------------------------


async def test_a_url_is_kept_once(worker: StoreWorker, store: StoreUnderTest) -> None:
    assert await worker.add(A, A, A + "x") == 2
    assert await worker.add(A, A + "x") == 0
    assert store.query("SELECT count(*) FROM urls") == [(2,)]


async def test_adding_nothing_adds_nothing(frontier_store: FrontierStore) -> None:
    assert await frontier_store.add_urls([], 0.0) == 0


async def test_equal_keys_in_two_domains_are_two_urls(
    frontier_store: FrontierStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    first = new_url(A)
    second = new_url(B)
    twin = type(second)(
        url=B, key=first.key, domain=second.domain, depth=0, priority=Priority.LOW, is_seed=True
    )
    assert await frontier_store.add_urls([first, twin], clock.now()) == 2


async def test_an_overview_shows_what_was_just_added(frontier_store: FrontierStore, clock: FakeClock) -> None:
    """A supervisor starts as many workers as there are domains, and has looked before there were any."""
    assert (await frontier_store.overview(1.0, 100)).domains_queued == 0
    await frontier_store.add_urls([new_url(A), new_url(B)], clock.now())
    assert (await frontier_store.overview(1.0, 100)).domains_queued == 2


# --- claim -----------------------------------------------------------------------------------


async def test_a_domain_is_claimed_once(worker: StoreWorker, store: StoreUnderTest, clock: FakeClock) -> None:
    await worker.add(A, B)
    other = await start_another(store, clock)
    assert len(await worker.claim(1)) == 1
    assert len(await other.claim(9)) == 1
    assert await worker.claim() == await other.claim() == []


async def test_nothing_to_claim_is_an_empty_list(worker: StoreWorker) -> None:
    assert await worker.claim() == []


async def test_a_lease_says_what_the_domain_is(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    assert (lease.domain, lease.known_urls, lease.expires_at) == ("a.example", 2, clock.now() + LEASE_S)
    assert lease.state == DomainState()


async def test_the_domain_that_waits_longest_is_claimed_first(worker: StoreWorker, clock: FakeClock) -> None:
    names = ["c.example", "a.example", "b.example"]
    for name in names:
        await worker.add(f"https://{name}/")
        clock.advance(1)
    assert [(await worker.claim_one()).domain for _ in names] == names


async def test_an_expired_lease_can_be_claimed_again(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lost = await worker.claim_one()
    clock.advance(LEASE_S - 0.1)
    other = await start_another(store, clock)
    assert await other.claim() == []
    clock.advance(0.1)
    taken = await other.claim_one()
    assert taken.domain_id == lost.domain_id
    assert taken.version > lost.version


async def test_a_domain_taken_over_rests_from_now(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    await worker.claim_one()
    clock.advance(LEASE_S + 100)
    pace = (await worker.claim_one()).state.pace
    assert (pace.last_start_at, pace.last_answer_at) == (clock.now(), clock.now())


async def test_a_domain_given_back_does_not_rest_again(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    await worker.release(await worker.claim_one(), state=DomainState(pace=Pace(last_start_at=5.0)))
    clock.advance(100)
    assert (await worker.claim_one()).state.pace.last_start_at == 5.0


async def test_threads_that_claim_at_once_never_share_a_domain(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(*(f"https://d{n}.example/" for n in range(60)))
    clock.advance(UNWANTED_S)
    claimed: list[str] = []
    gate = threading.Barrier(3)

    async def take_all() -> None:
        async with store.join() as mine:
            worker = await StoreWorker(mine.frontier, mine.runs, clock).start()
            gate.wait()
            while leases := await worker.claim(3):
                claimed.extend(lease.domain for lease in leases)

    await asyncio.gather(*(asyncio.to_thread(asyncio.run, take_all()) for _ in range(3)))
    assert sorted(claimed) == sorted(f"d{n}.example" for n in range(60))


async def test_the_state_of_a_domain_comes_back_with_its_lease(worker: StoreWorker, clock: FakeClock) -> None:
    state = DomainState(
        status=DomainStatus.BLOCKED,
        block_code="forbidden",
        block_reason="403 ten times",
        next_crawl_after=12.0,
        pace=Pace(
            robots_delay_s=2.0,
            last_start_at=3.0,
            last_answer_at=4.0,
            last_response_s=0.5,
            backoff_level=6,
            backoff_until=7.0,
            last_backoff_at=8.0,
            pushback_streak=3,
            forbidden_streak=9,
        ),
        breaker=Breaker(failures=1, successes=2, trips=3, reopen_at=10.0),
    )
    await worker.add(A)
    await worker.release(await worker.claim_one(), state=state)
    assert (await worker.claim_one()).state == state


async def test_pages_of_a_run_are_counted_from_nothing_in_the_next(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    state = DomainState(status=DomainStatus.ACTIVE, run_pages=1)
    await worker.settle_visits(lease, [make_visit(target, make_fetched(), at=clock.now())], state=state)
    await worker.release(lease, state=state)
    again = await worker.claim_one()
    assert again.state.run_pages == 1
    await worker.release(again, state=again.state)
    next_run = await worker.frontier.claim(worker.id, worker.run_id + 1, 1, LEASE_S)
    assert next_run[0].state.run_pages == 0


# --- renew -----------------------------------------------------------------------------------


async def test_renewing_prolongs_a_lease(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    clock.advance(LEASE_S - 1)
    renewed = await worker.frontier.renew(worker.id, worker.run_id, [lease], LEASE_S)
    assert (renewed.lost, renewed.expires_at) == (frozenset(), clock.now() + LEASE_S)
    clock.advance(LEASE_S - 1)
    assert await worker.claim() == []


async def test_renewing_with_a_stale_version_is_reported_lost(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    stale = await worker.claim_one()
    clock.advance(LEASE_S)
    other = await start_another(store, clock)
    await other.claim_one()
    clock.advance(LEASE_S / 2)
    renewed = await worker.frontier.renew(worker.id, worker.run_id, [stale], LEASE_S)
    assert renewed.lost == {stale.domain_id}
    clock.advance(LEASE_S / 2)
    assert len(await other.claim()) == 1  # not prolonged


async def test_renewing_nothing_is_a_heartbeat(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    clock.advance(7)
    await worker.frontier.renew(worker.id, worker.run_id, [], LEASE_S)
    assert store.query("SELECT heartbeat_at FROM workers") == [(clock.now(),)]


async def test_a_lease_given_back_can_not_be_renewed(worker: StoreWorker, clock: FakeClock) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.release(lease)
    renewed = await worker.frontier.renew(worker.id, worker.run_id, [lease], LEASE_S)
    assert renewed.lost == {lease.domain_id}
    assert len(await worker.claim()) == 1


# --- head ------------------------------------------------------------------------------------


async def test_the_most_wanted_urls_come_first_and_equals_in_the_order_they_came(
    worker: StoreWorker, clock: FakeClock
) -> None:
    wanted = [("low", 1), ("medium", 2), ("medium2", 2), ("high", 3), ("low2", 1), ("high2", 3)]
    for name, priority in wanted:
        await worker.add(A + name, priority=Priority(priority))
        clock.advance(1)
    lease = await worker.claim_one()
    names = [target.url.removeprefix(A) for target in (await worker.head(lease)).targets]
    assert names == ["high", "high2", "medium", "medium2", "low", "low2"]


async def test_a_new_url_is_due_at_once_behind_those_found_before_it(
    worker: StoreWorker, clock: FakeClock
) -> None:
    found = [f"{A}{number}" for number in range(4)]
    for url in found:
        clock.advance(0.3)
        await worker.add(url, priority=Priority.LOW)
    head = await worker.head(await worker.claim_one())
    assert [target.url for target in head.targets] == found


async def test_a_head_is_no_longer_than_asked(worker: StoreWorker) -> None:
    await worker.add(*(f"{A}h{n}" for n in range(5)), priority=Priority.HIGH)
    await worker.add(*(f"{A}l{n}" for n in range(5)), priority=Priority.LOW)
    lease = await worker.claim_one()
    assert [target.priority for target in (await worker.head(lease, 7)).targets] == [3, 3, 3, 3, 3, 1, 1]


async def test_a_url_due_later_is_not_in_the_head_and_its_time_is_known(
    worker: StoreWorker, clock: FakeClock
) -> None:
    await worker.add(A, A + "later")
    lease = await worker.claim_one()
    retry_at = clock.now() + 30
    failed = await worker.visit_next(lease, make_failed(retry_at=retry_at))
    head = await worker.head(lease)
    assert failed.url not in [target.url for target in head.targets]
    assert len(head.targets) == 1
    assert head.next_due_at == retry_at
    clock.advance(30)
    head = await worker.head(lease)
    assert (len(head.targets), head.next_due_at) == (2, None)


async def test_loading_brings_queue_robots_and_known_keys(worker: StoreWorker) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    (loaded,) = await worker.frontier.load([lease], 1, 10)
    assert len(loaded.head.targets) == 1
    assert list(loaded.known or ()) == sorted([new_url(A).key, new_url(A + "x").key])
    assert list(loaded.robots) == []


async def test_known_keys_are_bounded_over_all_domains(worker: StoreWorker) -> None:
    for host in "abc":
        await worker.add(*(f"https://{host}.example/{n}" for n in range(3)))
    loaded = await worker.frontier.load(await worker.claim(), 10, 7)
    assert [None if domain.known is None else len(domain.known) for domain in loaded] == [3, 3, None]


async def test_a_domain_with_very_many_urls_comes_without_known_keys(worker: StoreWorker) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    large = replace(lease, known_urls=MOST_KNOWN + 1)
    loaded = await worker.frontier.load([lease], 10, 10 * MOST_KNOWN)
    loaded += await worker.frontier.load([large], 10, 10 * MOST_KNOWN)
    assert [domain.known is None for domain in loaded] == [False, True]
