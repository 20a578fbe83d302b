"""Runs that a user pauses, resumes and cancels, and runs that are opened for other workers."""

import asyncio

import pytest

from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.commands.runs import RunActionResult, cancel_run, pause_run
from tenax.stores.contracts.runs import RunStore
from tenax.stores.contracts.workers import DeadWorker
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker, make_fetched

A = "https://a.example/"
PAUSED = RunActionResult(is_carried_out=True, state=RunState.PAUSED)
RESUMED = RunActionResult(is_carried_out=True, state=RunState.RUNNING)
CANCELLED = RunActionResult(is_carried_out=True, state=RunState.STOPPED)


class Steering:
    def __init__(self, access: Access, runs: RunStore, clock: FakeClock, run_id: int) -> None:
        self._access = access
        self._runs = runs
        self._clock = clock
        self._run_id = run_id

    async def pause(self) -> RunActionResult:
        now = self._clock.now()
        return await self._access.write(lambda connection: pause_run(connection, self._run_id, now))

    async def resume(self) -> RunActionResult:
        resumed = await self._runs.resume(self._run_id)
        return RunActionResult(is_carried_out=resumed.is_carried_out, state=resumed.state)

    async def cancel(self) -> RunActionResult:
        now = self._clock.now()
        return await self._access.write(lambda connection: cancel_run(connection, self._run_id, now))


@pytest.fixture
def steering(access: Access, store: StoreUnderTest, clock: FakeClock, worker: StoreWorker) -> Steering:
    return Steering(access, store.runs, clock, worker.run_id)


async def join(runs: RunStore, run_id: int, name: str, *, reopens: bool = True) -> int | None:
    return await runs.add_worker(run_id, name, "localhost", 2, LEASE_S, reopens=reopens)


# --- orders ----------------------------------------------------------------------------------------


async def test_an_active_run_is_paused_and_resumed(
    steering: Steering, store: StoreUnderTest, clock: FakeClock
) -> None:
    assert await steering.pause() == PAUSED
    assert store.query("SELECT state, paused_at, ended_at FROM runs") == [("paused", clock.now(), None)]
    assert await steering.resume() == RESUMED
    assert store.query("SELECT state, paused_at, ended_at FROM runs") == [("running", None, None)]


async def test_a_repeated_action_is_refused_the_second_time(steering: Steering) -> None:
    assert await steering.resume() == RunActionResult(is_carried_out=False, state=RunState.RUNNING)
    await steering.pause()
    assert await steering.pause() == RunActionResult(is_carried_out=False, state=RunState.PAUSED)
    await steering.cancel()
    assert await steering.cancel() == RunActionResult(is_carried_out=False, state=RunState.STOPPED)


async def test_a_run_that_has_ended_accepts_no_actions(worker: StoreWorker, steering: Steering) -> None:
    await worker.runs.end_run(worker.run_id, RunState.DONE, worker.id)
    refused = RunActionResult(is_carried_out=False, state=RunState.DONE)
    assert [await steering.pause(), await steering.resume(), await steering.cancel()] == [refused] * 3


async def test_an_unknown_run_accepts_no_actions(
    access: Access, store: StoreUnderTest, clock: FakeClock
) -> None:
    assert await Steering(access, store.runs, clock, 99).pause() == RunActionResult(
        is_carried_out=False, state=None
    )


@pytest.mark.parametrize("is_paused", [False, True])
async def test_a_cancelled_run_is_over(
    steering: Steering, store: StoreUnderTest, clock: FakeClock, is_paused: bool
) -> None:
    if is_paused:
        await steering.pause()
    assert await steering.cancel() == CANCELLED
    now = clock.now()
    rows = store.query("SELECT state, paused_at, cancelled_at, ended_at FROM runs")
    assert rows == [("stopped", None, now, now)]


# --- workers ---------------------------------------------------------------------------------------


async def test_a_worker_notices_an_action_by_polling(
    worker: StoreWorker, run_store: RunStore, steering: Steering
) -> None:
    assert await run_store.find_state(worker.run_id) is RunState.RUNNING
    await steering.pause()
    assert await run_store.find_state(worker.run_id) is RunState.PAUSED


async def test_active_visits_are_settled_in_a_paused_run(
    worker: StoreWorker, steering: Steering, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await steering.pause()
    await worker.visit_next(lease, make_fetched())
    assert store.query("SELECT pages, state FROM runs") == [(1, "paused")]


@pytest.mark.parametrize("state", [RunState.PAUSED, RunState.DONE, RunState.STOPPED, RunState.FAILED])
async def test_a_worker_that_leaves_a_paused_run_does_not_close_it(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest, state: RunState
) -> None:
    await steering.pause()
    assert not await run_store.end_run(worker.run_id, state, worker.id)
    assert store.query("SELECT state, ended_at FROM runs") == [("paused", None)]
    assert store.query("SELECT ended_at IS NULL FROM workers") in ([(0,)], [(False,)])


async def test_a_worker_that_leaves_for_a_pause_does_not_pause_a_resumed_run(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest
) -> None:
    await steering.pause()
    await steering.resume()
    assert not await run_store.end_run(worker.run_id, RunState.PAUSED, worker.id)
    assert store.query("SELECT state, ended_at FROM runs") == [("running", None)]


async def test_the_last_worker_of_a_cancelled_run_finds_it_over(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest, clock: FakeClock
) -> None:
    await steering.cancel()
    cancelled_at = clock.now()
    clock.advance(5)
    assert await run_store.end_run(worker.run_id, RunState.STOPPED, worker.id)
    assert store.query("SELECT state, ended_at FROM runs") == [("stopped", cancelled_at)]


async def test_no_worker_joins_a_run_that_a_user_paused_or_cancelled(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest
) -> None:
    await steering.pause()
    assert await join(run_store, worker.run_id, "a replacement") is None
    assert await run_store.find_state(worker.run_id) is RunState.PAUSED
    await steering.resume()
    assert await join(run_store, worker.run_id, "after", reopens=False) is not None
    await steering.cancel()
    assert await join(run_store, worker.run_id, "late") is None
    assert store.query("SELECT state FROM runs") == [("stopped",)]


async def test_a_dead_worker_leaves_its_domains_free_in_a_paused_run_too(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await worker.claim_one()
    await steering.pause()
    dead = DeadWorker(uuid=worker.uuid, last_alive_at=0.0, reading_url_id=None)
    assert await run_store.end_dead_workers([dead]) == 1
    assert store.query("SELECT is_buried FROM workers") == [(1,)]
    await steering.resume()
    heir = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    assert heir.run_id == worker.run_id
    assert len(await heir.claim()) == 1


# --- opening ---------------------------------------------------------------------------------------


async def test_opening_a_paused_run_continues_it(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest
) -> None:
    await steering.pause()
    run = await run_store.open_run('{"new": 1}')
    assert (run.id, run.state) == (worker.run_id, RunState.RUNNING)
    assert store.query("SELECT state, paused_at, settings FROM runs") == [("running", None, '{"new": 1}')]


async def test_what_a_cancelled_run_left_goes_to_the_next_one(
    worker: StoreWorker, run_store: RunStore, steering: Steering, store: StoreUnderTest
) -> None:
    await worker.add(A)
    await worker.release(await worker.claim_one(), is_parked=True)
    await steering.cancel()
    await run_store.end_run(worker.run_id, RunState.STOPPED, worker.id)
    heir = await StoreWorker(store.frontier, store.runs, worker.clock).start()
    assert heir.run_id > worker.run_id
    assert len(await heir.claim()) == 1


async def test_a_run_that_is_being_prepared_is_reserved(
    run_store: RunStore, store: StoreUnderTest, worker: StoreWorker
) -> None:
    await run_store.open_run('{"last": 1}')
    await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    reserved = await run_store.reserve_run()
    assert reserved is not None
    assert store.query("SELECT state, settings FROM runs ORDER BY id") == [
        ("done", '{"last": 1}'),
        ("paused", '{"last": 1}'),
    ]
    opened = await run_store.open_run('{"next": 1}')
    assert (opened.id, opened.state) == (reserved.run.id, RunState.RUNNING)


async def test_no_run_is_reserved_while_another_is_running_or_paused(
    worker: StoreWorker, run_store: RunStore, steering: Steering
) -> None:
    assert await run_store.reserve_run() is None
    await steering.pause()
    assert await run_store.reserve_run() is None


async def test_of_two_concurrent_reservations_one_succeeds(store: StoreUnderTest) -> None:
    others = [await store.connect() for _ in range(4)]
    got = await asyncio.gather(*(each.runs.reserve_run() for each in others))
    assert sum(run is not None for run in got) == 1
    assert store.query("SELECT state FROM runs") == [("paused",)]


async def test_a_run_knows_where_its_visits_start(
    worker: StoreWorker, run_store: RunStore, store: StoreUnderTest
) -> None:
    await worker.add(A)
    lease = await worker.claim_one()
    await worker.visit_next(lease, make_fetched())
    await worker.release(lease)
    await run_store.end_run(worker.run_id, RunState.DONE, worker.id)
    await run_store.open_run("{}")
    ((last_visit,),) = store.query("SELECT max(id) FROM visits")
    ((last_event,),) = store.query("SELECT max(id) FROM domain_events")
    rows = store.query("SELECT first_visit_id, first_event_id FROM runs ORDER BY id")
    assert rows == [(0, 0), (last_visit, last_event)]
