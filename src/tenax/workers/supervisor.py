"""Supervises the workers of one crawl: starts them as domains wait, replaces dead ones, sums their reports.

It has one thread and no event loop, because it forks: a lock held by another thread would be held forever in
the new process. It does not touch the store; the first worker opens the run, the others join it.
"""

import contextlib
import select
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from tenax.crawl.engine import EngineResult
from tenax.crawl.insight.progress import Progress, ProgressMeter, WorkerSnapshot
from tenax.crawl.tally import WorkerTally
from tenax.errors import WorkerError
from tenax.exits import REPLACED, Exit
from tenax.policy.restarts import HEALTHY_S, LOOPING_DEATHS, MOST_BARREN_DEATHS, plan_restart
from tenax.profiling import WorkerProfile
from tenax.record import record, replace
from tenax.stores.contracts.runs import Run
from tenax.telemetry import log
from tenax.workers.child import WorkerTask, run_worker
from tenax.workers.messages import WorkerProcessReport
from tenax.workers.process import ORPHANED, STOP_SIGNALS, WorkerProcess, describe_death, fork_worker

SHOW_EVERY_S = 0.5
RETRY_S = 2.0
STOPPING = (
    "Stopping: finishing requests in progress and saving everything. Press Ctrl-C again to quit at once."
)


class ForcedStop(Exception):
    """Stopped twice: the workers are killed."""


class SupervisorObserver(Protocol):
    def show(self, progress: Progress, tally: WorkerTally) -> None: ...

    def notify(self, message: str) -> None: ...


@record
class SupervisorResult:
    ended: EngineResult
    tally: WorkerTally
    progress: Progress
    peak_rss_bytes: tuple[int, ...]  # of each slot
    processes: int  # workers that were started, with those that died
    profiles: tuple[WorkerProfile, ...] = ()  # of each worker that reported one


@dataclass(slots=True)
class WorkerSlot:
    """Holds one worker at a time, and what became of the ones before."""

    worker: WorkerProcess | None = None
    start_at: float = 0.0
    started_at: float = 0.0
    deaths: int = 0  # in a row, of workers that did not live for long
    barren_deaths: int = 0  # in a row, of workers that had not fetched a page
    last_death: str = ""
    is_closed: bool = False  # its worker has ended, or none survives here
    peak_rss_bytes: int = 0


class Supervisor:
    def __init__(
        self,
        task: WorkerTask,
        processes: int,
        observer: SupervisorObserver,
        run: Run | None = None,
        signals: Sequence[signal.Signals] = STOP_SIGNALS,
    ) -> None:
        """`run`: the run to join; None: the first worker opens it. `signals`: those that stop it."""
        self._stop_signals = signals
        self._task = task
        self._observer = observer
        self._slots = [WorkerSlot() for _ in range(processes)]
        self._wanted = 1
        self._run = run
        self._past: list[WorkerTally] = []  # of workers that have exited
        self._deaths: Counter[str] = Counter()  # by how they died
        self._profiles: list[WorkerProfile] = []
        self._ends: list[EngineResult] = []
        self._error: WorkerError | None = None
        self._signals = 0  # that asked it to stop
        self._is_orphaned = False
        self._is_stopping = False
        self._show_at = 0.0
        self._meter = ProgressMeter(time.monotonic())

    def run(self) -> SupervisorResult:
        """Work until the run has ended, or all workers have been stopped. Raises WorkerError when no worker
        survives, ForcedStop after a second signal."""
        with self._handling_signals() as wakeup:
            while self._has_work():
                self._start_wanted()
                self._wait(wakeup)
                self._handle_signals()
                self._show()
        if self._error is not None:
            raise self._error
        return self._conclude()

    @property
    def is_stopped(self) -> bool:
        """Whether a signal has stopped it."""
        return self._signals > 0 or self._is_orphaned

    def _conclude(self) -> SupervisorResult:
        if not self._ends:
            raise WorkerError("The worker died while stopping; run the same command to continue.")
        tally = self._count()
        return SupervisorResult(
            # The one that closed the run knows how it ended.
            ended=next((ended for ended in self._ends if ended.is_run_over), self._ends[-1]),
            tally=tally,
            progress=replace(self._meter.measure(time.monotonic(), [], tally), deaths=dict(self._deaths)),
            peak_rss_bytes=tuple(slot.peak_rss_bytes for slot in self._slots if slot.peak_rss_bytes),
            processes=len(self._past),
            profiles=tuple(self._profiles),
        )

    # --- workers ---------------------------------------------------------------------------------

    def _live(self) -> list[WorkerProcess]:
        return [slot.worker for slot in self._slots if slot.worker is not None]

    def _vacant(self) -> list[WorkerSlot]:
        """Slots that need a worker; only the first one until the run is open."""
        if self._is_stopping:
            return []
        slots = self._slots[: self._wanted]
        return [slot for slot in slots if slot.worker is None and not slot.is_closed]

    def _has_work(self) -> bool:
        return bool(self._live() or self._vacant())

    def _start_wanted(self) -> None:
        now = time.monotonic()
        for slot in self._vacant():
            if slot.start_at <= now:
                # An internal error that kills one worker after the other is the end of the run.
                is_last_try = slot.barren_deaths >= MOST_BARREN_DEATHS - 1
                work = partial(run_worker, self._task, self._run, is_last_try)
                slot.started_at = now
                slot.worker = fork_worker(work, self._live())

    def _wait(self, wakeup: socket.socket) -> None:
        """Wait for a report or a signal, or until something is scheduled."""
        times = [self._show_at, *(slot.start_at for slot in self._vacant())]
        channels = {slot.worker.channel: slot for slot in self._slots if slot.worker is not None}
        ready = select.select([wakeup, *channels], [], [], max(min(times) - time.monotonic(), 0.0))[0]
        for channel in ready:
            if channel is wakeup:
                wakeup.recv(64)
            else:
                self._receive(channels[channel])

    def _receive(self, slot: WorkerSlot) -> None:
        worker = slot.worker
        assert worker is not None
        is_alive = worker.receive()
        if (report := worker.report) is not None:
            self._run = self._run or report.run
            slot.peak_rss_bytes = max(slot.peak_rss_bytes, report.peak_rss_bytes)
            if report.snapshot.overview is not None and not self._ends:
                # A domain has one worker: more workers than domains would be idle.
                self._raise_wanted(report.snapshot.overview.domains_queued)
        if not is_alive:
            slot.worker = None
            self._handle_exit(slot, worker)

    def _raise_wanted(self, domains: int) -> None:
        self._wanted = max(self._wanted, min(domains, len(self._slots)))

    def _handle_exit(self, slot: WorkerSlot, worker: WorkerProcess) -> None:
        code = worker.reap()
        report = worker.report
        tally = report.snapshot.tally if report is not None else WorkerTally()
        self._past.append(tally)
        if report is not None and report.profile is not None:
            self._profiles.append(report.profile)
        if report is not None and report.ended is not None:
            slot.is_closed = True
            self._ends.append(report.ended)
        elif report is not None and report.error is not None and report.exit_code not in REPLACED:
            self._handle_failure(slot, report)
        else:
            self._count_death(slot, code, tally)
            self._replace(slot, worker.pid, report)

    def _handle_failure(self, slot: WorkerSlot, report: WorkerProcessReport) -> None:
        if report.is_transient and self._live():
            # It could not start, and the others wait for what it needs: the store is briefly unavailable.
            slot.start_at = time.monotonic() + RETRY_S
            return
        self._fail(slot, report)

    def _fail(self, slot: WorkerSlot, report: WorkerProcessReport) -> None:
        slot.is_closed = True
        self._error = self._error or WorkerError(
            report.error, is_transient=report.is_transient, exit_code=report.exit_code
        )
        self._stop()

    def _count_death(self, slot: WorkerSlot, code: int, tally: WorkerTally) -> None:
        is_early = time.monotonic() < slot.started_at + HEALTHY_S
        slot.deaths = slot.deaths + 1 if is_early else 1
        slot.barren_deaths = 1 if tally.pages else slot.barren_deaths + 1
        slot.last_death = describe_death(code)
        self._deaths[slot.last_death] += 1

    def _replace(self, slot: WorkerSlot, pid: int, report: WorkerProcessReport | None) -> None:
        """Wait longer after each death, and give up in the end."""
        if slot.barren_deaths >= MOST_BARREN_DEATHS:
            self._give_up(slot, report)
            return
        pause_s = plan_restart(slot.deaths)
        slot.start_at = time.monotonic() + pause_s
        if self._is_stopping:
            return
        after = f" in {pause_s:g} s ({slot.deaths} deaths in a row)" if pause_s else ""
        self._observer.notify(
            f"Worker process {pid} died ({slot.last_death}); starting a replacement{after}."
        )
        log.warning("worker_died", pid=pid, how=slot.last_death, deaths=slot.deaths, again_in_s=pause_s)

    def _give_up(self, slot: WorkerSlot, report: WorkerProcessReport | None) -> None:
        message = (
            f"Workers died {slot.barren_deaths} times in a row before fetching a page, the last with"
            f" {slot.last_death}."
        )
        slot.is_closed = True
        if self._live():
            self._observer.notify(f"{message} The other workers continue.")
            return
        logs = self._task.place.folder / "logs"
        self._error = WorkerError(
            f"{message} See {logs} for the cause; run the same command to continue.",
            exit_code=report.exit_code if report is not None and report.exit_code else Exit.ERROR,
        )

    def _describe_crash_loop(self) -> str | None:
        """What keeps killing workers, if several have died one after another."""
        looping = [slot for slot in self._slots if slot.deaths >= LOOPING_DEATHS and slot.worker is None]
        worst = max(looping, key=lambda slot: slot.deaths, default=None)
        if worst is None or worst.is_closed:
            return None
        wait_s = max(worst.start_at - time.monotonic(), 0.0)
        return (
            f"crash loop: workers died {worst.deaths} times in a row, the last with {worst.last_death};"
            f" next start in {wait_s:.0f} s"
        )

    # --- signals ---------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _handling_signals(self) -> Iterator[socket.socket]:
        """Yield a socket that becomes readable when a signal arrives."""
        wakeup, sender = socket.socketpair()
        sender.setblocking(False)
        earlier = {number: signal.signal(number, self._on_signal) for number in self._stop_signals}
        signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
        # A caller that runs one supervisor after another blocks signals between them.
        blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, self._stop_signals)
        try:
            yield wakeup
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            signal.set_wakeup_fd(-1)
            for number, handler in earlier.items():
                signal.signal(number, handler)
            wakeup.close()
            sender.close()

    def _on_signal(self, number: int, frame: object) -> None:
        if number == ORPHANED:
            self._is_orphaned = True
        else:
            self._signals += 1

    def _handle_signals(self) -> None:
        if self._signals > 1:
            for worker in self._live():
                worker.kill()
            raise ForcedStop
        if self.is_stopped and not self._is_stopping:
            self._observer.notify(STOPPING)
            self._stop()

    def _stop(self) -> None:
        self._is_stopping = True
        for worker in self._live():
            worker.stop(ends_run=not self._task.keeps_open)

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
            worker.request_report(at_store=number == 0)
        if self._run is None:
            return
        snapshots = [
            worker.report.snapshot if worker.report is not None else WorkerSnapshot() for worker in live
        ]
        tally = self._count()
        progress = self._meter.measure(now, snapshots, tally)
        notice = self._describe_crash_loop() or progress.notice
        self._observer.show(replace(progress, notice=notice, deaths=dict(self._deaths)), tally)
