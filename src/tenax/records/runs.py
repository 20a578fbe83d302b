"""States of a run."""

from enum import StrEnum


class RunState(StrEnum):
    RUNNING = "running"  # a process works on it, or died while doing so
    PAUSED = "paused"  # by a user; it continues when a user resumes it
    DONE = "done"  # no work was left
    BUDGET = "budget"  # the page budget of the run was used up
    STOPPED = "stopped"  # a user or the system asked it to stop
    FAILED = "failed"  # an error ended it
