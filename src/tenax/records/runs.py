"""States of a run."""

from enum import StrEnum


class RunState(StrEnum):
    RUNNING = "running"  # some process works on it, or died working on it
    PAUSED = "paused"  # a person holds it; it goes on when somebody resumes it
    DONE = "done"  # nothing was left to do
    BUDGET = "budget"  # the page budget of the run was used up
    STOPPED = "stopped"  # a person or the system asked it to stop
    FAILED = "failed"  # an error ended it
