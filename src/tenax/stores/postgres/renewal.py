"""Prolonging leases; also a worker's heartbeat. See base.FrontierStore.renew."""

from collections.abc import Sequence

from tenax.records import Lease, RunState
from tenax.stores.base import Settled
from tenax.stores.postgres.line import Connection
from tenax.stores.postgres.urls import lock_domains


async def renew_leases(
    connection: Connection, worker_id: int, run_id: int, leases: Sequence[Lease], lease_s: float
) -> Settled:
    versions = await lock_domains(connection, [lease.domain_id for lease in leases])
    valid = [lease.domain_id for lease in leases if versions.get(lease.domain_id) == lease.version]
    now = await connection.fetchval("SELECT tenax_now()")
    await connection.execute(
        "UPDATE domains SET claim_expires_at = $1::float8, avail_at = $1::float8"
        " WHERE id = ANY($2::bigint[])",
        now + lease_s,
        valid,
    )
    await connection.execute("UPDATE workers SET heartbeat_at = $2 WHERE id = $1", worker_id, now)
    state, pages = await connection.fetchrow("SELECT state, pages FROM runs WHERE id = $1", run_id)
    return Settled(
        lost=frozenset(lease.domain_id for lease in leases) - frozenset(valid),
        run_pages=pages,
        expires_at=now + lease_s,
        run_state=RunState(state),
    )
