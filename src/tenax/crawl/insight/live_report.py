"""Publishes what a worker does, for observers in other processes: twice a second, and when it ends."""

import asyncio
from collections.abc import Callable
from types import TracebackType
from typing import Self

from tenax.clock import Clock
from tenax.coordination.base import Coordination, WorkerReport
from tenax.crawl.insight.progress import WorkerSnapshot, find_hindrance
from tenax.crawl.page_rate import PageRate

EVERY_S = 0.5


class LiveReporter:
    """Active while it is entered."""

    def __init__(
        self,
        *,
        worker: str,
        run_id: int,
        see: Callable[[], WorkerSnapshot],
        coordination: Coordination,
        clock: Clock,
    ) -> None:
        self._worker = worker
        self._run_id = run_id
        self._see = see
        self._coordination = coordination
        self._clock = clock
        self._rate = PageRate(clock.now())

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._repeat())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)
        # The final totals.
        self._publish()

    async def _repeat(self) -> None:
        while True:
            self._publish()
            await asyncio.sleep(EVERY_S)

    def _publish(self) -> None:
        now, snapshot = self._clock.now(), self._see()
        tally = snapshot.tally
        self._coordination.publish(
            WorkerReport(
                worker=self._worker,
                run_id=self._run_id,
                at=now,
                pages=tally.pages,
                requests=tally.requests,
                wire_bytes=tally.wire_bytes,
                pages_per_s=self._rate.measure(now, tally.pages),
                in_flight=snapshot.in_flight,
                outcomes=dict(tally.outcomes),
                waiting_for=find_hindrance([snapshot]),
            )
        )
