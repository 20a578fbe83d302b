"""Renewing leases; also a worker's heartbeat. See contracts/frontier.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.domains import Lease
from tenax.records.runs import RunState
from tenax.stores.contracts.batches import Settled
from tenax.stores.contracts.vitals import Vitals
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import BEAT
from tenax.stores.hot.vitals import vital_values
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.shares import IS_HUNGRY, find_share_to_keep
from tenax.stores.postgres.frontier.url_domains import lock_domains

_BEAT = to_postgres(BEAT)
_FIND_RUN = f"""
    SELECT state, pages, {IS_HUNGRY.format(run_id="$1", since="$2", worker_id="$3")}
    FROM runs
    WHERE id = $1
"""
_RENEW_LEASES = """
    UPDATE domains
    SET claim_expires_at = $1::float8, avail_at = $1::float8
    WHERE id = ANY($2::bigint[])
"""


async def renew_leases(
    connection: Connection,
    source_id: int,
    worker_id: int,
    run_id: int,
    leases: Sequence[Lease],
    lease_s: float,
    vitals: Vitals,
    now: Instant,
) -> Settled:
    versions = await lock_domains(connection, [lease.domain_id for lease in leases])
    valid = [lease.domain_id for lease in leases if versions.get(lease.domain_id) == lease.version]
    await connection.execute(_RENEW_LEASES, now + lease_s, valid)
    await connection.execute(_BEAT, now, worker_id, *vital_values(vitals))
    state, pages, is_wanted = await connection.fetchrow(_FIND_RUN, run_id, now - lease_s, worker_id)
    share = None
    if is_wanted:
        share = await find_share_to_keep(
            connection, source_id=source_id, worker_id=worker_id, run_id=run_id, lease_s=lease_s, now=now
        )
    return Settled(
        lost=frozenset(lease.domain_id for lease in leases) - frozenset(valid),
        run_pages=pages,
        expires_at=now + lease_s,
        run_state=RunState(state),
        share=share,
    )
