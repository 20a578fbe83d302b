"""The thread that ends a process whose event loop is blocked."""

import signal
import subprocess
import sys
import time

from tenax.crawl.worker.loop_guard import LoopGuard
from tenax.exits import Exit

PROGRAM = """
import time
from tenax.crawl.worker.loop_guard import LoopGuard

def do_nothing_forever():
    {blocked}

with LoopGuard(1.0, print):
    do_nothing_forever()
"""


def run_blocked(blocked: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, "-c", PROGRAM.format(blocked=blocked)]
    return subprocess.run(program, capture_output=True, text=True, timeout=120, check=False)


def test_a_thread_that_sleeps_forever_is_ended_and_named() -> None:
    ended = run_blocked("time.sleep(600)")
    assert ended.returncode == Exit.BLOCKED
    assert "The event loop has been blocked" in ended.stderr
    assert "do_nothing_forever" in ended.stderr


def test_a_thread_that_computes_forever_is_ended() -> None:
    assert run_blocked("while True: pass").returncode == Exit.BLOCKED


def test_code_that_lets_no_other_thread_run_is_ended_by_the_system() -> None:
    # One call of C code that holds the interpreter's lock for minutes.
    ended = run_blocked("int('7') ** 10**9")
    assert ended.returncode in (Exit.BLOCKED, -signal.SIGPROF)


def test_a_loop_that_turns_is_left_alone() -> None:
    codes: list[int] = []
    with LoopGuard(1.0, codes.append, quit=codes.append) as guard:
        for _ in range(20):
            guard.beat()
            time.sleep(0.1)
    assert codes == []


def test_a_process_that_does_not_end_in_time_is_ended() -> None:
    codes: list[int] = []
    with LoopGuard(60.0, codes.append, quit=codes.append) as guard:
        guard.exit_within(0.5, Exit.MEMORY)
        deadline = time.monotonic() + 60
        while len(codes) < 2 and time.monotonic() < deadline:
            guard.beat()
            time.sleep(0.05)
    assert codes == [Exit.MEMORY, Exit.MEMORY]


def test_the_alarm_is_off_afterwards() -> None:
    with LoopGuard(1.0, print):
        time.sleep(0.6)
    assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
