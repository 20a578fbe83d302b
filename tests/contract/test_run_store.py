"""Runs, seeds and workers: who crawls, since when, and what is left of those who died."""

from dataclasses import replace

from tenax.records.domains import DomainState, DomainStatus, Pace
from tenax.records.requests import FailureKind
from tenax.records.runs import RunState
from tenax.records.urls import RefusalReason
from tenax.records.visits import Refused, Skipped
from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.workers import DeadWorker
from tests.support.clock import FakeClock
from tests.support.store import (
    ACTIVE,
    LEASE_S,
    StoreUnderTest,
    StoreWorker,
    find_wrong_counters,
    make_failed,
    make_fetched,
)

A = "https://a.example/"
B = "https://b.example/"


def find_states(store: StoreUnderTest) -> list[str]:
    return [state for (state,) in store.query("SELECT state FROM runs ORDER BY id")]


# --- runs ------------------------------------------------------------------------------------


async def test_the_first_run_is_new(run_store: RunStore, clock: FakeClock) -> None:
    run = await run_store.open_run("{}")
    assert (run.state, run.started_at, run.pages, run.is_resumed) == (
        RunState.RUNNING,
        clock.now(),
        0,
        False,
    )


async def test_a_run_under_way_is_joined(worker: StoreWorker, run_store: RunStore, clock: FakeClock) -> None:
    started_at = clock.now()
    await worker.add(A)
    await worker.visit_next(await worker.claim_one(), make_fetched())
    clock.advance(10)
    run = await run_store.open_run("{}")
    assert (run.id, run.started_at, run.pages, run.is_resumed) == (worker.run_id, started_at, 1, True)


async def test_after_an_ended_run_a_new_one_begins(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    run = await run_store.open_run("{}")
    assert run.id > worker.run_id
    assert (run.pages, run.is_resumed) == (0, True)
    assert find_states(store) == ["done", "running"]


async def test_a_run_that_is_closed_while_a_worker_joins_is_under_way_again(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    run = await run_store.open_run("{}")
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    await run_store.add_worker(run.id, "joins", "localhost", 2, LEASE_S)
    assert find_states(store) == ["running"]


async def test_a_run_that_is_over_is_not_opened_by_those_who_only_join(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    assert (
        await run_store.add_worker(worker.run_id, "in time", "localhost", 2, LEASE_S, reopens=False)
        is not None
    )
    await run_store.end_dead_workers([DeadWorker(uuid="in time", last_alive_at=0.0, reading_url_id=None)])
    assert await run_store.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert await run_store.add_worker(worker.run_id, "late", "localhost", 3, LEASE_S, reopens=False) is None
    assert find_states(store) == ["stopped"]
    assert store.query("SELECT count(*) FROM workers") == [(2,)]


async def test_a_new_run_wakes_what_the_last_one_parked(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    await worker.add(A, A + "x")
    await worker.release(await worker.claim_one(), is_parked=True)
    await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    await run_store.open_run("{}")
    assert len(await worker.claim()) == 1


async def test_joining_a_run_wakes_nobody(worker: StoreWorker, run_store: RunStore) -> None:
    await worker.add(A)
    await worker.release(await worker.claim_one(), is_parked=True)
    await run_store.open_run("{}")
    assert await worker.claim() == []


async def test_a_new_run_leaves_a_blocked_domain_its_rest(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    rest_until = clock.now() + 900
    blocked = DomainState(status=DomainStatus.BLOCKED, next_crawl_after=rest_until)
    await worker.add(A)
    await worker.release(await worker.claim_one(), ready_at=rest_until, is_parked=True, state=blocked)
    await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    await run_store.open_run("{}")
    assert store.query("SELECT avail_at FROM domains") == [(rest_until,)]


async def test_a_run_ends_only_when_its_last_worker_ends_it(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    assert not await run_store.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert find_states(store) == ["running"]
    assert await run_store.end_run(other.run_id, RunState.DONE, other.id)
    assert store.query("SELECT state, ended_at FROM runs") == [("done", clock.now())]


async def test_of_two_workers_that_end_at_once_the_later_closes_the_run(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    assert not await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    assert await run_store.end_run(other.run_id, RunState.DONE, other.id)


async def test_a_run_does_not_wait_for_a_worker_that_was_buried(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    await run_store.end_dead_workers([dead(other)])
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)


async def test_a_run_does_not_wait_for_a_worker_that_fell_silent_long_ago(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    await StoreWorker(store.frontier, store.runs, clock).start()
    clock.advance(24 * 3600)
    assert await run_store.end_run(worker.run_id, RunState.DONE, worker.id)


async def test_an_ended_run_keeps_its_state(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await run_store.end_run(worker.run_id, RunState.BUDGET, worker.id)
    await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    assert find_states(store) == ["budget"]


# --- changed rules ---------------------------------------------------------------------------


async def test_what_was_refused_for_a_reason_is_queued_again(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await refuse_all(worker, RefusalReason.TOO_DEEP, RefusalReason.ROBOTS)
    assert await run_store.reopen_refused([RefusalReason.TOO_DEEP, RefusalReason.EXCLUDED]) == 1
    assert store.query("SELECT fate, reason FROM urls ORDER BY fate") == [
        ("queued", None),
        ("refused", "robots"),
    ]
    assert find_wrong_counters(store.query) == []
    lease = await worker.claim_one()
    assert len((await worker.head(lease)).targets) == 1


async def test_a_domain_with_nothing_to_reopen_stays_exhausted(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await refuse_all(worker, RefusalReason.ROBOTS)
    assert await run_store.reopen_refused([RefusalReason.EXCLUDED]) == 0
    assert store.query("SELECT status, avail_at FROM domains") == [("exhausted", None)]


async def test_what_was_skipped_for_a_type_that_is_read_now_is_queued_again(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    types = ("application/pdf", "image/png", "application/x-pdf")
    await worker.add(*(f"{A}{kind}" for kind in types))
    lease = await worker.claim_one()
    for kind in types:
        await worker.visit_next(lease, Skipped(status=200, content_type=kind))
    await worker.release(lease)
    wanted = ["application/pdf", "application/x-pdf"]
    assert await run_store.reopen_skipped(wanted) == 2
    assert await run_store.reopen_skipped(wanted) == 0
    assert store.query("SELECT fate, detail FROM urls ORDER BY fate, url") == [
        ("queued", None),
        ("queued", None),
        ("skipped", "image/png"),
    ]
    assert find_wrong_counters(store.query) == []
    lease = await worker.claim_one()
    assert len((await worker.head(lease)).targets) == 2


async def test_what_was_given_up_for_a_limit_is_queued_again(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    kinds = (FailureKind.READER_MEMORY, FailureKind.CONTENT, FailureKind.TOO_LARGE)
    await worker.add(*(f"{A}{kind}" for kind in kinds))
    lease = await worker.claim_one()
    for kind in kinds:
        await worker.visit_next(lease, make_failed(kind=kind))
    await worker.release(lease)
    lifted = [FailureKind.READER_MEMORY, FailureKind.TOO_LARGE]
    assert await run_store.reopen_dead(lifted) == 2
    assert await run_store.reopen_dead(lifted) == 0
    assert store.query("SELECT fate, reason, attempts FROM urls ORDER BY fate, url") == [
        ("dead", "content", 1),
        ("queued", None, 0),
        ("queued", None, 0),
    ]
    assert find_wrong_counters(store.query) == []
    lease = await worker.claim_one()
    assert len((await worker.head(lease)).targets) == 2


async def refuse_all(worker: StoreWorker, *reasons: RefusalReason) -> None:
    await worker.add(*(f"{A}{reason}" for reason in reasons))
    lease = await worker.claim_one()
    for reason in reasons:
        await worker.visit_next(lease, Refused(reason=reason, detail="a rule"))
    await worker.release(lease)


async def test_the_links_of_stored_pages_come_in_portions(worker: StoreWorker, run_store: RunStore) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    for name in ("one", "two"):
        link = (A + name, "", "", "a")
        await worker.visit_next(lease, make_fetched(links=[link]))
    (first,) = await run_store.stored_links(0, 1)
    (second,) = await run_store.stored_links(first.url_id, 1)
    assert [first.links, second.links] == [(A + "one",), (A + "two",)]
    assert await run_store.stored_links(second.url_id, 1) == []


async def test_the_newest_run_is_known_with_its_settings(run_store: RunStore) -> None:
    assert await run_store.find_last() is None
    await run_store.open_run('{"old": 1}')
    run = await run_store.open_run('{"new": 1}')
    last = await run_store.find_last()
    assert last is not None
    assert (last.run.id, last.run.state, last.settings_json) == (run.id, RunState.RUNNING, '{"new": 1}')


async def test_the_newest_run_is_known_also_when_it_has_ended(
    worker: StoreWorker, run_store: RunStore
) -> None:
    await run_store.end_run(worker.run_id, RunState.BUDGET, worker.id)
    last = await run_store.find_last()
    assert last is not None
    assert (last.run.state, last.live_workers) == (RunState.BUDGET, 0)


async def test_whoever_may_join_sees_whether_anybody_is_at_it(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    last = await run_store.find_last()
    assert last is not None
    assert last.live_workers == 1
    clock.advance(LEASE_S + 1)
    last = await run_store.find_last()
    assert last is not None
    assert last.live_workers == 0


async def test_a_worker_that_is_silent_for_a_lease_does_not_keep_the_run_open(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    """The machine that it was on is gone: nobody else could bury it."""
    clock.advance(LEASE_S - 1)
    other = await run_store.add_worker(worker.run_id, "other", "localhost", 2, LEASE_S)
    another = await run_store.add_worker(worker.run_id, "another", "localhost", 3, LEASE_S)
    assert other is not None
    assert another is not None
    assert not await run_store.end_run(worker.run_id, RunState.DONE, other)
    clock.advance(2)
    assert await run_store.end_run(worker.run_id, RunState.DONE, another)
    assert await run_store.find_state(worker.run_id) is RunState.DONE


async def test_whoever_may_join_sees_whether_a_domain_is_free(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    async def can_claim() -> bool:
        last = await run_store.find_last()
        assert last is not None
        return last.can_claim

    assert not await can_claim()
    await worker.add(A)
    assert await can_claim()
    await worker.claim_one()
    assert not await can_claim()
    clock.advance(LEASE_S + 1)
    assert await can_claim(), "an expired lease is free"


# --- workers ---------------------------------------------------------------------------------


def dead(worker: StoreWorker, *, last_alive_at: float = 0.0, reading_url_id: int | None = None) -> DeadWorker:
    return DeadWorker(uuid=worker.uuid, last_alive_at=last_alive_at, reading_url_id=reading_url_id)


async def test_a_dead_worker_leaves_its_domains_free(worker: StoreWorker, run_store: RunStore) -> None:
    await worker.add(A, B)
    await worker.claim()
    assert await run_store.end_dead_workers([dead(worker)]) == 2
    assert len(await worker.claim()) == 2


async def test_the_exit_code_of_a_worker_that_ended_itself_is_kept(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await run_store.end_dead_workers([replace(dead(worker), exit_code=72)])
    assert store.query("SELECT exit_code FROM workers") == [(72,)]


async def test_burying_leaves_the_domains_of_others_alone(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    other = await StoreWorker(store.frontier, store.runs, clock).start()
    await worker.add(A, B)
    await worker.claim(1)
    held = await other.claim_one()
    assert await run_store.end_dead_workers([dead(worker)]) == 1
    assert (await other.settle_visits(held, [])).lost == frozenset()


async def test_burying_raises_the_fence(worker: StoreWorker, run_store: RunStore) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await run_store.end_dead_workers([dead(worker)])
    assert (await worker.settle_visits(lease, [])).lost == {lease.domain_id}


async def test_the_domains_of_a_dead_worker_rest_from_its_last_sign_of_life(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    await worker.add(A)
    await worker.claim_one()
    died_at = clock.advance(20)
    clock.advance(5)
    await run_store.end_dead_workers([dead(worker, last_alive_at=died_at)])
    pace = (await worker.claim_one()).state.pace
    assert (pace.last_start_at, pace.last_answer_at) == (died_at, died_at)


async def test_burying_never_shortens_a_rest(
    worker: StoreWorker, run_store: RunStore, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    asked_at = clock.now() + 3
    pace = Pace(last_start_at=asked_at, last_answer_at=asked_at)
    await worker.settle_visits(lease, [], state=DomainState(status=DomainStatus.ACTIVE, pace=pace))
    await run_store.end_dead_workers([dead(worker, last_alive_at=clock.now())])
    found = (await worker.claim_one()).state.pace
    assert (found.last_start_at, found.last_answer_at) == (asked_at, asked_at)


async def test_the_document_a_worker_died_over_is_remembered(
    worker: StoreWorker, run_store: RunStore
) -> None:
    await worker.add(A, A + "x")
    lease = await worker.claim_one()
    culprit = (await worker.head(lease)).targets[0]
    await run_store.end_dead_workers([dead(worker, reading_url_id=culprit.id)])
    targets = (await worker.head(lease)).targets
    assert [target.crashes for target in targets] == [1, 0]


async def test_a_suspect_that_was_read_well_is_no_suspect_any_more(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    suspect = (await worker.head(lease)).targets[0]
    await run_store.end_dead_workers([dead(worker, reading_url_id=suspect.id)])
    heir = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    await heir.visit_next(await heir.claim_one(), make_fetched())
    assert store.query("SELECT crashes FROM urls") == [(0,)]


async def test_burying_twice_changes_nothing(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest, clock: FakeClock
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    culprit = (await worker.head(lease)).targets[0]
    corpse = dead(worker, reading_url_id=culprit.id)
    await run_store.end_dead_workers([corpse])
    heir = await StoreWorker(store.frontier, store.runs, clock).start()
    taken = await heir.claim_one()
    assert await run_store.end_dead_workers([corpse, corpse]) == 0
    assert (await heir.settle_visits(taken, [], state=ACTIVE)).lost == frozenset()
    assert store.query("SELECT crashes FROM urls") == [(1,)]


async def test_burying_a_worker_that_never_came_is_harmless(run_store: RunStore) -> None:
    nobody = DeadWorker(uuid="nobody", last_alive_at=1.0, reading_url_id=1)
    assert await run_store.end_dead_workers([nobody]) == 0


async def test_worker_ids_never_come_back(
    worker: StoreWorker, store: StoreUnderTest, clock: FakeClock
) -> None:
    ids = [worker.id, *[(await StoreWorker(store.frontier, store.runs, clock).start()).id for _ in range(3)]]
    assert ids == sorted(set(ids))
