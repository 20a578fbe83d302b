"""Workers in SQLite: joining a run, and what dead ones leave. See contracts/runs.py."""

from collections.abc import Sequence

from tenax.records.runs import RunState
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.hot.run_states import (
    may_join,
)
from tenax.stores.hot.statements import (
    CONTINUE_RUN,
    COUNT_CRASH,
)
from tenax.stores.sqlite.connection.database import Connection


def can_join(connection: Connection, run_id: int, reopens: bool) -> bool:
    state, cancelled_at = connection.execute(
        "SELECT state, cancelled_at FROM runs WHERE id = ?", (run_id,)
    ).fetchone()
    return may_join(RunState(state), cancelled_at, reopens=reopens)


_INSERT_WORKER = """
    INSERT INTO workers (uuid, run_id, host, pid, lease_s, started_at, heartbeat_at)
    VALUES (?, ?, ?, ?, ?, wall_s(), now_s())
    ON CONFLICT (uuid) DO UPDATE SET heartbeat_at = now_s()
    RETURNING id
"""


def add_worker(connection: Connection, run_id: int, uuid: str, host: str, pid: int, lease_s: float) -> int:
    connection.execute(CONTINUE_RUN, (run_id,))
    row = connection.execute(_INSERT_WORKER, (uuid, run_id, host, pid, lease_s)).fetchone()
    return int(row[0])


_FREE_DOMAINS = """
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        avail_at = CASE WHEN is_active = 1 THEN now_s() END,
        last_start_at = max(coalesce(last_start_at, 0), ?2),
        last_answer_at = max(coalesce(last_answer_at, 0), ?2)
    WHERE claimed_by = ?1
"""


_END_WORKER = "UPDATE workers SET ended_at = wall_s(), is_buried = 1, exit_code = ?2 WHERE id = ?1"


def remove_dead(connection: Connection, dead: Sequence[DeadWorker]) -> int:
    freed = 0
    for worker in dead:
        row = connection.execute(
            "SELECT id FROM workers WHERE uuid = ? AND ended_at IS NULL", (worker.uuid,)
        ).fetchone()
        if row is None:
            continue
        # Its last request may not have been committed: the domain rests from its last sign of life.
        freed += connection.execute(_FREE_DOMAINS, (row[0], worker.last_alive_at)).rowcount
        if worker.reading_url_id is not None:
            connection.execute(COUNT_CRASH, (worker.reading_url_id,))
        connection.execute(_END_WORKER, (row[0], worker.exit_code))
    return freed
