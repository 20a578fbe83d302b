"""A deadline for the code of a parser: a signal that raises in it. Code that blocks in native code does not
notice; its process is ended from outside.
"""

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from tenax.items.running import TookTooLong

AGAIN_S = 0.5  # code that catches everything is interrupted once more


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise TookTooLong inside after so many seconds. Only in the main thread."""
    # Set each time: the code of another parser may have changed it.
    signal.signal(signal.SIGALRM, _on_alarm)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGALRM})
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _on_alarm(number: int, frame: FrameType | None) -> None:
    raise TookTooLong
