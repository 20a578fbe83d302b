"""Prolonging leases; also a worker's heartbeat. See base.FrontierStore.renew."""

from collections.abc import Sequence

from tenax.records import Lease, RunState
from tenax.stores.base import Settled
from tenax.stores.sqlite.database import Connection
from tenax.stores.sqlite.shares import find_share_to_keep
from tenax.stores.vitals import Vitals, vital_values


def renew_leases(
    connection: Connection,
    worker_id: int,
    run_id: int,
    leases: Sequence[Lease],
    lease_s: float,
    vitals: Vitals,
) -> Settled:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    expires_at = now + lease_s
    lost = set()
    for lease in leases:
        cursor = connection.execute(
            "UPDATE domains SET claim_expires_at = ?1, avail_at = ?1 WHERE id = ?2 AND version = ?3",
            (expires_at, lease.domain_id, lease.version),
        )
        if not cursor.rowcount:
            lost.add(lease.domain_id)
    connection.execute(
        "UPDATE workers SET heartbeat_at = ?, pages = ?, pages_per_min = ?, trouble = ?, rss_bytes = ?"
        " WHERE id = ?",
        (now, *vital_values(vitals), worker_id),
    )
    state, pages = connection.execute("SELECT state, pages FROM runs WHERE id = ?", (run_id,)).fetchone()
    share = find_share_to_keep(connection, worker_id=worker_id, run_id=run_id, lease_s=lease_s, now=now)
    return Settled(
        lost=frozenset(lost),
        run_pages=pages,
        expires_at=expires_at,
        run_state=RunState(state),
        share=share,
    )
