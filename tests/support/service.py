"""`tenax serve` as a separate process, and its administrator."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil  # type: ignore[import-untyped]

from tests.support.crawler import DEADLINE_S, Process, wait_until

NAME, PASSWORD = "root", "a password for the tests"
TIMEOUT_S = 60.0
LONGEST_PAUSE_S = 0.25  # 500 requests a minute are allowed


class Service:
    def __init__(self, folder: Path, *options: str, store: str | None = None, workers: int = 1) -> None:
        self.folder = folder
        self._options = (
            *("--data", str(folder), "--port", "0", "--workers", str(workers)),
            *("--resolve", "*:127.0.0.1", "--allow-private"),
            *(("--store", store) if store else ()),
            *options,
        )
        self._started: list[Process] = []

    def start(self, **environment: str) -> Process:
        process = Process(self._options, environment, self.folder.with_name("serve.outputs"), "serve")
        self._started.append(process)
        wait_until(lambda: "Serving" in process.stdout or not process.is_running, "it serves")
        assert process.is_running, process.stderr
        return process

    def close(self) -> None:
        for process in self._started:
            if process.is_running:
                process.kill()


def find_url(process: Process) -> str:
    found = re.search(r" at (http://\S+)", process.stdout)
    assert found is not None
    return found[1]


def open_client(process: Process) -> httpx.Client:
    return httpx.Client(base_url=find_url(process), timeout=TIMEOUT_S)


@contextlib.contextmanager
def set_up(process: Process) -> Iterator[httpx.Client]:
    """Become the first administrator, with the setup link that the server has printed."""
    token = re.search(r"#token=(\S+)", process.stdout)
    assert token is not None
    with open_client(process) as client:
        body = {"token": token[1], "name": NAME, "password": PASSWORD}
        yield _take_session(client, client.post("/api/v1/auth/setup", json=body))


@contextlib.contextmanager
def log_in(process: Process) -> Iterator[httpx.Client]:
    with open_client(process) as client:
        body = {"name": NAME, "password": PASSWORD}
        yield _take_session(client, client.post("/api/v1/auth/login", json=body))


def _take_session(client: httpx.Client, answer: httpx.Response) -> httpx.Client:
    assert answer.status_code == 200, answer.text
    client.headers["X-CSRF-Token"] = answer.json()["csrf_token"]
    return client


def wait_for(
    client: httpx.Client, path: str, condition: Callable[[Any], object], timeout_s: float = DEADLINE_S
) -> Any:
    """Poll until the response is as expected; returns it."""
    deadline = time.monotonic() + timeout_s
    pause_s = 0.05
    while True:
        answer = client.get(path)
        if answer.status_code == 200 and condition(answer.json()):
            return answer.json()
        assert time.monotonic() < deadline, f"{path} still says {answer.text[:1000]}"
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, LONGEST_PAUSE_S)


def list_children(process: Process) -> list[psutil.Process]:
    """The processes that the server has started."""
    return list(psutil.Process(process.pid).children())
