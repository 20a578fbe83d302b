"""Ends runs from outside of their workers, and logs that in the same transaction. A run that its last worker
closes is logged by RunStore.
"""

from collections.abc import Sequence

from sqlalchemy import Connection, Update

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.change_log import LogTopic, add_to_log
from tenax.stores.schema.runs import runs


def end_runs(connection: Connection, chosen: Update, state: RunState, now: Instant) -> Sequence[int]:
    """End the runs that `chosen` updates; returns their ids."""
    ended = chosen.values(state=state, ended_at=now).returning(runs.c.id, runs.c.source_id)
    rows = connection.execute(ended).all()
    for row in rows:
        add_to_log(connection, LogTopic.RUN, row.source_id, row.id, now)
    return [row.id for row in rows]
