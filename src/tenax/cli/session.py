"""Runs one crawl in this process: signals, progress, metrics, and what it has cost at the end."""

import asyncio
import contextlib
import gc
import os
import resource
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import uvloop

from tenax.cli.exits import Exit
from tenax.cli.live import View
from tenax.config import Settings
from tenax.crawl.engine import Ended, Engine
from tenax.crawl.metrics import MetricsPublisher
from tenax.crawl.tally import Tally
from tenax.errors import StoreError
from tenax.runtime import open_engine
from tenax.stores.base import Summary
from tenax.stores.layout import METRICS_NAME
from tenax.telemetry import write_metrics

SHOW_EVERY_S = 0.5
METRICS_EVERY_S = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    ended: Ended
    tally: Tally
    summary: Summary
    duration_s: float
    cpu_s: float
    peak_rss_bytes: int


def calm_collector() -> None:
    """Let the garbage collector look less often: a crawl makes many objects and hardly any cycles.

    What was imported is never garbage. 5 % of CPU per page, and no more memory.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def run_crawl(data: Path, settings: Settings, seeds: Sequence[str], view: View) -> Result:
    calm_collector()
    return uvloop.run(_crawl(data, settings, seeds, view))


async def _crawl(data: Path, settings: Settings, seeds: Sequence[str], view: View) -> Result:
    with _signals(view) as brake:
        async with open_engine(data, settings) as engine:
            brake.attach(engine)
            observer = asyncio.create_task(_observe(engine, view, data / METRICS_NAME))
            try:
                ended = await engine.crawl(seeds)
            finally:
                observer.cancel()
                await asyncio.gather(observer, return_exceptions=True)
            await _publish(engine, MetricsPublisher(), data / METRICS_NAME)
            summary = await engine.summarise()
            progress = await engine.progress()
            engine.announce(progress)
    return Result(
        ended=ended,
        tally=engine.tally,
        summary=summary,
        duration_s=progress.elapsed_s,
        cpu_s=_cpu_s(),
        peak_rss_bytes=_peak_rss_bytes(),
    )


async def _observe(engine: Engine, view: View, metrics: Path) -> None:
    publisher = MetricsPublisher()
    turns = round(METRICS_EVERY_S / SHOW_EVERY_S)
    turn = 0
    while True:
        # A store in trouble ends the crawl, or does not: that is not for whoever looks on to decide.
        with contextlib.suppress(StoreError):
            progress = await engine.progress()
            view.show(progress)
            engine.announce(progress)
            if turn % turns == 0:
                await _publish(engine, publisher, metrics)
        turn += 1
        await asyncio.sleep(SHOW_EVERY_S)


async def _publish(engine: Engine, publisher: MetricsPublisher, path: Path) -> None:
    publisher.publish(engine.tally, await engine.progress())
    write_metrics(path)


class Brake:
    """Pulled once: drain. Twice: leave at once, which loses nothing that was committed."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._engine: Engine | None = None
        self._is_pulled = False

    def attach(self, engine: Engine) -> None:
        """A signal may have come before there was an engine to stop."""
        self._engine = engine
        if self._is_pulled:
            engine.stop()

    def pull(self) -> None:
        if self._is_pulled:
            self._view.close()
            os._exit(Exit.QUIT)
        self._is_pulled = True
        self._view.say("Stopping: running requests may end, then everything is saved. Again to quit at once.")
        if self._engine is not None:
            self._engine.stop()


@contextlib.contextmanager
def _signals(view: View) -> Iterator[Brake]:
    loop = asyncio.get_running_loop()
    brake = Brake(view)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, brake.pull)
    try:
        yield brake
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def _peak_rss_bytes() -> int:
    """Of this program alone: what getrusage tells includes the process that has started it."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    peaks = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(peaks[0].split()[1]) * 1024


def _cpu_s() -> float:
    """Of this process and the children it has waited for."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
