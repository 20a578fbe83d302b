"""Works on the runs that a broker names: what `tenax worker --queue` does."""

import os
import signal
import sys

from tenax.config import Settings, load_settings
from tenax.errors import TenaxError
from tenax.exits import Exit
from tenax.jobs.dispatch.consumer import TaskConsumer
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.record import replace
from tenax.stores.layout import LOGS_NAME
from tenax.telemetry import configure_logging
from tenax.visible import clean, clean_lines
from tenax.workers.process import STOP_SIGNALS
from tenax.workers.subprocess import RunSubprocess, SubprocessTask, parse_task


def consume(task: SubprocessTask, settings: Settings) -> Exit:
    """Work until it is stopped."""
    configure_logging(task.place.folder / LOGS_NAME)

    def start_program(run_id: int) -> RunSubprocess:
        return RunSubprocess(replace(task, run_id=run_id), settings.worker.drain_s)

    def notify(message: str) -> None:
        if not task.is_quiet:
            print(clean(message), flush=True)

    inbox = TaskInbox(task.place)
    consumer = TaskConsumer(settings.dispatch, inbox, start_program, places=settings.worker.runs, say=notify)
    _handle_signals(consumer)
    consumer.run()
    return Exit.STOPPED


def _handle_signals(consumer: TaskConsumer) -> None:
    signals = 0

    def handle(number: int, frame: object) -> None:
        nonlocal signals
        signals += 1
        if signals > 1:
            # The programs notice it and give everything back.
            os._exit(Exit.QUIT)
        consumer.stop()

    for number in STOP_SIGNALS:
        signal.signal(number, handle)


def main() -> Exit:
    """The task comes from the command line, which has checked its settings."""
    task, _ = parse_task(sys.stdin.buffer.read())
    try:
        return consume(task, load_settings(file=task.file, overrides=task.overrides))
    except TenaxError as error:
        print(f"tenax: {clean_lines(str(error))}", file=sys.stderr)
        return Exit.ERROR


if __name__ == "__main__":
    sys.exit(main())
