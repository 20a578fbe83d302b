"""Why domains changed their status, in PostgreSQL: rows of `domain_events`, in the change's transaction."""

from collections.abc import Collection, Iterable

from tenax.records.domains import Cause, DomainState, Lease
from tenax.stores.hot.column_lists import EVENT_COLUMNS
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import to_arrays

# The domains in the array are about to get new urls; the rows of `held` are locked, the exhausted ones become
# active.
INSERT_WAKES = f"""
    INSERT INTO domain_events ({EVENT_COLUMNS})
    SELECT id, tenax_now(), status, 'active', 'new_urls', 'more urls of it were found', NULL, NULL
    FROM {{held}}
    WHERE id = ANY({{ids}}::bigint[]) AND status = 'exhausted'
"""


_LOG_BLOCKS = """
    INSERT INTO change_log (xid, at, topic, source_id, subject_id)
    SELECT pg_current_xact_id()::text::bigint, a.at, 'domain_event', d.source_id, a.id
    FROM added a
    JOIN domains d ON d.id = a.domain_id
    WHERE a.to_status = 'blocked'
    ORDER BY a.id
"""
_INSERT_TRANSITIONS = f"""
    WITH added AS (
        INSERT INTO domain_events ({EVENT_COLUMNS})
        SELECT d.id, v.at, v.from_status, v.to_status, v.cause, v.detail, w.run_id, w.id
        FROM unnest(
            $1::bigint[], $2::int[], $3::float8[], $4::text[], $5::text[], $6::text[], $7::text[]
        ) WITH ORDINALITY AS v(id, version, at, from_status, to_status, cause, detail, place)
        JOIN domains d ON d.id = v.id AND d.version = v.version
        LEFT JOIN workers w ON w.id = d.claimed_by
        ORDER BY v.place
        RETURNING id, domain_id, at, to_status
    )
    {_LOG_BLOCKS}
"""


async def save_transitions(
    connection: Connection, moved: Iterable[tuple[Lease, DomainState]], drift_s: float
) -> None:
    """Store the transitions in these states, for leases that are still valid; before the leases are given
    back. `drift_s`: from the store's clock, which dates them, to the calendar."""
    rows = [
        (
            lease.domain_id,
            lease.version,
            each.at + drift_s,
            each.from_status,
            each.to_status,
            each.cause,
            each.detail,
        )
        for lease, state in moved
        for each in state.transitions
    ]
    if not rows:
        return
    await connection.execute(_INSERT_TRANSITIONS, *to_arrays(rows))


async def add_wakes(connection: Connection, domain_ids: Collection[int]) -> None:
    """See INSERT_WAKES."""
    await connection.execute(INSERT_WAKES.format(held="domains", ids="$1"), list(domain_ids))


_INSERT_STATUS_CHANGES = f"""
    WITH added AS (
        INSERT INTO domain_events ({EVENT_COLUMNS})
        SELECT id, tenax_now(), status, $2, $3, $4, NULL, NULL
        FROM domains
        WHERE id = ANY($1::bigint[])
        RETURNING id, domain_id, at, to_status
    )
    {_LOG_BLOCKS}
"""


async def add_status_changes(
    connection: Connection, domain_ids: Collection[int], to_status: str, cause: Cause, detail: str
) -> None:
    """Record that a user or a refresh changes the status of the domains, whose rows are locked."""
    await connection.execute(_INSERT_STATUS_CHANGES, list(domain_ids), to_status, cause, detail)
