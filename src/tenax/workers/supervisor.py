"""Keeps the workers of one crawl at work: starts them as domains wait, replaces the dead, adds them up.

It has one thread and no event loop, because it forks: whatever another thread holds would be held for ever in
the new process. It does not touch the store; the first worker opens the run, the others join it.
"""

import contextlib
import select
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.progress import Progress, ProgressMeter, WorkerSnapshot
from tenax.crawl.tally import WorkerTally
from tenax.errors import WorkerError
from tenax.record import record
from tenax.stores.contracts.runs import Run
from tenax.workers.child import WorkerTask, run_worker
from tenax.workers.messages import WorkerProcessReport
from tenax.workers.process import ORPHANED, STOP_SIGNALS, WorkerProcess, fork_worker

SHOW_EVERY_S = 0.5
MOST_DEATHS = 5
FIRST_PAUSE_S = 0.5
RETRY_S = 2.0
STOPPING = "Stopping: running requests may end, then everything is saved. Again to quit at once."


class ForcedStop(Exception):
    """Told twice to stop: the workers are killed."""


class SupervisorObserver(Protocol):
    def show(self, progress: Progress, tally: WorkerTally) -> None: ...

    def say(self, sentence: str) -> None: ...


@record
class SupervisorResult:
    ended: EngineResult
    tally: WorkerTally
    progress: Progress
    peak_rss_bytes: tuple[int, ...]  # of each place, whoever was at it


@dataclass(slots=True)
class WorkerSlot:
    """Of a worker: who is at it, and how those before fared."""

    worker: WorkerProcess | None = None
    start_at: float = 0.0
    deaths: int = 0  # in a row, of workers that had not fetched a page
    is_closed: bool = False  # it has ended, or nobody survives here
    peak_rss_bytes: int = 0


class Supervisor:
    def __init__(
        self,
        order: WorkerTask,
        processes: int,
        observer: SupervisorObserver,
        run: Run | None = None,
        signals: Sequence[signal.Signals] = STOP_SIGNALS,
    ) -> None:
        """`run`: the one to be joined; None: the first worker opens it. `signals`: that tell it to stop."""
        self._obeyed = signals
        self._order = order
        self._observer = observer
        self._places = [WorkerSlot() for _ in range(processes)]
        self._wanted = 1
        self._run = run
        self._past: list[WorkerTally] = []  # of workers that are gone
        self._ends: list[EngineResult] = []
        self._error: WorkerError | None = None
        self._signals = 0  # orders to stop
        self._is_orphaned = False
        self._is_stopping = False
        self._show_at = 0.0
        self._meter = ProgressMeter(time.monotonic())

    def run(self) -> SupervisorResult:
        """Until the run is over, or everybody has been stopped. Raises WorkerError when nobody is left who
        could work, Quit after a second signal."""
        with self._listening() as ear:
            while self._is_at_work():
                self._start_wanted()
                self._wait(ear)
                self._obey_signals()
                self._show()
        if self._error is not None:
            raise self._error
        return self._conclude()

    @property
    def is_stopped(self) -> bool:
        """By a signal."""
        return self._signals > 0 or self._is_orphaned

    def _conclude(self) -> SupervisorResult:
        if not self._ends:
            raise WorkerError("The worker died while it was being stopped; the same command goes on.")
        tally = self._count()
        return SupervisorResult(
            # The one that closed the run knows how it ended.
            ended=next((ended for ended in self._ends if ended.is_run_over), self._ends[-1]),
            tally=tally,
            progress=self._meter.measure(time.monotonic(), [], tally),
            peak_rss_bytes=tuple(place.peak_rss_bytes for place in self._places if place.peak_rss_bytes),
        )

    # --- workers ---------------------------------------------------------------------------------

    def _live(self) -> list[WorkerProcess]:
        return [place.worker for place in self._places if place.worker is not None]

    def _vacant(self) -> list[WorkerSlot]:
        """Places that wait for a worker, the first one alone until it has opened the run."""
        if self._is_stopping:
            return []
        places = self._places[: self._wanted]
        return [place for place in places if place.worker is None and not place.is_closed]

    def _is_at_work(self) -> bool:
        return bool(self._live() or self._vacant())

    def _start_wanted(self) -> None:
        now = time.monotonic()
        for place in self._vacant():
            if place.start_at <= now:
                work = partial(run_worker, self._order, self._run)
                place.worker = fork_worker(work, self._live())

    def _wait(self, ear: socket.socket) -> None:
        """Until somebody says something, or it is time to do something."""
        dates = [self._show_at, *(place.start_at for place in self._vacant())]
        channels = {place.worker.channel: place for place in self._places if place.worker is not None}
        ready = select.select([ear, *channels], [], [], max(min(dates) - time.monotonic(), 0.0))[0]
        for channel in ready:
            if channel is ear:
                ear.recv(64)
            else:
                self._hear(channels[channel])

    def _hear(self, place: WorkerSlot) -> None:
        worker = place.worker
        assert worker is not None
        is_alive = worker.hear()
        if (report := worker.report) is not None:
            self._run = self._run or report.run
            place.peak_rss_bytes = max(place.peak_rss_bytes, report.peak_rss_bytes)
            if report.snapshot.overview is not None and not self._ends:
                # A domain has one worker: more workers than domains would only look on.
                self._want(report.snapshot.overview.domains_queued)
        if not is_alive:
            place.worker = None
            self._bury(place, worker)

    def _want(self, domains: int) -> None:
        self._wanted = max(self._wanted, min(domains, len(self._places)))

    def _bury(self, place: WorkerSlot, worker: WorkerProcess) -> None:
        how = worker.bury()
        report = worker.report
        tally = report.snapshot.tally if report is not None else WorkerTally()
        self._past.append(tally)
        if report is not None and report.ended is not None:
            place.is_closed = True
            self._ends.append(report.ended)
        elif report is not None and report.error is not None:
            self._take_failure(place, report)
        else:
            place.deaths = 1 if tally.pages else place.deaths + 1
            self._replace(place, worker.pid, how)

    def _take_failure(self, place: WorkerSlot, report: WorkerProcessReport) -> None:
        if report.is_transient and self._live():
            # It could not begin, and the others wait for what it needs: the store is away for a moment.
            place.start_at = time.monotonic() + RETRY_S
            return
        place.is_closed = True
        self._error = self._error or WorkerError(report.error, is_transient=report.is_transient)
        self._stop()

    def _replace(self, place: WorkerSlot, pid: int, how: str) -> None:
        """Later from death to death, and not for ever."""
        if place.deaths < MOST_DEATHS:
            # The first one at once: kill -9 and a page that crashes its reader are no fault of its place.
            pause_s = FIRST_PAUSE_S * 2 ** (place.deaths - 2) if place.deaths > 1 else 0.0
            place.start_at = time.monotonic() + pause_s
            if not self._is_stopping:
                self._observer.say(f"Worker process {pid} died ({how}); another one takes over.")
            return
        place.is_closed = True
        sentence = (
            f"Workers die before they fetch a page, {place.deaths} times in a row, the last one of {how}."
        )
        if self._live():
            self._observer.say(f"{sentence} The others go on.")
        else:
            logs = self._order.place.folder / "logs"
            self._error = WorkerError(f"{sentence} {logs} may tell why; the same command goes on.")

    # --- signals ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _listening(self) -> Iterator[socket.socket]:
        """A socket that can be read when a signal has come."""
        ear, mouth = socket.socketpair()
        mouth.setblocking(False)
        earlier = {number: signal.signal(number, self._on_signal) for number in self._obeyed}
        signal.set_wakeup_fd(mouth.fileno(), warn_on_full_buffer=False)
        # Whoever runs one supervisor after the other holds signals back between them: here they are heard.
        held_back = signal.pthread_sigmask(signal.SIG_UNBLOCK, self._obeyed)
        try:
            yield ear
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
            signal.set_wakeup_fd(-1)
            for number, handler in earlier.items():
                signal.signal(number, handler)
            ear.close()
            mouth.close()

    def _on_signal(self, number: int, frame: object) -> None:
        if number == ORPHANED:
            self._is_orphaned = True
        else:
            self._signals += 1

    def _obey_signals(self) -> None:
        if self._signals > 1:
            for worker in self._live():
                worker.kill()
            raise ForcedStop
        if self.is_stopped and not self._is_stopping:
            self._observer.say(STOPPING)
            self._stop()

    def _stop(self) -> None:
        self._is_stopping = True
        for worker in self._live():
            worker.stop(ends_run=not self._order.keeps_open)

    # --- numbers ---------------------------------------------------------------------------------

    def _count(self) -> WorkerTally:
        live = [worker.report.snapshot.tally for worker in self._live() if worker.report is not None]
        return WorkerTally.sum([*self._past, *live])

    def _show(self) -> None:
        now = time.monotonic()
        if now < self._show_at:
            return
        self._show_at = now + SHOW_EVERY_S
        live = self._live()
        for number, worker in enumerate(live):
            worker.ask(at_store=number == 0)
        if self._run is None:
            return
        snapshots = [
            worker.report.snapshot if worker.report is not None else WorkerSnapshot() for worker in live
        ]
        tally = self._count()
        self._observer.show(self._meter.measure(now, snapshots, tally), tally)
