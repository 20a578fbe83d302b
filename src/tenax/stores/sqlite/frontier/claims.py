"""Claiming domains in SQLite. See contracts/frontier.py."""

from tenax.clock import Instant
from tenax.policy.scoring import order_tiers
from tenax.records.domains import Lease
from tenax.stores.contracts.frontier import HUNGRY_BELOW
from tenax.stores.hot.rows import (
    LEASE_COLUMNS,
    read_lease,
)
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.shares import plan_claim, save_hunger
from tenax.stores.sqlite.frontier.site_claims import pick_apart

_CLAIM = f"""
    UPDATE domains
    SET
        claimed_by = ?1,
        claim_expires_at = ?2,
        avail_at = ?2,
        version = version + 1,
        last_start_at = CASE WHEN claimed_by IS NULL THEN max(last_start_at, since_s()) ELSE ?3 END,
        last_answer_at = CASE WHEN claimed_by IS NULL THEN max(last_answer_at, since_s()) ELSE ?3 END
    WHERE id IN (SELECT value FROM json_each(?4))
    RETURNING {LEASE_COLUMNS}
"""


def claim_domains(
    connection: Connection,
    source_id: int,
    worker_id: int,
    run_id: int,
    limit: int,
    lease_s: float,
    site_gap_s: float | None,
) -> list[Lease]:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    room, share, held = plan_claim(
        connection,
        source_id=source_id,
        worker_id=worker_id,
        run_id=run_id,
        limit=limit,
        lease_s=lease_s,
        now=now,
    )
    if site_gap_s is None:
        ids = _pick(connection, source_id, room, now)
    else:
        ids = pick_apart(connection, source_id, room, now, site_gap_s)
    # A worker that did not give its domain back made its last request at an unknown time: taken as now. The
    # age of a request is not known for sure either if it was made before the clock became steady.
    rows = connection.execute(_CLAIM, (worker_id, now + lease_s, now, str(ids))).fetchall()
    save_hunger(connection, worker_id, not rows and held < HUNGRY_BELOW * share)
    return [read_lease(row, expires_at=now + lease_s, run_id=run_id) for row in rows]


_LIST_CLAIMABLE = """
    SELECT id
    FROM domains
    WHERE source_id = ?
        AND tier = ?
        AND avail_at <= ?
    ORDER BY avail_at
    LIMIT ?
"""


def _pick(connection: Connection, source_id: int, limit: int, now: Instant) -> list[int]:
    """The domains to claim: the best tier first, and within it those that have waited longest."""
    ids: list[int] = []
    for tier in order_tiers(now):
        if len(ids) >= limit:
            break
        rows = connection.execute(_LIST_CLAIMABLE, (source_id, tier, now, limit - len(ids)))
        ids += [row[0] for row in rows]
    return ids
