"""Claiming domains in PostgreSQL. See contracts/frontier.py."""

from tenax.policy.scoring import order_tiers
from tenax.records.domains import Lease
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.frontier import HUNGRY_BELOW
from tenax.stores.hot.rows import (
    LEASE_COLUMNS,
    read_lease,
)
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.shares import plan_claim, save_hunger
from tenax.stores.postgres.frontier.site_claims import pick_apart

# A NULL stays.
_COUNTED_FROM = """
    CASE
        WHEN claimed_by IS NOT NULL THEN clock.now
        WHEN {0} < $5::float8 THEN $5::float8
        ELSE {0}
    END
"""


# The limit is a literal, and the ids an array: the planner then uses the index on avail_at and stops.
# The best tier comes first, and within it those that have waited longest.
# A row that is locked by another transaction is skipped.
_NEXT = """
    ARRAY(
        SELECT free.id
        FROM unnest($3::int[]) AS tiers(tier)
        CROSS JOIN LATERAL (
            SELECT id
            FROM domains
            WHERE source_id = $6
                AND tier = tiers.tier
                AND avail_at <= (SELECT now FROM clock)
                AND (claim_expires_at IS NULL OR claim_expires_at <= (SELECT now FROM clock))
            ORDER BY avail_at
            LIMIT {limit}
            FOR UPDATE SKIP LOCKED
        ) free
        LIMIT {limit}
    )
"""


_CLAIM = f"""
    WITH clock AS MATERIALIZED (SELECT $4::float8 AS now)
    UPDATE domains
    SET
        claimed_by = $1,
        claim_expires_at = clock.now + $2::float8,
        avail_at = clock.now + $2::float8,
        version = version + 1,
        last_start_at = {_COUNTED_FROM.format("last_start_at")},
        last_answer_at = {_COUNTED_FROM.format("last_answer_at")}
    FROM clock
    WHERE id = ANY({{ids}})
    RETURNING {LEASE_COLUMNS}, claim_expires_at
"""


async def claim_domains(
    connection: Connection,
    clock: StoreClock,
    source_id: int,
    worker_id: int,
    run_id: int,
    limit: int,
    lease_s: float,
    site_gap_s: float | None,
) -> list[Lease]:
    now = clock.now()
    room, share, held = await plan_claim(
        connection,
        source_id=source_id,
        worker_id=worker_id,
        run_id=run_id,
        limit=limit,
        lease_s=lease_s,
        now=now,
    )
    limit = max(int(room), 0)
    apart = None
    if site_gap_s is not None:
        apart = await pick_apart(connection, clock, source_id, limit, now, site_gap_s)
    # A worker that did not give its domain back made its last request at an unknown time: taken as now. The
    # age of a request is not known for sure either if it was made before the clock became steady.
    ids = _NEXT.format(limit=limit) if apart is None else "$3::bigint[]"
    rows = await connection.fetch(
        _CLAIM.format(ids=ids),
        worker_id,
        lease_s,
        order_tiers(now) if apart is None else apart,
        now,
        clock.since,
        *([source_id] if apart is None else []),
    )
    await save_hunger(connection, worker_id, not rows and held < HUNGRY_BELOW * share)
    return [read_lease(row[:-1], expires_at=row[-1], run_id=run_id) for row in map(tuple, rows)]
