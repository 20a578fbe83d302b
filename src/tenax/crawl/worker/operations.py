"""The store operations of a worker, run beside its requests, one of each kind at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from enum import StrEnum
from functools import partial
from typing import Any

StoreOperation = Callable[[], Coroutine[Any, Any, None]]


class OperationKind(StrEnum):
    """Agenda says when one is due; StoreSync does it."""

    CLAIM = "claim"  # lease more domains, or find out that the run is over
    REFILL = "refill"  # load more urls for domains whose queue is empty
    SETTLE = "settle"  # make ended visits durable
    RENEW = "renew"  # prolong the leases, with a heartbeat
    RELEASE = "release"  # give domains back
    CHECK_RUN = "check_run"  # was the run paused or cancelled?
    CHECK_RULES = "check_rules"  # were the rules of leased domains changed?
    GRANT = "grant"  # have pages of the run's budget set aside
    RETURN_PAGES = "return_pages"  # give unused ones back


class StoreOperations:
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        on_done: Callable[[OperationKind], None],
        on_error: Callable[[BaseException], None],
    ) -> None:
        self._loop = loop
        self._on_done = on_done
        self._on_error = on_error
        self._tasks: dict[OperationKind, asyncio.Task[None]] = {}
        self._started: dict[OperationKind, float] = {}  # in the order of their start

    def __contains__(self, kind: OperationKind) -> bool:
        return kind in self._tasks

    def start(self, kind: OperationKind, operation: StoreOperation) -> None:
        """Nothing happens while one of this kind is active."""
        if kind not in self._tasks:
            task = self._loop.create_task(operation())
            self._tasks[kind] = task
            self._started[kind] = self._loop.time()
            task.add_done_callback(partial(self._finish, kind))

    def find_oldest(self) -> tuple[OperationKind, float] | None:
        """The one that has been active for the longest time, and for how many seconds."""
        oldest = next(iter(self._started.items()), None)
        return None if oldest is None else (oldest[0], self._loop.time() - oldest[1])

    async def wait(self) -> None:
        """Wait until all active operations have ended, successfully or not."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _finish(self, kind: OperationKind, task: asyncio.Task[None]) -> None:
        del self._tasks[kind], self._started[kind]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)
        else:
            self._on_done(kind)
