"""Which runs go on and who may join them: the same for every database."""

from tenax.clock import Instant
from tenax.records import RunState

GOES_ON = (RunState.RUNNING, RunState.PAUSED)
UNDER_WAY = "state IN ('running', 'paused')"
# What is written from now on has a greater one.
LAST_ID = "coalesce((SELECT max(id) FROM {table}), 0)"


def may_join(state: RunState, cancelled_at: Instant | None, *, reopens: bool) -> bool:
    """`reopens`: also a run that others have closed meanwhile; never against the order of a person."""
    if state is RunState.PAUSED or cancelled_at is not None:
        return False
    return reopens or state is RunState.RUNNING
