"""The states of a job: which may follow which, and which actions a user may take. Pure."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from tenax.records.jobs import JobState

PENDING, SCHEDULED, RUNNING = JobState.PENDING, JobState.SCHEDULED, JobState.RUNNING
COMPLETED, FAILED, PAUSED, CANCELLED = (
    JobState.COMPLETED,
    JobState.FAILED,
    JobState.PAUSED,
    JobState.CANCELLED,
)


class JobAction(StrEnum):
    """What a user can do with a job."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    FORCE_RUN = "force-run"


MOVES: Final[Mapping[JobState, frozenset[JobState]]] = {
    PENDING: frozenset({SCHEDULED, RUNNING, CANCELLED}),
    SCHEDULED: frozenset({RUNNING, PAUSED, CANCELLED}),
    # To scheduled: completed, with a next run; or it could not start yet. To pending: failed, to be retried.
    RUNNING: frozenset({COMPLETED, FAILED, CANCELLED, SCHEDULED, PENDING}),
    COMPLETED: frozenset({SCHEDULED}),
    FAILED: frozenset({PENDING}),
    PAUSED: frozenset({SCHEDULED, CANCELLED}),
    CANCELLED: frozenset(),
}

VALID_FROM: Final[Mapping[JobAction, tuple[JobState, ...]]] = {
    JobAction.PAUSE: (SCHEDULED,),
    JobAction.RESUME: (PAUSED,),
    JobAction.CANCEL: (SCHEDULED, RUNNING, PAUSED, PENDING),
    JobAction.RETRY: (FAILED,),
    JobAction.FORCE_RUN: (SCHEDULED,),
}

LEADS_TO: Final[Mapping[JobAction, JobState]] = {
    JobAction.PAUSE: PAUSED,
    JobAction.RESUME: SCHEDULED,
    JobAction.CANCEL: CANCELLED,
    JobAction.RETRY: PENDING,
    JobAction.FORCE_RUN: RUNNING,
}

_PARTICIPLES: Final[Mapping[JobAction, str]] = {
    JobAction.PAUSE: "paused",
    JobAction.RESUME: "resumed",
    JobAction.CANCEL: "cancelled",
    JobAction.RETRY: "retried",
    JobAction.FORCE_RUN: "run now",
}


_AGAIN: Final = "To crawl its source once more, create another job ('tenax jobs create SOURCE')."


def explain_refusal(action: JobAction, job_id: int, state: JobState) -> str | None:
    """Why the action is not possible in this state; None: it is."""
    allowed = VALID_FROM[action]
    if state in allowed:
        return None
    named = allowed[0] if len(allowed) == 1 else f"{', '.join(allowed[:-1])} or {allowed[-1]}"
    refusal = f"Job {job_id} is {state}: only a {named} job can be {_PARTICIPLES[action]}."
    is_wanted_again = state in (COMPLETED, CANCELLED) and action in (JobAction.RETRY, JobAction.FORCE_RUN)
    return f"{refusal} {_AGAIN}" if is_wanted_again else refusal
