"""A Redis server for one test, which may flush, kill, stop and restart it.

    with RedisServer() as redis:
        crawl(data, seeds, redis={"url": redis.url})
        redis.ask("FLUSHALL")

Tests that only need any Redis use `find_redis()`: TENAX_TEST_REDIS if it is set.
"""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from types import TracebackType
from typing import Any, Self

import hiredis

START_S = 20.0


class RedisServer:
    def __init__(self, *options: str, password: str | None = None) -> None:
        self._options = (*options, "--requirepass", password) if password else options
        self._password = password
        self.port = _find_free_port()
        self.url = f"redis://{f':{password}@' if password else ''}127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="tenax-test-redis-")
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()
        self._folder.cleanup()

    def start(self) -> None:
        program = shutil.which("redis-server")
        assert program, "redis-server is not installed: run `make test`, or set TENAX_TEST_REDIS"
        fixed = ("--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self._folder.name)
        self._process = subprocess.Popen(
            [program, *fixed, *self._options], stdout=subprocess.DEVNULL, start_new_session=True
        )
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert time.monotonic() < deadline, "redis-server did not start"
            time.sleep(0.01)

    def kill(self) -> None:
        """Safe to repeat."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Make it accept connections but send nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def ask(self, *words: str | bytes | float) -> Any:
        return ask(self.port, *words, password=self._password)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def _answers(self) -> bool:
        try:
            self.ask("PING")
            return True
        except OSError:
            return False


def ask(port: int, *words: str | bytes | float, password: str | None = None) -> Any:
    commands = [("AUTH", password), words] if password else [words]
    reader = hiredis.Reader()
    with socket.create_connection(("127.0.0.1", port), 5) as connection:
        for command in commands:
            connection.sendall(hiredis.pack_command(command))  # type: ignore[arg-type]
            while (reply := reader.gets()) is False:
                if not (data := connection.recv(65536)):
                    raise ConnectionError("the server left")
                reader.feed(data)
    return reply


@contextlib.contextmanager
def find_redis() -> Iterator[str]:
    """The URL of a Redis that may contain other keys."""
    if given := os.environ.get("TENAX_TEST_REDIS"):
        yield given
        return
    with RedisServer() as server:
        yield server.url


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
