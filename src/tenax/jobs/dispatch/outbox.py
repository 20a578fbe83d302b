"""Publishes tasks from the store to a broker, and republishes those whose message was lost.

A task is marked as queued only after the broker has confirmed it. If a server dies between the two, the task
is published again: a message may arrive twice, and workers recognize the second one.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from tenax.clock import Instant
from tenax.errors import ServiceError, StoreError
from tenax.failpoints import reach
from tenax.jobs.dispatch.base import Broker, DeadLetter, TaskMessage
from tenax.jobs.dispatch.planning import RECHECK_S, Advance, Publish, Wait, plan_next_check, plan_task
from tenax.records.jobs import Task
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import find_identity, tell_time
from tenax.stores.jobs.tasks import (
    TaskFacts,
    add_task,
    adopt_runs,
    advance_task,
    confirm_task,
    has_due,
    has_orphans,
    hold_task,
    load_due,
    mark_crawling,
)
from tenax.stores.place import Place
from tenax.telemetry import log

T = TypeVar("T")

POLL_S = 1.0
CHECK_S = 5.0
BATCH = 20
# Longer than the deadlines of a whole batch together: no other server takes it meanwhile.
HOLD_S = 30.0
RETRY_S = 2.0


class Outbox:
    """Dispatch for servers with a broker."""

    def __init__(
        self, place: Place, access: Access, broker: Broker, queue: str, *, poll_s: float = POLL_S
    ) -> None:
        self.queue: str | None = queue
        self.trouble: str | None = None
        self.failures = 0
        self._queue = queue
        self._place = place
        self._access = access
        self._broker = broker
        self._poll_s = poll_s
        self._check_at = 0.0
        # A connection to a broker belongs to one thread.
        self._thread = ThreadPoolExecutor(1, "broker")

    async def __aenter__(self) -> Self:
        self._keeper = asyncio.create_task(self._repeat())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._keeper.cancel()
        await asyncio.gather(self._keeper, return_exceptions=True)
        await self._call_broker(self._broker.close)
        self._thread.shutdown(wait=False)

    def enqueue(self, connection: Connection, run_id: int, priority: int, now: Instant) -> None:
        add_task(connection, run_id, self._queue, priority, now)

    async def list_dead(self, limit: int) -> Sequence[DeadLetter]:
        return await self._call_broker(partial(self._broker.list_dead, limit))

    async def _repeat(self) -> None:
        while True:
            try:
                await self.publish_due()
                await self._check()
            except StoreError as error:
                log.warning("tasks_not_carried", error=str(error))
            await asyncio.sleep(self._poll_s)

    async def publish_due(self) -> int:
        """Handle the tasks that are due; returns how many were published."""
        if not await self._access.read(self._has_work):
            return 0
        store, held = await self._access.write(self._take)
        for number, task in enumerate(held):
            if not await self._publish(task, store):
                # While the broker is unavailable, they wait.
                await self._access.write(partial(self._postpone, held[number:]))
                return number
        return len(held)

    # --- in the store ----------------------------------------------------------------------------

    def _has_work(self, connection: Connection) -> bool:
        now = tell_time(self._place, connection)
        return has_due(connection, now) or has_orphans(connection, now)

    def _take(self, connection: Connection) -> tuple[str, list[Task]]:
        """The tasks to publish, held for this server."""
        now = tell_time(self._place, connection)
        adopt_runs(connection, self._queue, now)
        due = load_due(connection, now, BATCH)
        held = [self._handle(connection, facts, now) for facts in due]
        return find_identity(self._place, connection) or "", [task for task in held if task is not None]

    def _handle(self, connection: Connection, facts: TaskFacts, now: Instant) -> Task | None:
        task = facts.task
        match plan_task(facts, now):
            case Publish():
                return hold_task(connection, task, now + HOLD_S)
            case Wait(is_worked_on=True):
                mark_crawling(connection, task, now, now + RECHECK_S)
            case Wait():
                hold_task(connection, task, now + RECHECK_S)
            case Advance() as plan:
                if hold_task(connection, task, now + RECHECK_S) is not None:
                    advance_task(connection, task.run_id, plan.state, now, plan.error)
        return None

    def _postpone(self, held: Sequence[Task], connection: Connection) -> None:
        now = tell_time(self._place, connection)
        for task in held:
            hold_task(connection, task, now + RETRY_S)

    def _confirm(self, task: Task, connection: Connection) -> None:
        now = tell_time(self._place, connection)
        confirm_task(connection, task, now, plan_next_check(task.created_at, now))

    # --- at the broker ---------------------------------------------------------------------------

    async def _publish(self, task: Task, store: str) -> bool:
        message = TaskMessage(
            task_id=task.id, run_id=task.run_id, store=store, queue=task.queue, priority=task.priority
        )
        try:
            await self._call_broker(partial(self._broker.publish, message))
        except ServiceError as error:
            self.failures += 1
            self._set_trouble(str(error))
            return False
        self._set_trouble(None)
        reach("outbox.published")
        await self._access.write(partial(self._confirm, task))
        reach("outbox.confirmed")
        return True

    async def _check(self) -> None:
        """Check the broker even when there is nothing to publish: the health check reports it."""
        loop = asyncio.get_running_loop()
        if loop.time() < self._check_at:
            return
        self._check_at = loop.time() + CHECK_S
        try:
            await self._call_broker(self._broker.check)
        except ServiceError as error:
            self._set_trouble(str(error))
        else:
            self._set_trouble(None)

    def _set_trouble(self, trouble: str | None) -> None:
        if trouble is not None and self.trouble is None:
            log.error("broker_lost", error=trouble)
        if trouble is None and self.trouble is not None:
            log.info("broker_found")
        self.trouble = trouble

    async def _call_broker(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)
