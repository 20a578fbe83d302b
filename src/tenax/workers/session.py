"""Runs one crawl, in this process or in several workers: signals, progress, metrics and costs."""

import asyncio
import contextlib
import gc
import os
import signal
import time
from collections.abc import Iterator, Sequence

import uvloop

from tenax.crawl.engine import Engine, EngineResult
from tenax.crawl.insight.metrics import measure_crawl, write_metrics
from tenax.crawl.insight.progress import Progress, ProgressMeter
from tenax.crawl.reading.parser_host import ParserHost
from tenax.crawl.tally import WorkerTally
from tenax.exits import Exit
from tenax.profiling import Profiler, WorkerProfile
from tenax.record import record
from tenax.records.visits import Failed
from tenax.runtime.crawls import find_outdated_parsers, summarise
from tenax.runtime.engine import open_engine
from tenax.runtime.parsers import open_parser_host
from tenax.runtime.profiled import measuring
from tenax.stores.contracts.overview import Summary
from tenax.stores.layout import METRICS_NAME
from tenax.stores.place import Place
from tenax.workers.child import WorkerTask
from tenax.workers.cores import count_cores
from tenax.workers.costs import read_cpu_s, read_peak_rss_bytes
from tenax.workers.process import STOP_SIGNALS
from tenax.workers.supervisor import SHOW_EVERY_S, STOPPING, ForcedStop, Supervisor
from tenax.workers.views import ProgressView, QuietView

METRICS_EVERY_S = 5.0
FAILED = Failed.__name__.lower()  # its name in tallies
KEPT_BYTES = 2_000_000


@record
class CrawlResult:
    ended: EngineResult
    tally: WorkerTally
    summary: Summary
    duration_s: float
    cpu_s: float
    peak_rss_bytes: tuple[int, ...]  # of each worker
    seeds: int = 0  # that were given
    processes: int = 1  # workers that were started, with those that died
    profiles: tuple[WorkerProfile, ...] = ()  # of each worker that reported one

    @property
    def fetched_nothing(self) -> bool:
        """Whether not a single requested page could be fetched, whatever else the store holds."""
        if not self.summary.pages:
            return True
        if not self.tally.requests:
            return False
        if self.seeds:
            return not self.tally.pages and not self.summary.pages_there
        # A refresh, or a crawl that continues.
        return set(self.tally.outcomes) <= {FAILED}


def find_outdated(result: CrawlResult, task: WorkerTask) -> list[str]:
    """The parsers for which the stored pages have to be visited again, if a run has found nothing to do."""
    versions = result.tally.versions
    if result.tally.outcomes or not (versions and result.summary.pages):
        return []
    return asyncio.run(find_outdated_parsers(task.place, task.source_id, versions))


class CrawlObserver:
    """Shows a crawl and writes its metrics."""

    def __init__(self, view: ProgressView, place: Place) -> None:
        self._view = view
        self._metrics = place.folder / METRICS_NAME
        self._published_s = -METRICS_EVERY_S
        self._stalled = 0

    def show(self, progress: Progress, tally: WorkerTally) -> None:
        self._view.show(progress)
        if progress.stalled > self._stalled and progress.waiting_for is not None:
            # As a line that stays: it may be over, or the worker gone, before anybody looks.
            self._view.notify(progress.waiting_for)
        self._stalled = progress.stalled
        if progress.elapsed_s >= self._published_s + METRICS_EVERY_S:
            self.publish(progress, tally)

    def publish(self, progress: Progress, tally: WorkerTally) -> None:
        self._published_s = progress.elapsed_s
        write_metrics(self._metrics, measure_crawl(tally, progress))

    def notify(self, message: str) -> None:
        self._view.notify(message)

    def quit(self) -> None:
        """Exit at once. Nothing that was committed is lost."""
        self._view.close()
        os._exit(Exit.QUIT)


def tune_memory() -> None:
    """Run the garbage collector less often: a crawl makes many objects and hardly any cycles, and imported
    modules are never garbage. Saves 5 % of CPU per page and uses no more memory."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)
    # glibc returns the free end of its heap to the system, except for twice the largest block ever freed.
    # The tree of each page is allocated there: without this, six page faults per page.
    bytes(KEPT_BYTES)


def run_crawl(task: WorkerTask, view: ProgressView) -> CrawlResult:
    tune_memory()
    processes = task.settings.worker.processes or count_cores()
    observer = CrawlObserver(view, task.place)
    if processes == 1:
        with (
            open_parser_host(task.settings, task.parsers) as parsers,
            measuring(is_wanted=task.is_profiled) as profiler,
        ):
            return uvloop.run(_crawl_alone(task, observer, profiler, parsers))
    return _supervise(task, processes, observer, STOP_SIGNALS)


def supervise_crawl(task: WorkerTask, signals: Sequence[signal.Signals]) -> CrawlResult:
    """The same for a process that nobody sees: always in workers of their own. `signals`: those that stop
    it."""
    tune_memory()
    processes = task.settings.worker.processes or count_cores()
    return _supervise(task, processes, CrawlObserver(QuietView(), task.place), signals)


def _supervise(
    task: WorkerTask, processes: int, observer: CrawlObserver, signals: Sequence[signal.Signals]
) -> CrawlResult:
    try:
        outcome = Supervisor(task, processes, observer, signals=signals).run()
    except ForcedStop:
        observer.quit()
        raise
    observer.publish(outcome.progress, outcome.tally)
    return CrawlResult(
        ended=outcome.ended,
        tally=outcome.tally,
        summary=uvloop.run(summarise(task.place, task.source_id, task.domains)),
        duration_s=outcome.progress.elapsed_s,
        cpu_s=read_cpu_s(),
        peak_rss_bytes=outcome.peak_rss_bytes,
        seeds=len(task.seeds),
        processes=outcome.processes,
        profiles=outcome.profiles,
    )


async def _crawl_alone(
    task: WorkerTask, observer: CrawlObserver, profiler: Profiler | None, parsers: ParserHost | None
) -> CrawlResult:
    meter = ProgressMeter(time.monotonic())
    with _signals(observer) as stop_switch:
        async with open_engine(
            task.place, task.settings, source_id=task.source_id, parsers=parsers
        ) as engine:
            stop_switch.attach(engine)
            observing = asyncio.create_task(_observe(engine, meter, observer))
            try:
                ended = await engine.crawl(task.seeds, recrawl=task.recrawl)
            finally:
                observing.cancel()
                await asyncio.gather(observing, return_exceptions=True)
            progress = await _measure(engine, meter)
            observer.publish(progress, engine.tally)
            summary = await engine.summarise(task.domains)
    return CrawlResult(
        ended=ended,
        tally=engine.tally,
        summary=summary,
        duration_s=progress.elapsed_s,
        cpu_s=read_cpu_s(),
        peak_rss_bytes=(read_peak_rss_bytes(),),
        seeds=len(task.seeds),
        profiles=() if profiler is None else (profiler.take(engine.tally.pages, is_whole=True),),
    )


async def _observe(engine: Engine, meter: ProgressMeter, observer: CrawlObserver) -> None:
    while True:
        observer.show(await _measure(engine, meter), engine.tally)
        await asyncio.sleep(SHOW_EVERY_S)


async def _measure(engine: Engine, meter: ProgressMeter) -> Progress:
    return meter.measure(time.monotonic(), [await engine.look(at_store=True)], engine.tally)


class StopSwitch:
    """Pulled once, it drains the crawl; twice, it exits at once."""

    def __init__(self, observer: CrawlObserver) -> None:
        self._observer = observer
        self._engine: Engine | None = None
        self._is_pulled = False

    def attach(self, engine: Engine) -> None:
        """Stop the engine if a signal came before it was there."""
        self._engine = engine
        if self._is_pulled:
            engine.stop(ends_run=True)

    def pull(self) -> None:
        if self._is_pulled:
            self._observer.quit()
        self._is_pulled = True
        self._observer.notify(STOPPING)
        if self._engine is not None:
            self._engine.stop(ends_run=True)


@contextlib.contextmanager
def _signals(observer: CrawlObserver) -> Iterator[StopSwitch]:
    loop = asyncio.get_running_loop()
    stop_switch = StopSwitch(observer)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop_switch.pull)
    try:
        yield stop_switch
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
