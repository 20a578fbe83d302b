"""Shows the progress of long work on rows: a bar on a terminal, a line every few seconds elsewhere."""

import asyncio
import signal
import time
from typing import Protocol, TextIO

from tenax.cli.show.render import format_count

LINE_EVERY_S = 5.0


class StepView(Protocol):
    def show(self, step: str, noun: str, done: int, total: int | None) -> None:
        """`step` is a verb such as "Importing", `noun` its object; the numbers are rows. `total` may be an
        estimate; None: unknown."""
        ...

    def close(self) -> None: ...


def open_steps(stream: TextIO) -> StepView:
    return BarSteps(stream) if stream.isatty() else LineSteps(stream)


class LineSteps:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._next_s = time.monotonic() + LINE_EVERY_S

    def show(self, step: str, noun: str, done: int, total: int | None) -> None:
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + LINE_EVERY_S
            of_total = "" if total is None else f" of {format_count(total)}"
            print(f"{step} {noun}: {format_count(done)}{of_total} rows", file=self._stream, flush=True)

    def close(self) -> None:
        pass


class BarSteps:
    def __init__(self, stream: TextIO) -> None:
        # Imported late: it takes 50 ms, and only terminals need it.
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description:<20}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=Console(file=stream), transient=True)
        self._task = self._progress.add_task("", total=None)
        self._name = ""
        self._progress.start()

    def show(self, step: str, noun: str, done: int, total: int | None) -> None:
        name = f"{step} {noun}"
        if name != self._name:
            self._name = name
            self._progress.reset(self._task, description=name)
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._progress.stop()


def cancel_on_signals() -> None:
    """Cancel the running task on a stop signal. A transaction in progress is committed whole or not at
    all."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
