"""Tasks in the store: of two equal changes, the second does nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from tenax.clock import Instant
from tenax.records.jobs import Task, TaskState
from tenax.records.runs import RunState
from tenax.stores.access import Access
from tenax.stores.jobs.tasks import (
    TaskFilter,
    add_task,
    admit_delivery,
    adopt_runs,
    advance_task,
    confirm_task,
    count_tasks,
    fail_task,
    find_facts,
    find_task,
    has_due,
    hold_task,
    load_due,
    mark_crawling,
    replay_task,
    return_task,
    slice_tasks,
    start_task,
)
from tenax.stores.paging import SliceRequest
from tests.support.clock import FakeClock
from tests.support.store import LEASE_S, StoreUnderTest, StoreWorker

T = TypeVar("T")


class Bench:
    """The functions of tasks.py, each in a transaction of its own, now."""

    def __init__(self, access: Access, clock: FakeClock) -> None:
        self._access = access
        self._clock = clock

    @property
    def now(self) -> Instant:
        return self._clock.now()

    async def do(self, work: Callable[..., T], *arguments: Any) -> T:
        return await self._access.write(lambda connection: work(connection, *arguments))

    async def add(self, run_id: int = 1) -> Task:
        await self.do(add_task, run_id, "crawl", 5, self.now)
        facts = await self.do(lambda connection: load_due(connection, self.now, 10))
        return facts[-1].task

    async def get(self, task_id: int = 1) -> Task:
        task = await self.do(find_task, task_id)
        assert task is not None
        return task


@pytest.fixture
def bench(access: Access, clock: FakeClock) -> Bench:
    return Bench(access, clock)


async def open_run(store: StoreUnderTest) -> int:
    return (await store.runs.open_run("{}")).id


async def test_a_run_has_one_task_however_often_it_is_given_one(bench: Bench, store: StoreUnderTest) -> None:
    await bench.add()
    await bench.add()
    assert store.query("SELECT run_id, state, priority, deliveries FROM tasks") == [(1, "pending", 5, 0)]


async def test_of_two_servers_that_reserve_a_task_one_gets_it(bench: Bench) -> None:
    seen = await bench.add()
    held = await bench.do(hold_task, seen, bench.now + 30)
    assert held is not None
    assert await bench.do(hold_task, seen, bench.now + 30) is None
    assert not await bench.do(has_due, bench.now)


async def test_a_task_whose_server_died_is_due_again(bench: Bench, clock: FakeClock) -> None:
    await bench.do(hold_task, await bench.add(), bench.now + 30)
    clock.advance(31)
    (again,) = await bench.do(load_due, bench.now, 10)
    assert again.task.state is TaskState.PENDING


async def test_a_task_is_queued_when_the_broker_has_confirmed_it(bench: Bench) -> None:
    held = await bench.do(hold_task, await bench.add(), bench.now + 30)
    assert held is not None
    queued = await bench.do(confirm_task, held, bench.now, bench.now + 60)
    assert queued is not None
    assert (queued.state, queued.queued_at) == (TaskState.QUEUED, bench.now)


async def test_a_confirmation_that_comes_after_the_worker_changes_nothing(
    bench: Bench, store: StoreUnderTest
) -> None:
    await open_run(store)
    held = await bench.do(hold_task, await bench.add(), bench.now + 30)
    assert held is not None
    assert await bench.do(admit_delivery, held, bench.now, bench.now + 20) is not None
    assert await bench.do(start_task, held.id, bench.now + 5)
    assert await bench.do(confirm_task, held, bench.now, bench.now + 60) is None
    assert (await bench.get()).state is TaskState.CRAWLING


async def test_of_two_workers_with_the_same_message_one_is_admitted(bench: Bench) -> None:
    seen = await bench.add()
    assert await bench.do(admit_delivery, seen, bench.now, bench.now + 20) is not None
    assert await bench.do(admit_delivery, seen, bench.now, bench.now + 20) is None
    assert (await bench.get()).deliveries == 1


async def test_active_workers_of_a_run_are_known_by_its_lease(
    bench: Bench, store: StoreUnderTest, clock: FakeClock
) -> None:
    run_id = (await store.runs.open_run('{"worker": {"lease_s": 10}}')).id
    await store.runs.add_worker(run_id, "w", "localhost", 1, LEASE_S)
    task = await bench.add(run_id)
    facts = await bench.do(find_facts, task.id)
    assert facts is not None
    assert facts.run_state is RunState.RUNNING
    assert facts.is_worked_on(bench.now + 9)
    assert not facts.is_worked_on(bench.now + 11)


async def test_a_run_with_active_workers_forgets_earlier_deliveries(bench: Bench) -> None:
    admitted = await bench.do(admit_delivery, await bench.add(), bench.now, bench.now)
    assert admitted is not None
    seen = await bench.do(mark_crawling, admitted, bench.now, bench.now + 5)
    assert seen is not None
    assert (seen.state, seen.deliveries) == (TaskState.CRAWLING, 0)


async def test_a_worker_that_could_not_join_says_why_and_the_task_waits(
    bench: Bench, clock: FakeClock
) -> None:
    task = await bench.add()
    await bench.do(admit_delivery, task, bench.now, bench.now + 20)
    assert await bench.do(return_task, task.id, "No memory.", bench.now + 2)
    given = await bench.get()
    assert (given.state, given.error, given.started_at) == (TaskState.PENDING, "No memory.", None)
    assert not await bench.do(has_due, bench.now)
    clock.advance(2)
    assert await bench.do(has_due, bench.now)


async def test_tasks_only_move_forward(bench: Bench) -> None:
    await bench.add()
    order = [TaskState.CRAWLING, TaskState.DOWNLOADED, TaskState.PARSING, TaskState.COMPLETED]
    for state in order:
        assert await bench.do(advance_task, 1, state, bench.now)
        assert not await bench.do(advance_task, 1, state, bench.now), "twice"
    for state in [*order, TaskState.FAILED]:
        assert not await bench.do(advance_task, 1, state, bench.now)
    ended = await bench.get()
    assert (ended.state, ended.ended_at, ended.publish_after) == (TaskState.COMPLETED, bench.now, None)


async def test_advancing_a_run_without_a_task_does_nothing(bench: Bench) -> None:
    assert not await bench.do(advance_task, 9, TaskState.COMPLETED, bench.now)


async def test_a_task_that_failed_is_replayed_while_its_run_waits(
    bench: Bench, store: StoreUnderTest, access: Access
) -> None:
    await open_run(store)
    task = await bench.add()
    assert not (await bench.do(replay_task, task.id, bench.now)).is_carried_out, "it has not failed"
    await bench.do(fail_task, task.id, "Nobody can.", bench.now)
    replayed = await bench.do(replay_task, task.id, bench.now)
    assert replayed.is_carried_out
    assert replayed.task is not None
    assert (replayed.task.state, replayed.task.error) == (TaskState.PENDING, None)
    assert await bench.do(has_due, bench.now)


async def test_a_task_whose_run_is_over_is_not_replayed(bench: Bench, store: StoreUnderTest) -> None:
    run_id = await open_run(store)
    worker = await store.runs.add_worker(run_id, "w", "localhost", 1, LEASE_S)
    assert worker is not None
    await store.runs.end_run(run_id, RunState.DONE, worker)
    task = await bench.add(run_id)
    await bench.do(fail_task, task.id, "Nobody can.", bench.now)
    refused = await bench.do(replay_task, task.id, bench.now)
    assert (refused.is_carried_out, refused.run_state) == (False, RunState.DONE)
    assert (await bench.do(replay_task, 99, bench.now)).task is None


async def test_a_run_started_by_a_user_outlives_its_failed_task_and_that_of_a_job_does_not(
    bench: Bench, store: StoreUnderTest, access: Access
) -> None:
    run_id = await open_run(store)
    task = await bench.add(run_id)
    await bench.do(fail_task, task.id, "Nobody can.", bench.now)
    assert store.query("SELECT state FROM runs") == [("running",)]
    await bench.do(replay_task, task.id, bench.now)
    await bench.do(lambda connection: connection.exec_driver_sql("UPDATE runs SET execution_id = 3"))
    await bench.do(fail_task, task.id, "Nobody can.", bench.now)
    assert store.query("SELECT state FROM runs") == [("failed",)]


async def test_a_run_without_workers_is_adopted(
    bench: Bench, store: StoreUnderTest, clock: FakeClock
) -> None:
    run_id = await open_run(store)
    assert await bench.do(adopt_runs, "crawl", bench.now) == 0, "whoever opened it may still be at it"
    clock.advance(6)
    assert await bench.do(adopt_runs, "crawl", bench.now) == 1
    assert await bench.do(adopt_runs, "crawl", bench.now) == 0
    assert store.query("SELECT run_id, queue FROM tasks") == [(run_id, "crawl")]


async def test_a_run_with_workers_is_not_adopted(bench: Bench, worker: StoreWorker, clock: FakeClock) -> None:
    clock.advance(6)
    assert await bench.do(adopt_runs, "crawl", bench.now) == 0


async def test_tasks_are_listed_by_state_queue_and_run(bench: Bench) -> None:
    for run_id in (1, 2, 3):
        await bench.do(add_task, run_id, "crawl" if run_id < 3 else "other", 5, bench.now)
    await bench.do(advance_task, 2, TaskState.COMPLETED, bench.now)
    wanted = SliceRequest(key="id", is_descending=False, after=None, limit=10)

    async def list_runs(**only: Any) -> list[int]:
        found = await bench.do(slice_tasks, wanted, TaskFilter(**only))
        return [task.run_id for task in found.items]

    assert await list_runs() == [1, 2, 3]
    assert await list_runs(state=TaskState.PENDING) == [1, 3]
    assert await list_runs(queue="other") == [3]
    assert await list_runs(run_id=2) == [2]
    assert (await bench.do(count_tasks))["pending"] == 2


async def test_tasks_are_published_by_priority(bench: Bench) -> None:
    for run_id, priority in ((1, 5), (2, 1), (3, 5)):
        await bench.do(add_task, run_id, "crawl", priority, bench.now)
    due = await bench.do(load_due, bench.now, 2)
    assert [facts.task.run_id for facts in due] == [2, 1]
