"""Programs that use `tenax.Crawler`, as separate processes that tests interrupt and kill."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.support.crawler import DEADLINE_S, UNPROBED
from tests.support.processes import is_running

# How programs reach a test web.
LOCAL = {"TENAX_FETCH__ALLOW_PRIVATE": "true", "TENAX_FETCH__RESOLVE": '["*:127.0.0.1"]', **UNPROBED}

# Prints key, change and cursor of each item. OPTIONS stands for its seeds and options, as JSON in quotes.
PROGRAM = """
import json
import tenax

given = json.loads(OPTIONS)
crawler = tenax.Crawler(*given.pop("seeds"), **given)

@crawler.page("/p/*")
def product(page):
    yield {"title": page.title}

for item in crawler.run():
    print(json.dumps([item.key, item.change, item.cursor]), flush=True)
"""


class RunningProgram:
    """In a session of its own: a signal to its group does not reach the test."""

    def __init__(self, folder: Path, script: str, command: Sequence[str] | None = None) -> None:
        """`command`: what runs it, in the folder of `program.py`; None: Python."""
        folder.mkdir(parents=True, exist_ok=True)
        self.started_at = time.monotonic()
        self._outputs = [folder / f"{time.time_ns()}.{name}" for name in ("stdout", "stderr")]
        path = folder / "program.py"
        path.write_text(script)
        with self._outputs[0].open("wb") as stdout, self._outputs[1].open("wb") as stderr:
            self._popen = subprocess.Popen(
                command or [sys.executable, str(path)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                env={**os.environ, **LOCAL},
                start_new_session=True,
            )
        self.pid = self._popen.pid
        self._seen: dict[int, psutil.Process] = {}

    @property
    def stdout(self) -> str:
        return self._outputs[0].read_text()

    @property
    def stderr(self) -> str:
        return self._outputs[1].read_text()

    @property
    def lines(self) -> list[Any]:
        """What it has printed, as JSON; the last line may be half written."""
        whole, _, _ = self.stdout.rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def list_processes(self) -> list[psutil.Process]:
        """All processes that it has started and that are alive, those that have lost their parent included:
        call this once while it is alive."""
        with contextlib.suppress(psutil.NoSuchProcess):
            self._seen |= {each.pid: each for each in psutil.Process(self.pid).children(recursive=True)}
        return [each for each in self._seen.values() if each.is_running() and is_running(each.pid)]

    def send_to_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    def send(self, number: signal.Signals) -> None:
        self._popen.send_signal(number)

    def wait(self, timeout_s: float = DEADLINE_S) -> int:
        """The exit code; negative: the signal that killed it."""
        try:
            return self._popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.send_to_group(signal.SIGKILL)
            raise AssertionError(f"still running after {timeout_s} s; it said: {self.stderr}") from None

    def kill_group(self) -> int:
        self.send_to_group(signal.SIGKILL)
        return self.wait()
