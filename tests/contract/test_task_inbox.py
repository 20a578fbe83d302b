"""What a worker does in the store with messages, however often they are delivered."""

import asyncio
from typing import Any

import pytest

from tenax.clock import SystemClock
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.jobs.dispatch.planning import MOST_DELIVERIES, DropMessage, JoinRun, RefuseMessage
from tenax.runtime.actions import write_store
from tenax.runtime.backends import find_backend
from tenax.stores.databases.reader import tell_time
from tenax.stores.jobs.tasks import add_task
from tests.support.store import LEASE_S, SharedStore


@pytest.fixture
def identity(shared: SharedStore) -> str:
    """Of a store with an active run and its task."""

    async def open_run() -> str:
        async with find_backend(shared.place).open_stores(shared.place, SystemClock()) as stores:
            await stores.runs.open_run("{}")
            return await stores.identify()

    def add(connection: Any) -> None:
        add_task(connection, 1, "crawl", 5, tell_time(shared.place, connection))

    identity = asyncio.run(open_run())
    asyncio.run(write_store(shared.place, add))
    return identity


@pytest.fixture
def inbox(shared: SharedStore) -> TaskInbox:
    return TaskInbox(shared.place)


def join_run(shared: SharedStore) -> None:
    async def join() -> None:
        async with find_backend(shared.place).open_stores(shared.place, SystemClock()) as stores:
            await stores.runs.add_worker(1, "w", "localhost", 1, LEASE_S)

    asyncio.run(join())


def test_the_first_message_is_processed_and_its_copies_are_not(inbox: TaskInbox, identity: str) -> None:
    verdicts = [inbox.receive(1, 1, identity) for _ in range(3)]
    assert [type(plan) for plan in verdicts] == [JoinRun, DropMessage, DropMessage]


def test_a_task_is_being_crawled_when_a_worker_has_joined(
    inbox: TaskInbox, identity: str, shared: SharedStore
) -> None:
    inbox.receive(1, 1, identity)
    assert not inbox.confirm(1)
    join_run(shared)
    assert inbox.confirm(1)
    assert shared.query("SELECT state, error FROM tasks") == [("crawling", None)]
    assert isinstance(inbox.receive(1, 1, identity), DropMessage)


def test_a_run_that_no_worker_can_join_fails_after_five_attempts(
    inbox: TaskInbox, identity: str, shared: SharedStore
) -> None:
    outcomes = []
    for _ in range(MOST_DELIVERIES):
        assert isinstance(inbox.receive(1, 1, identity), JoinRun)
        outcomes.append(inbox.release(1, "No memory."))
    assert outcomes == [False] * (MOST_DELIVERIES - 1) + [True]
    assert shared.query("SELECT state, error, publish_after FROM tasks") == [("failed", "No memory.", None)]
    assert isinstance(inbox.receive(1, 1, identity), DropMessage)


def test_a_worker_that_leaves_cleanly_has_its_task_checked_at_once(
    inbox: TaskInbox, identity: str, shared: SharedStore
) -> None:
    inbox.receive(1, 1, identity)
    assert not inbox.release(1, None)
    assert shared.query("SELECT state, publish_after - started_at < 5 FROM tasks") == [("queued", True)]


@pytest.mark.parametrize(("task_id", "run_id", "store"), [(1, 1, "another"), (2, 1, None), (1, 2, None)])
def test_a_message_about_an_unknown_task_is_discarded(
    inbox: TaskInbox, identity: str, shared: SharedStore, task_id: int, run_id: int, store: str | None
) -> None:
    assert isinstance(inbox.receive(task_id, run_id, store or identity), RefuseMessage)
    assert shared.query("SELECT state, deliveries FROM tasks") == [("pending", 0)]
