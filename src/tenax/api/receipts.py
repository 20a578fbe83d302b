"""Politeness receipts: a long one is counted once, by one task at a time, in steps that leave the store
available. A caller that waits too long gets a report of the progress instead.
"""

import asyncio
from functools import partial
from types import TracebackType
from typing import Any, Final, Self

from tenax.api.errors import RETRY_S, Problem
from tenax.stores.access import Access
from tenax.stores.commands.stat_rollup import SETTLED_AFTER_S
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_time
from tenax.stores.place import Place
from tenax.stores.queries.domains import DomainReport, find_domain
from tenax.stores.queries.receipts import (
    CountLimit,
    KeptReceipt,
    count_on,
    count_receipt,
    find_counter,
    find_unlogged,
    forget_kept,
    note_unlogged,
    save_kept,
)
from tenax.telemetry import log

STEP: Final = 10_000  # visits: 10 ms of CPU
LONGEST_WAIT_S: Final = 5.0
MOST_WAITING: Final = 100  # domains


class Receipts:
    def __init__(self, place: Place, access: Access) -> None:
        self._place = place
        self._access = access
        self._turn = asyncio.Lock()
        self._counting: dict[str, asyncio.Task[None]] = {}
        self._counted: dict[str, int] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        tasks = list(self._counting.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def load(self, name: str) -> DomainReport | None:
        """Load a domain with its receipt; None: the domain is not in the store. Raises a Problem while the
        receipt is being counted."""
        report = await self._read(name)
        if report is None or report.receipt is not None:
            return report
        try:
            async with asyncio.timeout(LONGEST_WAIT_S):
                await asyncio.shield(self._start(name))
        except TimeoutError as error:
            raise self._not_ready(name, report.summary.requests) from error
        counted = await self._read(name)
        if counted is not None and counted.receipt is None:
            raise self._not_ready(name, counted.summary.requests)
        return counted

    async def _read(self, name: str) -> DomainReport | None:
        def read(connection: Connection) -> DomainReport | None:
            count = partial(count_receipt, bound=self._find_bound(connection))
            return find_domain(connection, name, count)

        return await self._access.read(read)

    def _start(self, name: str) -> asyncio.Task[None]:
        task = self._counting.get(name)
        if task is None:
            if len(self._counting) >= MOST_WAITING:
                raise self._not_ready(name, None)
            task = asyncio.create_task(self._count(name))
            self._counting[name] = task
            task.add_done_callback(lambda done: self._end(name, done))
        return task

    def _end(self, name: str, task: asyncio.Task[None]) -> None:
        del self._counting[name]
        self._counted.pop(name, None)
        if not task.cancelled() and task.exception() is not None:
            log.warning("receipt_not_counted", domain=name, error=str(task.exception()))

    async def _count(self, name: str) -> None:
        async with self._turn:
            await self._count_on(name)
            report = await self._read(name)
            if report is None or report.receipt is not None:
                return
            # A visit was settled late, or the domain's counter is wrong: count from the start.
            await self._write(name, lambda connection, domain_id, counter: forget_kept(connection, domain_id))
            await self._count_on(name)
            await self._write(name, _note_unlogged)

    async def _count_on(self, name: str) -> None:
        while (step := await self._access.read(partial(self._find_step, name=name))) is not None:
            domain_id, kept = step
            await self._access.write(partial(save_kept, domain_id=domain_id, kept=kept))
            self._counted[name] = kept.tally.requests

    def _find_step(self, connection: Connection, name: str) -> tuple[int, KeptReceipt] | None:
        found = find_counter(connection, name)
        kept = None if found is None else count_on(connection, found[0], self._find_bound(connection))
        return None if found is None or kept is None else (found[0], kept)

    async def _write(self, name: str, work: Any) -> None:
        def write(connection: Connection) -> None:
            found = find_counter(connection, name)
            if found is not None:
                work(connection, *found)

        await self._access.write(write)

    def _find_bound(self, connection: Connection) -> CountLimit:
        settled_until = tell_time(self._place, connection) - SETTLED_AFTER_S
        return CountLimit(visits=STEP, settled_until=settled_until)

    def _not_ready(self, name: str, requests: int | None) -> Problem:
        total = "" if requests is None else f" of {requests:,}"
        return Problem(
            503,
            f"The receipt of {name} is being counted: {self._counted.get(name, 0):,}{total} requests so "
            f"far. Try again in {RETRY_S} s.",
            kind="Being counted",
            headers={"Retry-After": str(RETRY_S)},
        )


def _note_unlogged(connection: Connection, domain_id: int, counter: int) -> None:
    unlogged = find_unlogged(connection, domain_id, counter)
    note_unlogged(connection, domain_id, unlogged)
