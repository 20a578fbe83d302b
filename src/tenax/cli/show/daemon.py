"""How `tenax worker` shows what it does."""

import sys

from tenax.cli.show.live import open_view
from tenax.cli.show.render import format_duration
from tenax.records.runs import RunState
from tenax.visible import clean
from tenax.wording import count_of
from tenax.workers.daemon import QuietObserver
from tenax.workers.supervisor import SupervisorResult
from tenax.workers.views import ProgressView


class ConsoleObserver(QuietObserver):
    """Shows every run that is joined and left, and the progress of one of them."""

    def notify(self, message: str) -> None:
        print(clean(message), flush=True)

    def report_part(self, result: SupervisorResult, *, is_stopped: bool) -> None:
        self.notify(format_part(result, is_stopped=is_stopped))

    def open_view(self, *, is_shown: bool) -> ProgressView:
        return open_view(sys.stdout, is_quiet=not is_shown)


def format_part(result: SupervisorResult, *, is_stopped: bool) -> str:
    run_id = result.ended.run.id
    pages = count_of(result.tally.pages, "page")
    fetched = f"fetched {pages} in {format_duration(result.progress.elapsed_s)} here"
    if result.ended.state is RunState.PAUSED:
        return f"Run {run_id} is paused; {fetched}."
    if result.ended.is_run_over:
        return f"Run {run_id} has ended; {fetched}."
    if is_stopped:
        return f"Left run {run_id}; {fetched}. It stays open for other workers."
    return f"No work left in run {run_id} for now; {fetched}."
