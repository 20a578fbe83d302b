"""Renewing leases; also a worker's heartbeat. See contracts/frontier.py."""

from collections.abc import Sequence

from tenax.records.domains import Lease
from tenax.records.runs import RunState
from tenax.stores.contracts.batches import Settled
from tenax.stores.contracts.vitals import Vitals
from tenax.stores.hot.statements import BEAT
from tenax.stores.hot.vitals import vital_values
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.shares import find_share_to_keep

_RENEW_LEASES = """
    UPDATE domains
    SET claim_expires_at = ?1, avail_at = ?1
    WHERE id = ?2 AND version = ?3
"""


def renew_leases(
    connection: Connection,
    source_id: int,
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
        cursor = connection.execute(_RENEW_LEASES, (expires_at, lease.domain_id, lease.version))
        if not cursor.rowcount:
            lost.add(lease.domain_id)
    connection.execute(
        BEAT,
        (now, worker_id, *vital_values(vitals)),
    )
    state, pages = connection.execute("SELECT state, pages FROM runs WHERE id = ?", (run_id,)).fetchone()
    share = find_share_to_keep(
        connection, source_id=source_id, worker_id=worker_id, run_id=run_id, lease_s=lease_s, now=now
    )
    return Settled(
        lost=frozenset(lost), run_pages=pages, expires_at=expires_at, run_state=RunState(state), share=share
    )
