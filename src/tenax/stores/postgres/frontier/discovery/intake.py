"""How many new urls a run may take in per second, in PostgreSQL. See policy/intake.py.

The instant is read before the batch and advanced with the run's row, which is locked last: the limit holds on
average, since workers that settle at the same moment start from the same instant.
"""

from collections.abc import Mapping, Sequence

from tenax.clock import Instant
from tenax.policy.intake import Intake, IntakePlan, plan_intake
from tenax.records.urls import NewUrl
from tenax.stores.contracts.batches import Batch
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import FIND_INTAKE, FIND_LAST_INTAKE, LIST_WAITING
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import WAKE

_FIND_INTAKE = to_postgres(FIND_INTAKE)
_FIND_LAST_INTAKE = to_postgres(FIND_LAST_INTAKE)
_LIST_WAITING = to_postgres(LIST_WAITING)


async def find_intake(connection: Connection, batch: Batch) -> Intake | None:
    """None: there is no limit."""
    if not batch.new_urls_per_s:
        return None
    next_at = await connection.fetchval(_FIND_INTAKE, batch.run_id)
    return Intake(per_s=batch.new_urls_per_s, next_at=next_at or 0.0)


_LIST_KNOWN = """
    SELECT v.place
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS v(domain_id, key, place)
    JOIN urls u ON u.domain_id = v.domain_id AND u.key = v.key
"""


async def plan_due(
    connection: Connection, urls: Sequence[NewUrl], ids: Mapping[str, int], intake: Intake, now: Instant
) -> IntakePlan:
    """`urls`: of domains of the run. Urls of other domains are set aside, and have no turn."""
    rows = await connection.fetch(_LIST_KNOWN, [ids[url.domain] for url in urls], [url.key for url in urls])
    known = {(url.domain, url.key) for url in (urls[place - 1] for (place,) in rows)}
    return plan_intake(urls, known, intake, now)


_RELEASE_POSTPONED = """
    UPDATE urls
    SET due_at = $1::float8
    WHERE domain_id = ANY($2::bigint[])
        AND due_at > $1::float8
        AND fate = 'queued'
"""
_LOCK = "SELECT id FROM domains WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE"
_WAKE = f"""
    UPDATE domains d
    SET {WAKE.format(parked="d.avail_at IS NULL", at="$1::float8")}
    WHERE d.id = ANY($2::bigint[])
"""


async def release_postponed(connection: Connection, source_id: int, now: Instant) -> None:
    """A new run begins with everything that is queued, whatever the last one had postponed."""
    last_at = await connection.fetchval(_FIND_LAST_INTAKE, source_id)
    if last_at is None or last_at <= now:
        return
    ids = [row[0] for row in await connection.fetch(_LIST_WAITING, source_id)]
    await connection.execute(_RELEASE_POSTPONED, now, ids)
    await connection.execute(_LOCK, ids)
    await connection.execute(_WAKE, now, ids)
