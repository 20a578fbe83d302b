"""A worker program that another process starts: see subprocess.py. It works on all runs of a store for a
server, or on one run for the consumer of a queue."""

import asyncio
import sys

from tenax.config.loading import load_settings
from tenax.config.settings import Settings
from tenax.errors import TenaxError
from tenax.exits import Exit
from tenax.runtime.runs import list_open_runs
from tenax.visible import clean_lines
from tenax.workers.daemon import QuietObserver, WorkerDaemon, build_task, work_on
from tenax.workers.run_processes import stop_with_parent
from tenax.workers.session import tune_memory
from tenax.workers.subprocess import SubprocessTask, parse_task
from tenax.workers.views import QuietView

LONGEST_PAUSE_S = 1.0  # a run that a server has opened starts within a second


def main() -> Exit:
    task, parent = parse_task(sys.stdin.buffer.read())
    stop_with_parent(parent)
    try:
        settings = load_settings(file=task.file, overrides=task.overrides)
        if task.run_id is not None:
            return work_on_one(task, task.run_id, settings)
        return WorkerDaemon(
            task.place, settings, QuietObserver(), until_idle=False, longest_pause_s=LONGEST_PAUSE_S
        ).run()
    except TenaxError as error:
        report(error, is_for_parent=task.run_id is not None)
        return Exit.ERROR


def work_on_one(task: SubprocessTask, run_id: int, own: Settings) -> Exit:
    active = {each.run.id: each for each in asyncio.run(list_open_runs(task.place))}
    found = active.get(run_id)
    if found is None:
        return Exit.DONE  # it has ended meanwhile
    tune_memory()
    _, code = work_on(build_task(task.place, own, found), found.run, QuietView())
    return code


def report(error: TenaxError, *, is_for_parent: bool) -> None:
    """A parent that waits for one run reads standard output."""
    if is_for_parent:
        print(error)
    else:
        print(f"tenax: {clean_lines(str(error))}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
