"""Urls and domains that get another visit in PostgreSQL."""

from collections.abc import Collection, Sequence

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.stores.clock import StoreClock
from tenax.stores.hot.rows import CAN_BE_ASKED_AGAIN, FRESH_START, VISITED
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.domain_events import add_status_changes, add_wakes
from tenax.stores.postgres.frontier.statements import WAKE
from tenax.stores.postgres.frontier.url_domains import find_domains, lock_domains
from tenax.web.identity import url_key
from tenax.web.urls import domain_of

_REQUEUE = f"""
    WITH again AS (
        UPDATE urls u
        SET
            due_at = least(
                $1::float8,
                (
                    SELECT min(due_at)
                    FROM urls first
                    WHERE first.domain_id = u.domain_id
                        AND first.priority = 3
                        AND first.due_at IS NOT NULL
                ) - 1
            ),
            priority = 3,
            revisit_at = NULL
        FROM unnest($2::bigint[], $3::bigint[]) AS v(domain_id, key)
        WHERE u.domain_id = v.domain_id
            AND u.key = v.key
            AND {VISITED}
        RETURNING u.domain_id
    )
    SELECT domain_id, count(*)
    FROM again
    GROUP BY domain_id
"""


async def requeue(connection: Connection, urls: Sequence[str], clock: StoreClock, source_id: int) -> int:
    """See contracts/frontier.py."""
    now = clock.now()
    homes = await find_domains(connection, {domain_of(url) for url in urls})
    ids = {name: home.id for name, home in homes.items() if home.source_id == source_id}
    keys = [(ids[domain_of(url)], url_key(url)) for url in urls if domain_of(url) in ids]
    rows = await connection.fetch(
        _REQUEUE, now, [domain_id for domain_id, _ in keys], [key for _, key in keys]
    )
    queued: dict[int, int] = {row[0]: row[1] for row in rows}
    await lock_domains(connection, queued)
    await add_wakes(connection, queued)
    await _wake(connection, queued, now)
    return sum(queued.values())


_REVIVE_URLS = """
    WITH revived AS (
        UPDATE urls u
        SET
            due_at = $1::float8,
            fate = 'queued',
            reason = NULL,
            detail = NULL,
            attempts = 0
        FROM unnest($2::bigint[], $3::bigint[]) AS v(domain_id, key)
        WHERE u.domain_id = v.domain_id
            AND u.key = v.key
            AND (u.fate IN ('dead', 'rejected', 'trapped') OR u.fate = 'refused' AND u.reason <> 'noindex')
        RETURNING u.domain_id
    )
    SELECT domain_id, count(*)
    FROM revived
    GROUP BY domain_id
"""


async def revive_urls(
    connection: Connection, keys: Sequence[tuple[int, int]], now: Instant
) -> dict[int, int]:
    """Retry urls that a user names again, if they are dead or were refused. A page that asks not to be stored
    has had its visit. Returns how many, by domain."""
    if not keys:
        return {}
    domain_ids, hashes = map(list, zip(*keys, strict=True))
    rows = await connection.fetch(_REVIVE_URLS, now, domain_ids, hashes)
    return {row[0]: row[1] for row in rows}


_COUNT_REVIVED = f"""
    UPDATE domains d
    SET queued = d.queued + v.number, {WAKE.format(parked="false", at="$1::float8")}
    FROM unnest($2::bigint[], $3::int[]) AS v(id, number)
    WHERE d.id = v.id
"""


async def _wake(connection: Connection, queued: dict[int, int], now: Instant) -> None:
    """Make domains available that got this many urls to visit again. Their rows are locked."""
    await connection.execute(_COUNT_REVIVED, now, list(queued), list(queued.values()))


_REVIVE_DOMAINS = f"""
    UPDATE domains
    SET
        {FRESH_START},
        ready_at = greatest($1::float8, last_answer_at),
        avail_at = CASE WHEN is_active = 1 THEN greatest($1::float8, last_answer_at) END
    WHERE id = ANY($2::bigint[])
"""


async def revive_domains(
    connection: Connection, revived: dict[int, int], named: Collection[int], now: Instant
) -> None:
    """Count revived urls, and retry domains that were unreachable or forbidden by their robots.txt. Their
    rows are locked."""
    if revived:
        await _wake(connection, revived, now)
    rows = await connection.fetch(
        f"SELECT id FROM domains WHERE id = ANY($1::bigint[]) AND {CAN_BE_ASKED_AGAIN}", list(named)
    )
    if ids := [row[0] for row in rows]:
        detail = "it was named as a seed again"
        await add_status_changes(connection, ids, DomainStatus.PENDING, Cause.ASKED_AGAIN, detail)
        await connection.execute(_REVIVE_DOMAINS, now, ids)
