import asyncio

import pytest

from tenax.coordination.base import WorkerReport
from tenax.coordination.memory import MemoryCoordination
from tenax.crawl.insight import live_report as live_reporter
from tenax.crawl.insight.live_report import LiveReporter
from tenax.crawl.insight.progress import WorkerSnapshot
from tenax.crawl.tally import WorkerTally
from tests.support.clock import FakeClock


class Announced:
    """A worker whose tally a test moves, and what was heard of it."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.tally = WorkerTally()
        self._coordination = MemoryCoordination(self.clock)

    def open(self) -> LiveReporter:
        return LiveReporter(
            worker="w1",
            run_id=1,
            see=lambda: WorkerSnapshot(tally=self.tally, waiting_for="politeness"),
            coordination=self._coordination,
            clock=self.clock,
        )

    def read(self) -> list[WorkerReport]:
        events = asyncio.run(self._coordination.read_events(None, 100))
        return [event.report for event in events]


async def work(worker: Announced) -> None:
    async with worker.open():
        await asyncio.sleep(0)
        worker.clock.advance(2)
        worker.tally.pages = 10


async def fail(worker: Announced) -> None:
    async with worker.open():
        worker.tally.pages = 1
        raise OSError


async def idle(worker: Announced) -> None:
    async with worker.open():
        for _ in range(10):
            await asyncio.sleep(0)


def test_a_worker_is_heard_of_at_once_and_again_at_its_end() -> None:
    worker = Announced()
    asyncio.run(work(worker))
    first, last = worker.read()
    assert (first.pages, last.pages, last.pages_per_s) == (0, 10, 5.0)
    assert (last.worker, last.run_id, last.waiting_for) == ("w1", 1, "politeness")


def test_a_worker_that_fails_has_a_last_word_too() -> None:
    worker = Announced()
    with pytest.raises(OSError):
        asyncio.run(fail(worker))
    assert worker.read()[-1].pages == 1


def test_a_worker_is_heard_of_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_reporter, "EVERY_S", 0)
    worker = Announced()
    asyncio.run(idle(worker))
    assert len(worker.read()) > 3
