"""`make dev` starts the server again when its source has changed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from tests.support.crawler import wait_until
from tests.support.processes import is_running
from tests.support.servers import find_free_port

ROOT = Path(__file__).resolve().parents[2]
GUARD_S = 90.0


class Dev:
    """Runs it on a source of the test's own, without the dashboard."""

    def __init__(self, folder: Path) -> None:
        self.source = folder / "src"
        self.source.mkdir()
        (self.source / "module.py").touch()
        self._output = folder / "output"
        options = ("--data", folder / "crawl", "--watch", self.source, "--port", str(find_free_port()))
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tools.dev", "--no-dashboard", *options],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def count(self, words: str) -> int:
        return self._output.read_text().count(words)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + GUARD_S
        while not condition():
            assert time.monotonic() < deadline, self._output.read_text()
            time.sleep(0.05)


@pytest.fixture
def dev(tmp_path: Path) -> Iterator[Dev]:
    running = Dev(tmp_path)
    yield running
    if running.process.poll() is None:
        os.killpg(running.process.pid, signal.SIGTERM)
        running.process.wait(GUARD_S)


def test_a_change_starts_the_server_again_and_its_end_ends_all(dev: Dev) -> None:
    dev.wait_until(lambda: dev.count("Serving ") == 1)
    (dev.source / "another.py").touch()
    dev.wait_until(lambda: dev.count("Serving ") == 2)
    assert dev.count("The source has changed") == 1
    started = psutil.Process(dev.process.pid).children(recursive=True)
    assert started
    dev.process.terminate()
    assert dev.process.wait(GUARD_S) == 0
    wait_until(lambda: not any(is_running(each.pid) for each in started), "all are gone", GUARD_S)
