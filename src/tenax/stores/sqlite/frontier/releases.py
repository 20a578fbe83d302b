"""Giving domains back in SQLite."""

from collections.abc import Sequence

from tenax.stores.contracts.batches import Release
from tenax.stores.hot.outcomes import plan_release
from tenax.stores.hot.rows import (
    state_values,
)
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.domain_events import save_transitions
from tenax.stores.sqlite.frontier.loading import find_next_due
from tenax.stores.sqlite.frontier.statements import STATE_ASSIGNMENTS

_RELEASE = f"""
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        ready_at = ?,
        avail_at = CASE WHEN is_active = 1 THEN ? END,
        {STATE_ASSIGNMENTS}
    WHERE id = ? AND version = ?
"""


def release_domains(connection: Connection, releases: Sequence[Release]) -> None:
    now = connection.execute("SELECT now_s()").fetchone()[0]
    for release in releases:
        lease = release.lease
        avail_at, state = plan_release(release, find_next_due(connection, lease.domain_id, 0.0), now)
        save_transitions(connection, [(lease, state)])
        # The fence is raised, so that a late renewal or batch cannot revive the lease.
        connection.execute(
            _RELEASE, (release.ready_at, avail_at, *state_values(state), lease.domain_id, lease.version)
        )
