"""Works on the runs of a store, several at a time, as they appear: what `tenax worker` does."""

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from typing import Protocol

from tenax.config.loading import parse_stored
from tenax.config.settings import Settings, join_settings
from tenax.errors import ConfigError, TenaxError, WorkerError
from tenax.exits import Exit
from tenax.runtime.settings import check_settings
from tenax.runtime.source_headers import add_own_headers
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.workers.child import WorkerTask
from tenax.workers.cores import count_cores
from tenax.workers.process import ORPHANED, STOP_SIGNALS, signals_blocked
from tenax.workers.run_finder import LONGEST_PAUSE_S, RunFinder
from tenax.workers.run_processes import STOP_RUN_SIGNAL, RunProcesses
from tenax.workers.session import CrawlObserver, tune_memory
from tenax.workers.supervisor import ForcedStop, Supervisor, SupervisorResult
from tenax.workers.views import ProgressView, QuietView


class DaemonObserver(Protocol):
    """Shows what a daemon does."""

    def notify(self, message: str) -> None: ...

    def report_error(self, error: TenaxError) -> None:
        """A run cannot be worked on here."""
        ...

    def report_part(self, result: SupervisorResult, *, is_stopped: bool) -> None:
        """The part of this machine in a run is over."""
        ...

    def open_view(self, *, is_shown: bool) -> ProgressView: ...


class QuietObserver:
    """Reports errors only."""

    def notify(self, message: str) -> None:
        pass

    def report_error(self, error: TenaxError) -> None:
        print(f"tenax: {clean(str(error))}", file=sys.stderr, flush=True)

    def report_part(self, result: SupervisorResult, *, is_stopped: bool) -> None:
        pass

    def open_view(self, *, is_shown: bool) -> ProgressView:
        return QuietView()


class WorkerDaemon:
    """The work of this machine on a store."""

    def __init__(
        self,
        place: Place,
        own: Settings,
        observer: DaemonObserver,
        *,
        until_idle: bool,
        longest_pause_s: float = LONGEST_PAUSE_S,
    ) -> None:
        self._place = place
        self._own = own
        self._observer = observer
        self._run_processes = RunProcesses(own.worker.runs)
        self._failure = Exit.DONE
        self._finder = RunFinder(place, self, until_idle=until_idle, longest_pause_s=longest_pause_s)

    def run(self) -> Exit:
        """Work until it is stopped, or until no run is active if that is the end."""
        tune_memory()
        # A signal that arrives while no handler is installed is handled by the next one.
        with signals_blocked():
            while (found := self._finder.find()) is not None:
                self._start(found)
            self._run_processes.stop()
        if self._finder.is_stopped:
            return Exit.STOPPED
        return self._failure

    def _start(self, found: LastRun) -> None:
        try:
            task = build_task(self._place, self._own, found)
        except ConfigError as error:
            self._observer.report_error(error)
            self._reject(found.run.id, Exit.USAGE)
            return
        # Of several runs on one screen only the first shows its progress.
        is_shown = not self._run_processes.runs
        work = partial(join_run, task, found.run, self._observer, is_shown=is_shown)
        self._run_processes.start(found.run.id, partial(work, signals=(STOP_RUN_SIGNAL, ORPHANED)))

    def _reject(self, run_id: int, code: Exit) -> None:
        """The error has been reported; the other runs continue."""
        self._finder.reject(run_id)
        self._failure = code

    # --- as a RunHost ----------------------------------------------------------------------------

    @property
    def has_room(self) -> bool:
        return self._run_processes.has_room

    def find_active(self) -> set[int]:
        for run_id, code in self._run_processes.reap():
            match code:
                case Exit.DONE:
                    self._finder.mark_exhausted(run_id)
                case Exit.ERROR:
                    self._reject(run_id, Exit.ERROR)
                case _:
                    self._finder.postpone(run_id)
        return self._run_processes.runs

    def notify(self, message: str) -> None:
        self._observer.notify(message)

    def quit(self) -> None:
        os._exit(Exit.QUIT)


def build_task(place: Place, own: Settings, found: LastRun) -> WorkerTask:
    """Raises ConfigError if this machine cannot work on the run."""
    settings = join_settings(parse_stored(found.settings_json), own, {})
    source_id = found.run.source_id
    if found.is_sources:
        settings = add_own_headers(place, source_id, settings)
    check_settings(settings)
    return WorkerTask(
        place=place,
        settings=settings,
        reopens=False,
        source_id=source_id,
        # A machine that is stopped leaves the run to others, or to itself when it is back.
        keeps_open=True,
    )


def join_run(
    task: WorkerTask,
    run: Run,
    observer: DaemonObserver,
    *,
    is_shown: bool,
    signals: Sequence[signal.Signals],
) -> Exit:
    """Work on a run and report it. DONE: no work is left; STOPPED: by a signal, or by an error that may pass;
    ERROR: no worker can work there."""
    observer.notify(f"Joining run {run.id} in {task.place}.")
    try:
        result, code = work_on(task, run, observer.open_view(is_shown=is_shown), signals)
    except WorkerError as error:
        if error.is_transient:
            observer.notify(str(error))
            return Exit.STOPPED
        observer.report_error(error)
        return Exit.ERROR
    observer.report_part(result, is_stopped=code is Exit.STOPPED)
    return code


def work_on(
    task: WorkerTask,
    run: Run,
    view: ProgressView,
    signals: Sequence[signal.Signals] = (*STOP_SIGNALS, ORPHANED),
) -> tuple[SupervisorResult, Exit]:
    """Work until the run has ended or has no work left for now: DONE; or until a signal arrives: STOPPED. The
    process must have one thread only. Raises WorkerError if no worker can work."""
    observer = CrawlObserver(view, task.place)
    processes = task.settings.worker.processes or count_cores()
    supervisor = Supervisor(task, processes, observer, run, signals)
    try:
        with contextlib.closing(view):
            result = supervisor.run()
    except ForcedStop:
        observer.quit()
    observer.publish(result.progress, result.tally)
    return result, Exit.STOPPED if supervisor.is_stopped else Exit.DONE
