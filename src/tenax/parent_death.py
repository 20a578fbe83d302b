"""Notifies a process when its parent dies."""

import ctypes
import os
import signal
import sys

PR_SET_PDEATHSIG = 1


def signal_on_death_of(parent: int, number: signal.Signals) -> bool:
    """Have the system send this process a signal when its parent dies; only Linux supports this. Returns
    False if the parent is already dead. The parent is the thread that started this process."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    # Checked afterwards: a parent that died before the call sends no signal.
    return os.getppid() == parent


def outlive_parent() -> None:
    """Undo that: this process notices the end of its parent by itself."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, 0)
