"""Runs one benchmark at a time: two would share the work directory and disturb each other."""

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bench.paths import WORK


@contextmanager
def take_turn() -> Iterator[None]:
    WORK.mkdir(parents=True, exist_ok=True)
    with (WORK / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another benchmark is running; waiting for it to end …", file=sys.stderr)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
