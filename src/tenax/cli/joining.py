"""Works on the runs of a store, side by side, as they come up: what `tenax worker` does."""

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from tenax.cli.exits import Exit
from tenax.cli.session import CrawlObserver, calm_memory
from tenax.cli.show.live import ProgressView, open_view
from tenax.cli.show.render import format_duration
from tenax.config import Settings, join_settings, parse_ordered
from tenax.errors import ConfigError, WorkerError
from tenax.records import RunState
from tenax.runtime.settings import check_settings
from tenax.stores.contracts.runs import LastRun, Run
from tenax.stores.place import Place
from tenax.visible import clean
from tenax.wording import count_of
from tenax.workers.child import WorkerTask
from tenax.workers.cores import count_cores
from tenax.workers.process import ORPHANED, STOP_SIGNALS, signals_held_back
from tenax.workers.run_finder import LONGEST_PAUSE_S, RunFinder
from tenax.workers.run_processes import HAND_SIGNAL, RunProcesses
from tenax.workers.supervisor import ForcedStop, Supervisor, SupervisorResult


class WorkerDaemon:
    """This machine's work in a store."""

    def __init__(
        self,
        place: Place,
        own: Settings,
        *,
        until_idle: bool,
        is_quiet: bool,
        longest_pause_s: float = LONGEST_PAUSE_S,
    ) -> None:
        self._place = place
        self._own = own
        self._is_quiet = is_quiet
        self._run_processes = RunProcesses(own.worker.runs)
        self._failure = Exit.DONE
        self._waiting = RunFinder(
            place,
            until_idle=until_idle,
            longest_pause_s=longest_pause_s,
            say=self._say,
            leave_at_once=_quit,
            find_busy=self._find_busy,
            has_room=lambda: self._run_processes.has_room,
        )

    def run(self) -> Exit:
        """Until it is told to stop, or nothing is under way and that is enough."""
        calm_memory()
        # A signal that comes while nobody listens is heard by whoever listens next.
        with signals_held_back():
            while (found := self._waiting.find()) is not None:
                self._take_on(found)
            self._run_processes.stop()
        if self._waiting.is_stopped:
            return Exit.STOPPED
        return self._failure

    def _take_on(self, found: LastRun) -> None:
        try:
            order = build_order(self._place, self._own, found)
        except ConfigError as error:
            print(f"tenax: {clean(str(error))}", file=sys.stderr, flush=True)
            self._give_up(found.run.id, Exit.USAGE)
            return
        # Of several runs on one screen only the first is shown as it goes on.
        is_shown = not self._is_quiet and not self._run_processes.runs
        work = partial(join_run, order, found.run, is_quiet=self._is_quiet, is_shown=is_shown)
        self._run_processes.set_to_work(found.run.id, partial(work, signals=(HAND_SIGNAL, ORPHANED)))

    def _give_up(self, run_id: int, code: Exit) -> None:
        """What was wrong has been said; the other runs go on."""
        self._waiting.give_up(run_id)
        self._failure = code

    def _find_busy(self) -> set[int]:
        for run_id, code in self._run_processes.reap():
            match code:
                case Exit.DONE:
                    self._waiting.leave(run_id)
                case Exit.ERROR:
                    self._give_up(run_id, Exit.ERROR)
                case _:
                    self._waiting.put_off(run_id)
        return self._run_processes.runs

    def _say(self, sentence: str) -> None:
        if not self._is_quiet:
            print(clean(sentence), flush=True)


def build_order(place: Place, own: Settings, found: LastRun) -> WorkerTask:
    """Raises ConfigError where the run cannot be worked on by this program."""
    settings = join_settings(parse_ordered(found.settings_json), own, {})
    source_id = found.run.source_id
    if found.is_sources:
        # Found by name: whoever never meets a source's run needs no SQLAlchemy.
        settings = import_module("tenax.runtime.server").add_own_headers(place, source_id, settings)
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
    order: WorkerTask, run: Run, *, is_quiet: bool, is_shown: bool, signals: Sequence[signal.Signals]
) -> Exit:
    """Work on a run and say so. DONE: there is nothing more to do; STOPPED: by a signal, or by trouble that
    may pass; ERROR: nobody can work there."""

    def say(sentence: str) -> None:
        if not is_quiet:
            print(clean(sentence), flush=True)

    say(f"Joining run {run.id} in {order.place}.")
    try:
        outcome, code = work_on(order, run, open_view(sys.stdout, is_quiet=not is_shown), signals)
    except WorkerError as error:
        if error.is_transient:
            say(str(error))
            return Exit.STOPPED
        print(f"tenax: {clean(str(error))}", file=sys.stderr, flush=True)
        return Exit.ERROR
    say(_format_part(outcome, is_stopped=code is Exit.STOPPED))
    return code


def work_on(
    order: WorkerTask,
    run: Run,
    view: ProgressView,
    signals: Sequence[signal.Signals] = (*STOP_SIGNALS, ORPHANED),
) -> tuple[SupervisorResult, Exit]:
    """Until the run is over, or nothing is left in it for now: DONE; or a signal comes: STOPPED. The process
    must have no other thread. Raises WorkerError where nobody can work."""
    observer = CrawlObserver(view, order.place)
    processes = order.settings.worker.processes or count_cores()
    supervisor = Supervisor(order, processes, observer, run, signals)
    try:
        with contextlib.closing(view):
            outcome = supervisor.run()
    except ForcedStop:
        observer.quit()
    observer.publish(outcome.progress, outcome.tally)
    return outcome, Exit.STOPPED if supervisor.is_stopped else Exit.DONE


def _quit() -> None:
    os._exit(Exit.QUIT)


def _format_part(outcome: SupervisorResult, *, is_stopped: bool) -> str:
    run_id = outcome.ended.run.id
    pages = f"{count_of(outcome.tally.pages, 'page')} in {format_duration(outcome.progress.elapsed_s)}"
    if outcome.ended.state is RunState.PAUSED:
        return f"Run {run_id} is paused; {pages} from here."
    if outcome.ended.is_run_over:
        return f"Run {run_id} is over; {pages} from here."
    if is_stopped:
        return f"Left run {run_id}; {pages} from here. It stays open for whoever comes."
    return f"Nothing is left in run {run_id} for now; {pages} from here."
