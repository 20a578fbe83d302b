"""The processes of a machine that work on one run each, with workers of their own."""

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

from tenax.parent_death import signal_on_death_of
from tenax.workers.process import ORPHANED, STOP_SIGNALS

# Ctrl-C and service managers reach all processes of a machine: only the first handles it and stops the rest.
STOP_RUN_SIGNAL = signal.SIGUSR1


class RunProcesses:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._run_processes: dict[int, int] = {}  # process → run

    @property
    def runs(self) -> set[int]:
        """The runs that this machine works on."""
        return set(self._run_processes.values())

    @property
    def has_room(self) -> bool:
        return len(self._run_processes) < self._limit

    def start(self, run_id: int, work: Callable[[], int]) -> None:
        """Fork a process that exits with the code `work` returns. This one must have one thread only."""
        parent = os.getpid()
        # A child that got the signal before it has a handler would die of it.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [STOP_RUN_SIGNAL])
        pid = os.fork()
        if not pid:
            _become_run_process(parent, work)
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self._run_processes[pid] = run_id

    def reap(self) -> Iterator[tuple[int, int]]:
        """Yield the runs whose processes have exited, with the exit code; negative if one was killed."""
        for pid, run_id in list(self._run_processes.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._run_processes[pid]
                yield run_id, os.waitstatus_to_exitcode(status)

    def stop(self) -> None:
        """Stop all and wait for them. A second stop signal meanwhile makes them quit at once."""
        earlier = {number: signal.signal(number, self._signal_all) for number in STOP_SIGNALS}
        blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        try:
            self._signal_all()
            for pid in list(self._run_processes):
                os.waitpid(pid, 0)
                del self._run_processes[pid]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            for number, handler in earlier.items():
                signal.signal(number, handler)

    def _signal_all(self, number: int = signal.SIGTERM, frame: object = None) -> None:
        for pid in self._run_processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, STOP_RUN_SIGNAL)


def stop_with_parent(parent: int) -> None:
    """Have the system send ORPHANED when the parent dies; it is blocked until there is a handler. Only Linux
    does this: elsewhere this process outlives its parent."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [ORPHANED])
    if not signal_on_death_of(parent, ORPHANED):
        sys.exit(1)


def _become_run_process(parent: int, work: Callable[[], int]) -> NoReturn:
    code = 1
    try:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        stop_with_parent(parent)
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Skip the parent's exit handlers: they must not run twice.
        os._exit(code)
    raise AssertionError
