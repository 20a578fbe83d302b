"""Works on one run after the other, as they come up in a store: what `tenax worker` does."""

import contextlib
import os
import sys

from tenax.cli.exits import Exit
from tenax.cli.live import open_view
from tenax.cli.render import clean, count_of, format_duration
from tenax.cli.session import Onlooker, calm_memory
from tenax.config import Settings, join_settings, parse_ordered
from tenax.errors import WorkerError
from tenax.records import RunState
from tenax.runtime import check_settings
from tenax.stores.base import LastRun
from tenax.stores.place import Place
from tenax.workers.child import Order
from tenax.workers.cores import count_cores
from tenax.workers.process import signals_held_back
from tenax.workers.supervisor import Outcome, Quit, Supervisor
from tenax.workers.waiting import LONGEST_PAUSE_S, Waiting


class Shift:
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
        self._waiting = Waiting(
            place,
            until_idle=until_idle,
            longest_pause_s=longest_pause_s,
            say=self._say,
            leave_at_once=_quit,
        )

    def run(self) -> Exit:
        """Until it is told to stop, or nothing is under way and that is enough."""
        calm_memory()
        # A signal that comes between two runs is heard by whoever listens next.
        with signals_held_back():
            while (found := self._waiting.find()) is not None:
                if self._work(found):
                    return Exit.STOPPED
        return Exit.STOPPED if self._waiting.is_stopped else Exit.DONE

    def _work(self, found: LastRun) -> bool:
        """Until the run is over, or there is nothing left in it for now; says whether it was told to stop."""
        settings = join_settings(parse_ordered(found.settings_json), self._own, {})
        check_settings(settings)
        self._say(f"Joining run {found.run.id} in {self._place}.")
        view = open_view(sys.stdout, is_quiet=self._is_quiet)
        onlooker = Onlooker(view, self._place)
        order = Order(place=self._place, settings=settings, reopens=False)
        processes = settings.worker.processes or count_cores()
        supervisor = Supervisor(order, processes, onlooker, found.run)
        try:
            with contextlib.closing(view):
                outcome = supervisor.run()
        except Quit:
            onlooker.quit()
        except WorkerError as error:
            if supervisor.is_stopped or not error.is_transient:
                raise
            self._say(str(error))
            self._waiting.put_off()
        else:
            onlooker.publish(outcome.progress, outcome.tally)
            self._say(_format_part(outcome, is_stopped=supervisor.is_stopped))
            self._waiting.leave(found.run.id)
        return supervisor.is_stopped

    def _say(self, sentence: str) -> None:
        if not self._is_quiet:
            print(clean(sentence), flush=True)


def _quit() -> None:
    os._exit(Exit.QUIT)


def _format_part(outcome: Outcome, *, is_stopped: bool) -> str:
    run_id = outcome.ended.run.id
    pages = f"{count_of(outcome.tally.pages, 'page')} in {format_duration(outcome.progress.elapsed_s)}"
    if outcome.ended.state is RunState.PAUSED:
        return f"Run {run_id} is paused; {pages} from here."
    if outcome.ended.is_run_over:
        return f"Run {run_id} is over; {pages} from here."
    if is_stopped:
        return f"Left run {run_id}; {pages} from here, and others go on with it."
    return f"Nothing is left in run {run_id} for now; {pages} from here."
