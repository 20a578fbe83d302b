"""A worker process as its supervisor sees it: forked, queried, stopped and reaped."""

import contextlib
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from tenax.exits import describe_exit
from tenax.workers.messages import END_RUN, REQUEST, REQUEST_WITH_STORE, WorkerProcessReport, parse_report

STOP_SIGNALS: tuple[signal.Signals, ...] = (signal.SIGINT, signal.SIGTERM)
# The system sends it for each thread of a parent that dies: however often it arrives, it means one stop.
ORPHANED = signal.SIGUSR2
READ_BYTES = 65_536

Work = Callable[[socket.socket], int]  # returns the exit code


class WorkerProcess:
    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self.channel = channel
        self.channel.setblocking(False)
        self.report: WorkerProcessReport | None = None  # the newest
        self._received = b""

    def request_report(self, *, at_store: bool) -> None:
        """Request a report without waiting for a worker whose buffer is full."""
        with contextlib.suppress(OSError):
            self.channel.send(REQUEST_WITH_STORE if at_store else REQUEST)

    def receive(self) -> bool:
        """Read what it has sent. False: the process is gone."""
        try:
            data = self.channel.recv(READ_BYTES)
        except BlockingIOError:
            return True
        except ConnectionError:
            data = b""
        *lines, self._received = (self._received + data).split(b"\n")
        if lines:
            self.report = parse_report(lines[-1])
        return bool(data)

    def stop(self, *, ends_run: bool) -> None:
        """Let it finish its requests, save everything and exit; it can still report. `ends_run`: the last
        worker to leave the run ends it."""
        with contextlib.suppress(OSError):
            if ends_run:
                self.channel.send(END_RUN)
            self.channel.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def reap(self) -> int:
        """Wait for its exit, which is imminent, and return its code; negative: the signal that killed it."""
        self.channel.close()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def describe_death(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else describe_exit(code)


def fork_worker(work: Work, siblings: Iterable[WorkerProcess]) -> WorkerProcess:
    """Fork a process that works and exits. The caller must have one thread only: others would be missing in
    the child."""
    ours, theirs = socket.socketpair()
    with signals_blocked():
        pid = os.fork()
        if not pid:
            # A child that kept these open would keep its siblings from noticing the supervisor's death.
            for channel in (ours, *(sibling.channel for sibling in siblings)):
                channel.close()
            _become_worker(work, theirs)
    theirs.close()
    return WorkerProcess(pid, ours)


@contextlib.contextmanager
def signals_blocked() -> Iterator[None]:
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _become_worker(work: Work, channel: socket.socket) -> NoReturn:
    code = 1
    try:
        # Ctrl-C reaches the whole process group: the supervisor handles it and stops its workers.
        signal.set_wakeup_fd(-1)
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        code = work(channel)
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        # Skip the supervisor's exit handlers: they must not run twice.
        os._exit(code)
    raise AssertionError
