"""What a worker does in the store with the messages that it gets. Nothing runs beside it: it waits."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from tenax.clock import Instant
from tenax.jobs.dispatch.planning import (
    JOIN_S,
    LOOK_S,
    MOST_DELIVERIES,
    Bury,
    Drop,
    Join,
    Verdict,
    judge_delivery,
    plan_rest,
)
from tenax.records import RunState
from tenax.stores.connection import Connection
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import find_identity, read_store, tell_time
from tenax.stores.jobs.tasks import (
    admit_delivery,
    fail_task,
    find_facts,
    find_task,
    give_back_task,
    start_task,
)
from tenax.stores.place import Place
from tenax.stores.reading import Work

T = TypeVar("T")


class TaskInbox:
    """Every method is one transaction, and raises StoreError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def receive(self, task_id: int, run_id: int, store: str) -> Verdict:
        """Join: the worker is expected at the run, and nobody else is. Bury: if the task is one of this
        store's, it has failed."""

        def work(connection: Connection, now: Instant) -> Verdict:
            # A file that was emptied has no name until somebody needs one.
            if store != (find_identity(self._place, connection) or ""):
                return Bury(reason="The message belongs to another store.")
            facts = find_facts(connection, task_id)
            verdict = judge_delivery(facts, run_id, now)
            if facts is None or facts.task.run_id != run_id:
                return verdict
            if isinstance(verdict, Bury):
                fail_task(connection, task_id, verdict.reason, now)
            if (
                isinstance(verdict, Join)
                and admit_delivery(connection, facts.task, now, now + JOIN_S) is None
            ):
                return Drop(reason="Another worker was faster.")
            return verdict

        return self._write(work)

    def confirm(self, task_id: int) -> bool:
        """Whether the run has a worker now, or needs none any more; the task says so from then on."""

        def look(connection: Connection) -> bool:
            facts = find_facts(connection, task_id)
            now = tell_time(self._place, connection)
            return facts is None or facts.run_state is not RunState.RUNNING or facts.is_worked_on(now)

        if not read_store(self._place, look):
            return False
        self._write(lambda connection, now: start_task(connection, task_id, now + LOOK_S))
        return True

    def give_back(self, task_id: int, error: str | None) -> bool:
        """The worker has left its run; `error`: it could not work there. Whether the task has failed by
        that."""

        def work(connection: Connection, now: Instant) -> bool:
            task = find_task(connection, task_id)
            if task is None:
                return False
            if error is not None and task.deliveries >= MOST_DELIVERIES:
                return fail_task(connection, task_id, error, now)
            rest_s = 0.0 if error is None else plan_rest(task.deliveries)
            give_back_task(connection, task_id, error, now + rest_s)
            return False

        return self._write(work)

    def _write(self, work: Callable[[Any, Instant], T]) -> T:
        return asyncio.run(
            self._order(lambda connection: work(connection, tell_time(self._place, connection)))
        )

    async def _order(self, work: Work[T]) -> T:
        async with open_access(self._place, readers=1) as access:
            return await access.write(work)
