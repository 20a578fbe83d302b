"""How a process learns that its parent is gone."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def signal_on_death_of(parent: int, number: signal.Signals) -> bool:
    """Have the system send this process a signal when its parent dies; only Linux does. False: it is dead
    already. The parent's thread that started this process counts as the parent."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    # Asked afterwards: whoever died before it was heard is no parent any more.
    return os.getppid() == parent
