"""The startup time of Tenax: CPU of `tenax --help`, and time to the first request of a crawl."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.crawlers import TENAX
from bench.process import run_command

ATTEMPTS = 3
TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Startup:
    help_cpu_s: float
    first_request_s: float


def measure_startup() -> Startup:
    """Measure the best of a few attempts; the first one warms the file cache."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        return Startup(
            help_cpu_s=min(_measure_help(work) for _ in range(ATTEMPTS)),
            first_request_s=min(_time_first_request(work / str(number)) for number in range(ATTEMPTS)),
        )


def _measure_help(work: Path) -> float:
    return run_command([TENAX, "--help"], stdout=work / "help.txt", stderr=work / "errors.txt").cpu_s


def _time_first_request(data: Path) -> float:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(TIMEOUT_S)
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        started = time.monotonic()
        process = subprocess.Popen(
            [TENAX, "crawl", url, "--data", data, "--allow-private", "--quiet"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            connection, _ = server.accept()
            with connection:
                connection.settimeout(TIMEOUT_S)
                connection.recv(1)
                return time.monotonic() - started
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
