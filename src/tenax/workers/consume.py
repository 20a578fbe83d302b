"""Works on the runs that a broker names: what `tenax worker --queue` does."""

import os
import signal

from tenax.config.settings import Settings
from tenax.exits import Exit
from tenax.jobs.dispatch.consumer import TaskConsumer
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.record import replace
from tenax.stores.layout import LOGS_NAME
from tenax.telemetry import configure_logging
from tenax.visible import clean
from tenax.workers.process import STOP_SIGNALS
from tenax.workers.subprocess import RunSubprocess, SubprocessTask


def consume(task: SubprocessTask, settings: Settings, *, is_quiet: bool) -> Exit:
    """Work until it is stopped. `task`: for the programs that work on the runs."""
    configure_logging(task.place.folder / LOGS_NAME)

    def start_program(run_id: int) -> RunSubprocess:
        return RunSubprocess(replace(task, run_id=run_id), settings.worker.drain_s)

    def notify(message: str) -> None:
        if not is_quiet:
            print(clean(message), flush=True)

    inbox = TaskInbox(task.place)
    consumer = TaskConsumer(
        settings.dispatch, inbox, start_program, capacity=settings.worker.runs, report=notify
    )
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
