"""Ends a process whose event loop is blocked. A single worker has nobody else who could.

A thread looks whether the loop still turns. Code that never lets another thread run would stop that thread,
too; an alarm of the system, on the CPU time of the process, ends such a process.
"""

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from time import monotonic
from types import TracebackType
from typing import Self

from tenax.exits import Exit
from tenax.policy.stalls import add_silence
from tenax.telemetry import log

EVERY_S = 1.0
LOG_S = 2.0
FRAMES_SHOWN = 12
# The system ends the process with SIGPROF then: twice the time, so that the thread comes first if it can.
ALARM_FACTOR = 2.0
SHOW_CURSOR = "\x1b[?25h"  # a live view hides it, and cannot be closed any more


class LoopGuard:
    """Guards the thread that enters it, which must call `beat` several times a second."""

    def __init__(
        self,
        blocked_s: float,
        note_exit: Callable[[int], None],
        quit: Callable[[int], None] = os._exit,
    ) -> None:
        """`note_exit`: called with the exit code, for those who find the process dead."""
        self._blocked_s = blocked_s
        self._every_s = min(EVERY_S, blocked_s / 4)
        self._note_exit = note_exit
        self._quit = quit
        self._beats = 0
        self._left_s: float | None = None  # until the process has to be gone
        self._code = Exit.INTERNAL
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="loop-guard", daemon=True)
        self._guarded = threading.get_ident()

    def __enter__(self) -> Self:
        self._set_alarm()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        signal.setitimer(signal.ITIMER_PROF, 0.0)

    def beat(self) -> None:
        self._beats += 1

    def exit_within(self, seconds: float, code: Exit) -> None:
        """The process is about to end by itself: make sure that it does."""
        self._code = code
        self._left_s = seconds

    def _watch(self) -> None:
        beats, silent_s, looked_s = -1, 0.0, monotonic()
        while not self._over.wait(self._every_s):
            self._set_alarm()
            now = monotonic()
            passed_s, looked_s = add_silence(0.0, now - looked_s, self._every_s), now
            silent_s = silent_s + passed_s if self._beats == beats else 0.0
            beats = self._beats
            if silent_s >= self._blocked_s:
                self._end(Exit.BLOCKED, f"The event loop has been blocked for {silent_s:.0f} s.")
                return
            if self._left_s is not None:
                self._left_s -= passed_s
                if self._left_s <= 0:
                    self._end(self._code, "The worker could not end in time.")
                    return

    def _set_alarm(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, ALARM_FACTOR * self._blocked_s)

    def _end(self, code: Exit, sentence: str) -> None:
        with contextlib.suppress(ValueError):  # the notes are closed
            self._note_exit(code)
        # In a thread of its own: the blocked one may hold a lock of the log.
        reporting = threading.Thread(target=self._report, args=(code, sentence), daemon=True)
        reporting.start()
        reporting.join(LOG_S)
        self._quit(code)

    def _report(self, code: Exit, sentence: str) -> None:
        stack = list_frames(self._guarded)
        where = f" It is in {stack[-1]}." if stack else ""
        log.error("worker_ends_itself", code=int(code), reason=sentence, stack=stack)
        cursor = SHOW_CURSOR if os.isatty(2) else ""
        message = f"{cursor}tenax: {sentence}{where} The process ends itself (exit code {int(code)}).\n"
        os.write(2, message.encode())


def list_frames(thread: int) -> list[str]:
    """Where a thread is, outermost first."""
    frame = sys._current_frames().get(thread)
    found = traceback.extract_stack(frame) if frame is not None else []
    return [f"{each.name} ({each.filename}:{each.lineno})" for each in found[-FRAMES_SHOWN:]]
