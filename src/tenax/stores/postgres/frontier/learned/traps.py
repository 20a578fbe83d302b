"""Clusters of urls in PostgreSQL. See stores/hot/learned/traps.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.traps import Trap
from tenax.records.urls import Priority
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_arrays, join_names
from tenax.stores.hot.columns import TRAPS
from tenax.stores.hot.learned.traps import (
    LIST_DECIDED,
    MERGE_TRAP,
    MOST_LOADED,
    NEW_TRAP_NAMES,
    TRAP_COLUMNS,
    TrapColumns,
    list_slowed,
    read_trap,
    trap_rows,
)
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

_LIST_DECIDED = to_postgres(LIST_DECIDED)
_LOAD_TRAPS = f"""
    SELECT w.domain_id, {join_names(TrapColumns._fields, "t.")}
    FROM unnest($1::bigint[]) AS w(domain_id)
    CROSS JOIN LATERAL (
        SELECT {TRAP_COLUMNS}
        FROM traps
        WHERE domain_id = w.domain_id
        ORDER BY CASE WHEN state = 'open' THEN 1 ELSE 0 END, last_seen_at DESC
        LIMIT {MOST_LOADED}
    ) t
"""
# In the order of the unique index, like all upserts: no two workers hold the same domain, but users decide.
_SAVE_TRAPS = f"""
    INSERT INTO traps AS t ({join_names(NEW_TRAP_NAMES)})
    SELECT *
    FROM unnest({join_arrays(NEW_TRAP_NAMES, TRAPS)})
    ON CONFLICT (domain_id, shape) DO UPDATE SET {MERGE_TRAP}
"""
_SLOW_URLS = f"""
    UPDATE urls
    SET priority = {int(Priority.SLOWED)}
    WHERE id = ANY($1::bigint[]) AND due_at IS NOT NULL
"""


async def load_traps(connection: Connection, domain_ids: Sequence[int]) -> dict[int, list[Trap]]:
    traps: dict[int, list[Trap]] = {}
    for domain_id, *values in await connection.fetch(_LOAD_TRAPS, domain_ids):
        traps.setdefault(domain_id, []).append(read_trap(values))
    return traps


async def list_decided(connection: Connection, worker_id: int) -> list[tuple[int, int, Trap]]:
    """(domain, version of its lease, cluster)"""
    rows = await connection.fetch(_LIST_DECIDED, worker_id)
    return [(row[0], row[1], read_trap(tuple(row)[2:])) for row in rows]


async def save_traps(connection: Connection, works: Sequence[DomainWork], wall: Instant) -> None:
    """Store what has changed in a batch, and let slowed urls come last."""
    if rows := sorted(trap_rows(works, wall), key=lambda row: row[:2]):
        await connection.execute(_SAVE_TRAPS, *to_arrays(rows))
    if slowed := list_slowed(works):
        await connection.execute(_SLOW_URLS, sorted(slowed))
