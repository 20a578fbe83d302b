"""Workers in PostgreSQL: joining a run, and what dead ones leave. See contracts/runs.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.workers import DeadWorker
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.run_states import (
    may_join,
)
from tenax.stores.hot.statements import (
    CONTINUE_RUN,
    COUNT_CRASH,
)
from tenax.stores.postgres.connection.protocol import Connection

_CONTINUE_RUN = to_postgres(CONTINUE_RUN)


_COUNT_CRASH = to_postgres(COUNT_CRASH)


async def can_join(connection: Connection, run_id: int, reopens: bool) -> bool:
    # Locked: the run cannot be closed or paused before the worker has joined.
    state, cancelled_at = await connection.fetchrow(
        "SELECT state, cancelled_at FROM runs WHERE id = $1 FOR UPDATE", run_id
    )
    return may_join(RunState(state), cancelled_at, reopens=reopens)


_INSERT_WORKER = """
    INSERT INTO workers (uuid, run_id, host, pid, lease_s, started_at, heartbeat_at)
    VALUES ($1, $2, $3, $4, $5, tenax_now(), $6)
    ON CONFLICT (uuid) DO UPDATE SET heartbeat_at = $6
    RETURNING id
"""


async def add_worker(
    connection: Connection, run_id: int, uuid: str, host: str, pid: int, lease_s: float, now: Instant
) -> int:
    await connection.execute(_CONTINUE_RUN, run_id)
    worker_id: int = await connection.fetchval(_INSERT_WORKER, uuid, run_id, host, pid, lease_s, now)
    return worker_id


_END_WORKER = """
    UPDATE workers
    SET ended_at = tenax_now(), is_buried = 1, exit_code = $2
    WHERE uuid = $1 AND ended_at IS NULL
    RETURNING id
"""


_FREE_DOMAINS = """
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        avail_at = CASE WHEN is_active = 1 THEN $3::float8 END,
        last_start_at = greatest(last_start_at, $2::float8),
        last_answer_at = greatest(last_answer_at, $2::float8)
    WHERE id = ANY(
        ARRAY(
            SELECT id
            FROM domains
            WHERE claimed_by = $1
            ORDER BY id
            FOR UPDATE
        )
    )
    RETURNING id
"""


async def remove_dead(connection: Connection, dead: Sequence[DeadWorker], now: Instant) -> int:
    freed = 0
    for worker in sorted(dead, key=lambda each: each.uuid):
        worker_id = await connection.fetchval(_END_WORKER, worker.uuid, worker.exit_code)
        if worker_id is None:
            continue
        if worker.reading_url_id is not None:
            await connection.execute(_COUNT_CRASH, worker.reading_url_id)
        # Its last request may not have been committed: the domain rests from its last sign of life.
        rows = await connection.fetch(_FREE_DOMAINS, worker_id, worker.last_alive_at, now)
        freed += len(rows)
    return freed
