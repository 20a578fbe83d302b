"""A PostgreSQL server for tests: started once per process of the test run, with a database per test.

TENAX_TEST_POSTGRES=postgresql://… sets another server. On a machine without PostgreSQL the tests fail:
nothing is skipped.
"""

import atexit
import contextlib
import functools
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from tests.support.scratch import find_scratch

VARIABLE = "TENAX_TEST_POSTGRES"
START_S = 30.0
# Fast, but not safe against a power failure.
OPTIONS = (
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=200",
    "max_wal_size=128MB",
)


@functools.cache
def find_server() -> str:
    """The address of the server's default database."""
    given = os.environ.get(VARIABLE)
    if given:
        return given.rstrip("/")
    server = PostgresServer()
    server.start()
    atexit.register(server.close)
    return server.url


def find_programs() -> Path:
    """Find the programs of the newest installed version."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if (program := shutil.which("initdb")) is not None:
        found.append(Path(program).resolve().parent)
    assert found, f"PostgreSQL is not installed: apt-get install postgresql, or set {VARIABLE} to a server"
    return max(found, key=lambda path: int(path.parent.name) if path.parent.name.isdigit() else 0)


class PostgresServer:
    """A server that runs as another user if root runs the tests: PostgreSQL refuses to run as root."""

    def __init__(self, *options: str) -> None:
        self._programs = find_programs()
        self._folder = Path(tempfile.mkdtemp(prefix="tenax-postgres-", dir=find_scratch()))
        self._options = options or OPTIONS
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user = _become("postgres", "nobody") if os.geteuid() == 0 else []
        self.port = find_free_port()
        self.url = f"postgresql://tenax@127.0.0.1:{self.port}/postgres"
        self.give(self._folder)
        self._run("initdb", "--username=tenax", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C")

    def start(self) -> None:
        settings = (f"port={self.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=")
        arguments = [part for option in (*settings, *self._options) for part in ("-c", option)]
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                # It dies with its parent process, however that ends.
                ["setpriv", "--pdeathsig=QUIT", *self._as_user, str(self._programs / "postgres"), *arguments],
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + START_S
        while not self._is_ready():
            assert self._process.poll() is None, self.read_log()
            assert time.monotonic() < deadline, f"PostgreSQL did not start: {self.read_log()}"
            time.sleep(0.02)

    def give(self, folder: Path) -> None:
        """Let the server write to the folder."""
        if self._as_user:
            user = pwd.getpwnam(self._as_user[0].partition("=")[2])
            os.chown(folder, user.pw_uid, user.pw_gid)

    def stop_at_once(self) -> None:
        """Stop it like a crash does: nothing is written, sessions are cut."""
        self.send(signal.SIGQUIT)
        assert self._process is not None
        self._process.wait(START_S)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(number)

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to it and to the processes of its sessions."""
        assert self._process is not None
        for process in psutil.Process(self.pid).children():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        self.send(number)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self.send_all(signal.SIGCONT)
            self.stop_at_once()
        shutil.rmtree(self._folder, ignore_errors=True)

    def read_log(self) -> str:
        return (self._folder / "log").read_text()

    def _is_ready(self) -> bool:
        return self._run("pg_isready", "--host=127.0.0.1", f"--port={self.port}", is_checked=False) == 0

    def _run(self, program: str, *arguments: str, is_checked: bool = True) -> int:
        prefix = ["setpriv", *self._as_user] if self._as_user else []
        ended = subprocess.run(
            [*prefix, str(self._programs / program), *arguments],
            env=self._environment(),
            cwd="/",
            capture_output=True,
            text=True,
        )
        assert not is_checked or ended.returncode == 0, ended.stdout + ended.stderr
        return ended.returncode

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        return {**kept, "PGDATA": str(self._folder / "data"), "LC_ALL": "C"}


def _become(*names: str) -> list[str]:
    for name in names:
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return [f"--reuid={user.pw_name}", f"--regid={user.pw_gid}", "--clear-groups"]
    raise AssertionError(f"root cannot run PostgreSQL, and there is no user {' or '.join(names)}")


def find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
