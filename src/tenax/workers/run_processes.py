"""The hands of a machine: processes that work on one run each, side by side, each with its own workers."""

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

from tenax.parent_death import signal_on_death_of
from tenax.workers.process import ORPHANED, STOP_SIGNALS

# Ctrl-C and service managers reach all processes of a machine: only its first one obeys, and tells its hands.
HAND_SIGNAL = signal.SIGUSR1


class RunProcesses:
    def __init__(self, most: int) -> None:
        self._most = most
        self._run_processes: dict[int, int] = {}  # process → run

    @property
    def runs(self) -> set[int]:
        """What it is at."""
        return set(self._run_processes.values())

    @property
    def has_room(self) -> bool:
        return len(self._run_processes) < self._most

    def set_to_work(self, run_id: int, work: Callable[[], int]) -> None:
        """In a process of its own, which ends with what `work` returns. This one has no other thread."""
        parent = os.getpid()
        # A hand that is told to stop before it listens would die of it.
        held_back = signal.pthread_sigmask(signal.SIG_BLOCK, [HAND_SIGNAL])
        pid = os.fork()
        if not pid:
            _become_hand(parent, work)
        signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
        self._run_processes[pid] = run_id

    def reap(self) -> Iterator[tuple[int, int]]:
        """The runs of hands that have ended since, each with the code; of a killed one it is negative."""
        for pid, run_id in list(self._run_processes.items()):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                del self._run_processes[pid]
                yield run_id, os.waitstatus_to_exitcode(status)

    def stop(self) -> None:
        """Have all end what they do, and wait for them. Told to stop again meanwhile, they quit at once."""
        earlier = {number: signal.signal(number, self._tell) for number in STOP_SIGNALS}
        held_back = signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP_SIGNALS)
        try:
            self._tell()
            for pid in list(self._run_processes):
                os.waitpid(pid, 0)
                del self._run_processes[pid]
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, held_back)
            for number, handler in earlier.items():
                signal.signal(number, handler)

    def _tell(self, number: int = signal.SIGTERM, frame: object = None) -> None:
        for pid in self._run_processes:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, HAND_SIGNAL)


def end_with(parent: int) -> None:
    """Have the system tell of the parent's death, once somebody listens for it; only Linux does, elsewhere
    this process goes on."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [ORPHANED])
    if not signal_on_death_of(parent, ORPHANED):
        sys.exit(1)


def _become_hand(parent: int, work: Callable[[], int]) -> NoReturn:
    code = 1
    try:
        for number in STOP_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        end_with(parent)
        code = work()
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        # Nothing of what the parent had begun may be ended twice.
        os._exit(code)
    raise AssertionError
