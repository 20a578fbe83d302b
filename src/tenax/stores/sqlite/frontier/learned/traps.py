"""Clusters of urls in SQLite. See stores/hot/learned/traps.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.traps import Trap
from tenax.records.urls import Priority
from tenax.stores.contracts.batches import DomainWork
from tenax.stores.hot.column_lists import join_marks, join_names
from tenax.stores.hot.learned.traps import (
    LIST_DECIDED,
    LIST_TRAPS,
    MERGE_TRAP,
    MOST_LOADED,
    NEW_TRAP_NAMES,
    list_slowed,
    read_trap,
    trap_rows,
)
from tenax.stores.sqlite.connection.database import Connection

_SAVE_TRAPS = f"""
    INSERT INTO traps AS t ({join_names(NEW_TRAP_NAMES)})
    VALUES ({join_marks(NEW_TRAP_NAMES)})
    ON CONFLICT (domain_id, shape) DO UPDATE SET {MERGE_TRAP}
"""
_SLOW_URLS = f"UPDATE urls SET priority = {int(Priority.SLOWED)} WHERE id = ? AND due_at IS NOT NULL"


def load_traps(connection: Connection, domain_id: int) -> list[Trap]:
    return [read_trap(row) for row in connection.execute(LIST_TRAPS, (domain_id, MOST_LOADED))]


def list_decided(connection: Connection, worker_id: int) -> list[tuple[int, int, Trap]]:
    """(domain, version of its lease, cluster)"""
    rows = connection.execute(LIST_DECIDED, (worker_id,))
    return [(row[0], row[1], read_trap(row[2:])) for row in rows]


def save_traps(connection: Connection, works: Sequence[DomainWork], wall: Instant) -> None:
    """Store what has changed in a batch, and let slowed urls come last."""
    connection.executemany(_SAVE_TRAPS, trap_rows(works, wall))
    connection.executemany(_SLOW_URLS, [(url_id,) for url_id in list_slowed(works)])
