"""Errands: a worker's store operations, run beside its requests, one of each kind at a time."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

StoreOperation = Callable[[], Coroutine[Any, Any, None]]


class StoreOperations:
    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        *,
        on_done: Callable[[], None],
        on_error: Callable[[BaseException], None],
    ) -> None:
        self._loop = loop
        self._on_done = on_done
        self._on_error = on_error
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._tasks

    def start(self, name: str, operation: StoreOperation) -> None:
        """Nothing happens while one of that name is under way."""
        if name not in self._tasks:
            task = self._loop.create_task(operation())
            self._tasks[name] = task
            task.add_done_callback(partial(self._finish, name))

    async def wait(self) -> None:
        """Until all that are under way have ended, whatever became of them."""
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _finish(self, name: str, task: asyncio.Task[None]) -> None:
        del self._tasks[name]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)
        else:
            self._on_done()
