"""Actions of users on the frontier: empty it, remove a url, free the domains of dead workers."""

import asyncio
from functools import partial

import pytest

from tenax.records.domains import DomainState, DomainStatus
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.stores.access import Access
from tenax.stores.commands import frontier as frontier_commands
from tenax.stores.commands.frontier import Recovered, empty_frontier, recover_leases, remove_url
from tenax.stores.contracts.runs import LOST_AFTER_S
from tests.support.clock import FakeClock
from tests.support.store import (
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
    make_visit,
    new_url,
)

A, B, C = "https://a.example/", "https://b.example/", "https://c.example/"


def find_fates(store: StoreUnderTest) -> list[tuple[str, str | None]]:
    return store.query("SELECT fate, reason FROM urls ORDER BY id")


def count_waiting(store: StoreUnderTest) -> int:
    ((number,),) = store.query("SELECT count(*) FROM urls WHERE due_at IS NOT NULL")
    return int(number)


def find_domain_id(store: StoreUnderTest, name: str) -> int:
    ((domain_id,),) = store.query(f"SELECT id FROM domains WHERE name = '{name}'")
    return int(domain_id)


# --- clear -----------------------------------------------------------------------------------------


async def test_waiting_urls_leave_the_frontier(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x", B)
    assert await empty_frontier(access, clock) == 3
    assert find_fates(store) == [("refused", "cleared")] * 3
    assert store.query("SELECT status, queued, avail_at FROM domains") == [("exhausted", 0, None)] * 2
    rows = store.query("SELECT from_status, to_status, cause FROM domain_events")
    assert rows == [("pending", "exhausted", "all_done")] * 2
    assert find_wrong_counters(store.query) == []
    assert await worker.claim() == []


async def test_clearing_again_finds_nothing(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await empty_frontier(access, clock)
    assert await empty_frontier(access, clock) == 0
    assert store.query("SELECT count(*) FROM domain_events") == [(1,)]


async def test_one_domain_is_cleared_alone(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, B, B + "x", C)
    assert await empty_frontier(access, clock, find_domain_id(store, "b.example")) == 2
    rows = store.query("SELECT name, queued FROM domains ORDER BY name")
    assert rows == [("a.example", 1), ("b.example", 0), ("c.example", 1)]
    assert find_wrong_counters(store.query) == []


@pytest.mark.parametrize("at_once", [1, 2, 3, 100])
async def test_it_is_done_in_steps(
    worker: StoreWorker,
    store: StoreUnderTest,
    access: Access,
    clock: FakeClock,
    monkeypatch: pytest.MonkeyPatch,
    at_once: int,
) -> None:
    monkeypatch.setattr(frontier_commands, "URLS_AT_ONCE", at_once)
    monkeypatch.setattr(frontier_commands, "DOMAINS_AT_ONCE", 2)
    await worker.add(*(f"{A}{number}" for number in range(5)), B, C, C + "x")
    assert await empty_frontier(access, clock) == 8
    assert count_waiting(store) == 0
    assert find_wrong_counters(store.query) == []


async def test_a_page_that_was_due_for_a_revisit_keeps_its_fate(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    await store.domains.reset("a.example", "again")
    assert await empty_frontier(access, clock) == 1
    assert find_fates(store) == [("fetched", None)]
    assert store.query("SELECT count(*) FROM pages") == [(1,)]
    assert find_wrong_counters(store.query) == []


async def test_a_url_that_was_to_be_retried_is_cleared_too(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), make_failed(retry_at=clock.now() + 60))
    assert await empty_frontier(access, clock) == 1
    assert store.query("SELECT fate, reason, attempts FROM urls") == [("refused", "cleared", 0)]


async def test_a_worker_loses_the_domain_and_writes_nothing_more(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    target = (await worker.head(lease)).targets[0]
    await empty_frontier(access, clock)
    settled = await worker.settle_visits(lease, [])
    assert settled.lost == {lease.domain_id}
    assert target.url.startswith(A)
    assert find_wrong_counters(store.query) == []


async def test_no_worker_gets_the_domain_before_its_owner_has_noticed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    await empty_frontier(access, clock)
    await worker.add(A + "later")
    assert await worker.claim() == []
    clock.advance(LEASE_S)
    assert len(await worker.claim()) == 1


async def test_a_blocked_domain_stays_blocked(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await store.domains.block("a.example", "no")
    assert await empty_frontier(access, clock) == 1
    assert store.query("SELECT status, queued FROM domains") == [("blocked", 0)]


@pytest.mark.parametrize("is_seed", [False, True])
async def test_a_cleared_url_that_is_added_again_is_queued_again(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock, is_seed: bool
) -> None:
    await worker.add(A)
    await empty_frontier(access, clock)
    await store.frontier.add_urls([new_url(A, depth=0, is_seed=is_seed)], clock.now())
    assert find_fates(store) == [("queued", None)]
    assert find_wrong_counters(store.query) == []
    assert len(await worker.claim()) == 1


async def test_a_cleared_url_is_not_queued_by_a_link(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await empty_frontier(access, clock)
    await worker.add(B)
    found = new_url(A, discovered_from=1)
    await worker.visit_next(await worker.claim_one(), make_fetched(), discovered=[found])
    assert find_fates(store) == [("refused", "cleared"), ("fetched", None)]


async def test_changed_rules_leave_cleared_urls_alone(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await empty_frontier(access, clock)
    assert await store.runs.reopen_refused([RefusalReason.OUT_OF_SCOPE]) == 0


async def test_counters_are_right_when_the_frontier_is_cleared_while_workers_settle(
    store: StoreUnderTest, access: Access, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontier_commands, "URLS_AT_ONCE", 3)
    names = [f"https://d{number}.example/" for number in range(4)]
    workers = []
    for _ in names:
        joined = await store.connect()
        workers.append(await StoreWorker(joined.frontier, joined.runs, clock).start())
    await workers[0].add(*(f"{name}{page}" for name in names for page in range(20)))

    async def crawl(worker: StoreWorker) -> None:
        for lease in await worker.claim(1):
            for number in range(8):
                head = await worker.head(lease)
                if not head.targets:
                    return
                found = new_url(f"{names[number % len(names)]}new{worker.id}-{number}")
                visit = make_visit(head.targets[0], make_fetched(), at=clock.now(), discovered=[found])
                await worker.settle_visits(lease, [visit])

    await asyncio.gather(*(crawl(worker) for worker in workers), empty_frontier(access, clock))
    await empty_frontier(access, clock)
    assert count_waiting(store) == 0
    assert find_wrong_counters(store.query) == []


# --- one url ---------------------------------------------------------------------------------------


async def test_one_url_is_removed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    ((url_id,),) = store.query(f"SELECT id FROM urls WHERE url = '{A}'")
    assert await access.write(partial(remove_url, url_id=url_id, clock=clock))
    assert not await access.write(partial(remove_url, url_id=url_id, clock=clock))
    assert store.query("SELECT queued, status FROM domains") == [(1, "pending")]
    assert find_wrong_counters(store.query) == []
    lease = await worker.claim_one()
    assert [target.url for target in (await worker.head(lease)).targets] == [A + "x"]


async def test_an_unknown_url_is_not_removed(access: Access, clock: FakeClock) -> None:
    assert not await access.write(partial(remove_url, url_id=99, clock=clock))


# --- recover ---------------------------------------------------------------------------------------


async def test_expired_leases_are_freed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A, A + "x", B)
    await worker.claim()
    clock.advance(LEASE_S + 1)
    assert await recover_leases(access, clock) == Recovered(domains=2, urls=3, workers=0)
    assert store.query("SELECT claimed_by, avail_at FROM domains") == [(None, clock.now())] * 2
    assert await recover_leases(access, clock) == Recovered(domains=0, urls=0, workers=0)


async def test_live_workers_keep_their_domains(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    assert await recover_leases(access, clock) == Recovered(domains=0, urls=0, workers=0)
    assert (await worker.settle_visits(lease, [])).lost == frozenset()


async def test_domains_of_a_worker_that_has_left_are_freed(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.runs.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert (await recover_leases(access, clock)).domains == 1
    assert (await worker.settle_visits(lease, [])).lost == {lease.domain_id}


async def test_a_domain_that_is_freed_rests_first(
    worker: StoreWorker, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    freed_at = clock.advance(LEASE_S + 1)
    await recover_leases(access, clock)
    pace = (await worker.claim_one()).state.pace
    assert (pace.last_start_at, pace.last_answer_at) == (freed_at, freed_at)


async def test_workers_that_are_silent_for_long_are_ended(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    clock.advance(LOST_AFTER_S + 1)
    assert await recover_leases(access, clock) == Recovered(domains=0, urls=0, workers=1)
    assert store.query("SELECT is_buried, ended_at FROM workers") == [(1, clock.now())]


async def test_a_domain_that_rests_is_not_woken_early(
    worker: StoreWorker, store: StoreUnderTest, access: Access, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    until = clock.now() + 900
    resting = DomainState(status=DomainStatus.BLOCKED, block_code="rate_limited", next_crawl_after=until)
    await worker.settle_visits(lease, [], state=resting)
    clock.advance(LEASE_S + 1)
    await recover_leases(access, clock)
    assert (await worker.claim_one()).state.next_crawl_after == until
