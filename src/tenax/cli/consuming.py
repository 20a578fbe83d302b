"""Works on the runs that a broker names: what `tenax worker --queue` does."""

import os
import signal
from pathlib import Path

from tenax.cli.crew import RunSubprocess, make_order
from tenax.cli.exits import Exit
from tenax.config import Settings, Values
from tenax.jobs.dispatch.consumer import TaskConsumer
from tenax.jobs.dispatch.inbox import TaskInbox
from tenax.stores.layout import LOGS_NAME
from tenax.stores.place import Place
from tenax.telemetry import configure_logging
from tenax.visible import clean
from tenax.workers.process import STOP_SIGNALS


def consume(
    place: Place,
    settings: Settings,
    *,
    places: int,
    file: Path | None,
    overrides: Values,
    is_quiet: bool,
) -> Exit:
    """Until it is told to stop."""
    configure_logging(place.folder / LOGS_NAME)

    def start_program(run_id: int) -> RunSubprocess:
        order = make_order(place, file=file, overrides=overrides, run_id=run_id)
        return RunSubprocess(order, settings.worker.drain_s)

    def report(sentence: str) -> None:
        if not is_quiet:
            print(clean(sentence), flush=True)

    consumer = TaskConsumer(
        settings.dispatch, TaskInbox(place), start_program, capacity=places, report=report
    )
    _obey_signals(consumer)
    consumer.run()
    return Exit.STOPPED


def _obey_signals(consumer: TaskConsumer) -> None:
    signals = 0

    def obey(number: int, frame: object) -> None:
        nonlocal signals
        signals += 1
        if signals > 1:
            # The crews hear of it, and give everything back.
            os._exit(Exit.QUIT)
        consumer.stop()

    for number in STOP_SIGNALS:
        signal.signal(number, obey)
