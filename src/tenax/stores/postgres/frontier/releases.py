"""Giving domains back in PostgreSQL."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.batches import Release
from tenax.stores.hot.outcomes import plan_release
from tenax.stores.hot.rows import (
    STATE_COLUMNS,
    state_values,
)
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.domain_events import save_transitions
from tenax.stores.postgres.frontier.loading import NEXT_DUE
from tenax.stores.postgres.frontier.statements import STATE_ASSIGNMENTS, state_arrays, to_arrays
from tenax.stores.postgres.frontier.url_domains import lock_domains

_LIST_NEXT_DUE = f"""
    SELECT w.id, {NEXT_DUE.format(domain_id="w.id", after="0")}
    FROM unnest($1::bigint[]) AS w(id)
"""


_RELEASE = f"""
    UPDATE domains d
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = d.version + 1,
        ready_at = v.ready_at,
        avail_at = CASE WHEN d.is_active = 1 THEN v.avail_at END,
        {STATE_ASSIGNMENTS}
    FROM unnest($1::bigint[], $2::int[], $3::float8[], $4::float8[], {state_arrays(5)}) AS v(
        id, version, ready_at, avail_at, {STATE_COLUMNS}
    )
    WHERE d.id = v.id AND d.version = v.version
"""


async def release_domains(connection: Connection, releases: Sequence[Release], clock: StoreClock) -> None:
    if not releases:
        return
    ids = [release.lease.domain_id for release in releases]
    # Locked first, in a separate statement: the next one then sees every url that others have added.
    await lock_domains(connection, ids)
    rows = await connection.fetch(_LIST_NEXT_DUE, ids)
    next_due: dict[int, Instant | None] = {row[0]: row[1] for row in rows}
    now = clock.now()
    planned = [(each, *plan_release(each, next_due[each.lease.domain_id], now)) for each in releases]
    await save_transitions(connection, ((each.lease, state) for each, _, state in planned), clock.drift_s)
    # The fence is raised, so that a late renewal or batch cannot revive the lease.
    await connection.execute(
        _RELEASE,
        *to_arrays(
            (each.lease.domain_id, each.lease.version, each.ready_at, avail_at, *state_values(state))
            for each, avail_at, state in planned
        ),
    )
