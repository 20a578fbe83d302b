"""A RabbitMQ server for tests: started once per process of the test run; tests may kill and restart it.

TENAX_TEST_RABBITMQ=amqp://… sets another broker for tests that do not kill it. On a machine without RabbitMQ
the tests fail: nothing is skipped.
"""

import atexit
import functools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from tests.support.scratch import find_scratch
from tests.support.servers import find_free_port

VARIABLE = "TENAX_TEST_RABBITMQ"
START_S = 60.0


@functools.cache
def find_broker() -> str:
    """The address of a broker that may have other queues and messages."""
    given = os.environ.get(VARIABLE)
    return given if given else find_own_broker().url


@functools.cache
def find_own_broker() -> "RabbitServer":
    """A broker that tests may kill; it is up when a test starts and must be up when the test ends."""
    server = RabbitServer()
    atexit.register(server.close)
    server.start()
    return server


def find_script() -> Path:
    """Find the script. The one in /usr/sbin switches to the user rabbitmq, who may not write to our
    folder."""
    found = sorted(Path("/usr/lib/rabbitmq").glob("lib/*/sbin/rabbitmq-server"))
    if not found and (program := shutil.which("rabbitmq-server")) is not None:
        found = [Path(program)]
    assert found, f"RabbitMQ is not installed: apt-get install rabbitmq-server, or set {VARIABLE} to a broker"
    return found[-1]


class RabbitServer:
    def __init__(self) -> None:
        self._script = find_script()
        self._folder = Path(tempfile.mkdtemp(prefix="tenax-rabbitmq-", dir=find_scratch()))
        self._processes: list[subprocess.Popen[bytes]] = []
        self.port = find_free_port()
        self._epmd_port = find_free_port()
        self._dist_port = find_free_port()
        self.url = f"amqp://guest:guest@127.0.0.1:{self.port}//"
        (self._folder / "home").mkdir()
        (self._folder / "plugins").write_text("[].")
        (self._folder / "rabbitmq.conf").write_text("log.console = false\n")

    def start(self) -> None:
        """Start it. Durable queues and their messages from before exist again."""
        programs = Path(shutil.which("epmd") or "/usr/bin/epmd")
        # Its own epmd, which would otherwise be started by the first node and outlive all tests.
        self._spawn([str(programs), "-address", "127.0.0.1", "-port", str(self._epmd_port)])
        self._spawn([str(self._script)])
        deadline = time.monotonic() + START_S
        while not self._answers():
            assert self._processes[-1].poll() is None, self.read_log()
            assert time.monotonic() < deadline, f"RabbitMQ did not start: {self.read_log()}"
            time.sleep(0.05)

    def kill(self) -> None:
        """Kill it, like a power failure does; safe to repeat."""
        self._signal(signal.SIGKILL)
        for process in self._processes:
            process.wait(START_S)
            assert process.stdin is not None
            process.stdin.close()
        self._processes.clear()

    def pause(self) -> None:
        """Make it accept connections but send nothing."""
        self._signal(signal.SIGSTOP)
        for process in self._processes:
            wait_for_stop(process.pid)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def read_log(self) -> str:
        return "\n".join(path.read_text() for path in self._folder.glob("log/*.log"))

    def _spawn(self, command: list[str]) -> None:
        with (self._folder / "out").open("ab") as out:
            self._processes.append(
                subprocess.Popen(
                    # It dies with its parent process, however that ends.
                    ["setpriv", "--pdeathsig=KILL", *command],
                    env=self._environment(),
                    stdin=subprocess.PIPE,  # at its end the virtual machine stops
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
            )

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes:
            process.send_signal(number)

    def _answers(self) -> bool:
        """Whether it responds: a broker that only listens has not finished starting."""
        try:
            with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                connection.settimeout(1)
                connection.sendall(b"AMQP\x00\x00\x09\x01")
                return bool(connection.recv(1))
        except OSError:
            return False

    def _environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("RABBITMQ_")}
        folder = self._folder
        return {
            **kept,
            "HOME": str(folder / "home"),  # of the cookie
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": f"tenax{self.port}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._dist_port),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
            "RABBITMQ_ADVANCED_CONFIG_FILE": str(folder / "advanced.config"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "environment"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 +sbwt none",
            # With input allowed, the process is the virtual machine itself, without a shell in between that
            # would receive the signals.
            "RABBITMQ_ALLOW_INPUT": "1",
        }


def wait_for_stop(pid: int) -> None:
    """Wait until the process has stopped: after the signal is sent, a thread on another core may still
    respond."""
    deadline = time.monotonic() + START_S
    while not all(read_state(each) == "T" for each in Path(f"/proc/{pid}/task").iterdir()):
        assert time.monotonic() < deadline, f"{pid} does not stop"
        time.sleep(0.001)


def read_state(task: Path) -> str:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:  # it ended between the list and this
        return "T"
