"""Why domains changed their status, in SQLite: rows of `domain_events`, in the change's transaction.

Instants are given by the store's clock and stored by the calendar.
"""

from collections.abc import Iterable

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainState, DomainStatus, Lease
from tenax.stores.hot.column_lists import EVENT_COLUMNS
from tenax.stores.sqlite.connection.database import Connection

# Events after this one that block a domain.
_LOG_BLOCKS = """
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT 0, e.at, 'domain_event', d.source_id, e.id
    FROM domain_events e
    JOIN domains d ON d.id = e.domain_id
    WHERE e.id > ? AND e.to_status = 'blocked'
    ORDER BY e.id
"""


def _find_last_event(connection: Connection) -> int:
    last_id: int = connection.execute("SELECT coalesce(max(id), 0) FROM domain_events").fetchone()[0]
    return last_id


_INSERT_TRANSITIONS = f"""
    INSERT INTO domain_events ({EVENT_COLUMNS})
    SELECT d.id, ? + drift_s(), ?, ?, ?, ?, w.run_id, w.id
    FROM domains d
    LEFT JOIN workers w ON w.id = d.claimed_by
    WHERE d.id = ? AND d.version = ?
"""


def save_transitions(connection: Connection, moved: Iterable[tuple[Lease, DomainState]]) -> None:
    """Store the transitions in these states, for leases that are still valid; before the leases are given
    back."""
    rows = [
        (each.at, each.from_status, each.to_status, each.cause, each.detail, lease.domain_id, lease.version)
        for lease, state in moved
        for each in state.transitions
    ]
    if rows:
        last_id = _find_last_event(connection)
        connection.executemany(_INSERT_TRANSITIONS, rows)
        connection.execute(_LOG_BLOCKS, (last_id,))


_INSERT_WAKES = f"""
    INSERT INTO domain_events ({EVENT_COLUMNS})
    SELECT id, ? + drift_s(), status, 'active', 'new_urls', 'more urls of it were found', NULL, NULL
    FROM domains
    WHERE id = ? AND status = 'exhausted'
"""


def add_wakes(connection: Connection, domain_ids: Iterable[int], now: Instant) -> None:
    """Record that exhausted domains become active, before new urls of these domains are counted."""
    connection.executemany(_INSERT_WAKES, [(now, domain_id) for domain_id in domain_ids])


_INSERT_STATUS_CHANGE = f"""
    INSERT INTO domain_events ({EVENT_COLUMNS})
    VALUES (?, ? + drift_s(), ?, ?, ?, ?, NULL, NULL)
"""


def add_status_change(
    connection: Connection,
    domain_id: int,
    statuses: tuple[DomainStatus, DomainStatus],
    cause: Cause,
    detail: str,
    now: Instant,
) -> None:
    """Record that a user or a refresh changes the status of the domain from one to the other."""
    last_id = _find_last_event(connection)
    connection.execute(_INSERT_STATUS_CHANGE, (domain_id, now, *statuses, cause, detail))
    connection.execute(_LOG_BLOCKS, (last_id,))
