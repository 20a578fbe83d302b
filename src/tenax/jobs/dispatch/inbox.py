"""What a worker does in the store with the messages it receives. The calls block: nothing else runs
meanwhile.
"""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from tenax.clock import Instant
from tenax.jobs.dispatch.planning import (
    JOIN_S,
    MOST_DELIVERIES,
    RECHECK_S,
    DeliveryPlan,
    DropMessage,
    JoinRun,
    RefuseMessage,
    plan_delivery,
    plan_rest,
)
from tenax.records.runs import RunState
from tenax.stores.connection import Connection
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import find_identity, read_store, tell_time
from tenax.stores.jobs.tasks import admit_delivery, fail_task, find_facts, find_task, return_task, start_task
from tenax.stores.place import Place
from tenax.stores.reading import Work

T = TypeVar("T")


class TaskInbox:
    """Every method is one transaction and may raise StoreError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def receive(self, task_id: int, run_id: int, store: str) -> DeliveryPlan:
        """Decide about a message. JoinRun: this worker, and no other, is expected to join the run.
        RefuseMessage: if the task belongs to this store, it is marked as failed."""

        def work(connection: Connection, now: Instant) -> DeliveryPlan:
            # A store that was emptied has no identity until it is needed.
            if store != (find_identity(self._place, connection) or ""):
                return RefuseMessage(reason="The message belongs to another store.")
            facts = find_facts(connection, task_id)
            plan = plan_delivery(facts, run_id, now)
            if facts is None or facts.task.run_id != run_id:
                return plan
            if isinstance(plan, RefuseMessage):
                fail_task(connection, task_id, plan.reason, now)
            if (
                isinstance(plan, JoinRun)
                and admit_delivery(connection, facts.task, now, now + JOIN_S) is None
            ):
                return DropMessage(reason="Another worker has taken the task.")
            return plan

        return self._write(work)

    def confirm(self, task_id: int) -> bool:
        """Whether the run now has a worker, or no longer needs one; if so, the task is marked as started."""

        def read(connection: Connection) -> bool:
            facts = find_facts(connection, task_id)
            now = tell_time(self._place, connection)
            return facts is None or facts.run_state is not RunState.RUNNING or facts.is_worked_on(now)

        if not read_store(self._place, read):
            return False
        self._write(lambda connection, now: start_task(connection, task_id, now + RECHECK_S))
        return True

    def release(self, task_id: int, error: str | None) -> bool:
        """The worker has left its run; `error`: why it could not work on it. Returns whether the task has
        failed."""

        def work(connection: Connection, now: Instant) -> bool:
            task = find_task(connection, task_id)
            if task is None:
                return False
            if error is not None and task.deliveries >= MOST_DELIVERIES:
                return fail_task(connection, task_id, error, now)
            rest_s = 0.0 if error is None else plan_rest(task.deliveries)
            return_task(connection, task_id, error, now + rest_s)
            return False

        return self._write(work)

    def _write(self, work: Callable[[Any, Instant], T]) -> T:
        return asyncio.run(
            self._write_in_loop(lambda connection: work(connection, tell_time(self._place, connection)))
        )

    async def _write_in_loop(self, work: Work[T]) -> T:
        async with open_access(self._place, readers=1) as access:
            return await access.write(work)
