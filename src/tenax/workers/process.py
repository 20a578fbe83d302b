"""A worker process seen by its supervisor: how it is forked, asked, heard, stopped and buried."""

import contextlib
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import NoReturn

from tenax.workers.messages import ASK, ASK_WITH_STORE, END_RUN, WorkerProcessReport, parse_report

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# The system says so for each thread of a parent that dies: however often it comes, it means to stop once.
ORPHANED = signal.SIGUSR2
READ_BYTES = 65_536

Work = Callable[[socket.socket], None]


class WorkerProcess:
    def __init__(self, pid: int, channel: socket.socket) -> None:
        self.pid = pid
        self.channel = channel
        self.channel.setblocking(False)
        self.report: WorkerProcessReport | None = None  # its newest
        self._received = b""

    def ask(self, *, at_store: bool) -> None:
        """Ask for a report; one that cannot hear at the moment is not waited for."""
        with contextlib.suppress(OSError):
            self.channel.send(ASK_WITH_STORE if at_store else ASK)

    def hear(self) -> bool:
        """Take in what it has said; False: it is gone."""
        try:
            said = self.channel.recv(READ_BYTES)
        except BlockingIOError:
            return True
        except ConnectionError:
            said = b""
        *lines, self._received = (self._received + said).split(b"\n")
        if lines:
            self.report = parse_report(lines[-1])
        return bool(said)

    def stop(self, *, ends_run: bool) -> None:
        """It ends what runs, saves everything and leaves; until then it can be heard. `ends_run`: the last
        one that leaves the run ends it."""
        with contextlib.suppress(OSError):
            if ends_run:
                self.channel.send(END_RUN)
            self.channel.shutdown(socket.SHUT_WR)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def bury(self) -> str:
        """Wait for its end, which is near; says how it died."""
        self.channel.close()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return signal.Signals(-code).name if code < 0 else f"exit code {code}"


def fork_worker(work: Work, siblings: Iterable[WorkerProcess]) -> WorkerProcess:
    """Start a process that works and ends. This one must have no other thread: it would be missing there."""
    ours, theirs = socket.socketpair()
    with signals_held_back():
        pid = os.fork()
        if not pid:
            # A sibling that kept these open would not let the others hear the supervisor's death.
            for channel in (ours, *(sibling.channel for sibling in siblings)):
                channel.close()
            _become_worker(work, theirs)
    theirs.close()
    return WorkerProcess(pid, ours)


@contextlib.contextmanager
def signals_held_back() -> Iterator[None]:
    earlier = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, earlier)


def _become_worker(work: Work, channel: socket.socket) -> NoReturn:
    code = 1
    try:
        # Ctrl-C reaches the whole group: only the supervisor obeys it, and tells its workers.
        signal.set_wakeup_fd(-1)
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        work(channel)
        code = 0
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
    finally:
        # Nothing of what the supervisor had begun may be ended twice.
        os._exit(code)
    raise AssertionError
