"""Queues pages whose revisit is due, in PostgreSQL. See contracts/refresh.py."""

from collections.abc import Sequence

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.records.jobs import NO_SOURCE
from tenax.stores.clock import StoreClock
from tenax.stores.contracts.refresh import RefreshBudget, RefreshStep
from tenax.stores.hot.revisits import CANDIDATES, CANDIDATES_ORDER, NEXT_VISIT, WAKE_DETAIL
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.domain_events import add_status_changes


class PostgresRefresh:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def promote(self, step: RefreshBudget) -> RefreshStep:
        return await self._database.write(
            lambda connection: _promote(connection, self._source_id, step, self._database.clock), is_slow=True
        )


_LOCK_CANDIDATES = f"""
    SELECT id
    FROM domains
    WHERE {CANDIDATES}
        AND source_id = $3
        AND coalesce(revisit_at, 0) <= $1::float8
    ORDER BY {CANDIDATES_ORDER}
    LIMIT $2
    FOR UPDATE SKIP LOCKED
"""


async def _promote(
    connection: Connection, source_id: int, step: RefreshBudget, clock: StoreClock
) -> RefreshStep:
    # Revisits are planned by the calendar.
    now, wall = clock.now(), clock.wall()
    # Locked before their urls, against the order in frontier/urls.py: nobody else writes below a domain that
    # no worker holds. Domains that another transaction wakes or promotes at this moment are skipped.
    rows = await connection.fetch(
        _LOCK_CANDIDATES, wall + step.ahead_s, step.domains if step.limit > 0 else 0, source_id
    )
    ids = [row[0] for row in rows]
    if not ids:
        return RefreshStep(urls=0, domains=0)
    promoted = await _queue_urls(connection, ids, step, (now, wall))
    await _wake_domains(connection, ids, promoted, now, wall + step.idle_s)
    return RefreshStep(urls=sum(promoted.values()), domains=len(ids))


_QUEUE_URLS = f"""
    WITH due AS MATERIALIZED (
        SELECT url.id
        FROM unnest($2::bigint[]) WITH ORDINALITY AS d(id, place)
        CROSS JOIN LATERAL (
            SELECT id, {NEXT_VISIT} AS at
            FROM urls
            WHERE domain_id = d.id AND {NEXT_VISIT} <= $5::float8
            ORDER BY at, id
            LIMIT $3
        ) url
        ORDER BY d.place, url.at, url.id
        LIMIT $4
    ),
    queued AS (
        UPDATE urls u
        SET due_at = $1::float8, revisit_at = NULL
        FROM due
        WHERE u.id = due.id
        RETURNING u.domain_id
    )
    SELECT domain_id, count(*)
    FROM queued
    GROUP BY domain_id
"""


async def _queue_urls(
    connection: Connection, ids: Sequence[int], step: RefreshBudget, times: tuple[Instant, Instant]
) -> dict[int, int]:
    """Returns how many were queued, by domain. `times`: now, by the store's clock and by the calendar."""
    now, wall = times
    rows = await connection.fetch(
        _QUEUE_URLS, now, list(ids), step.per_domain, step.limit, wall + step.ahead_s
    )
    return {row[0]: row[1] for row in rows}


_PLAN_REVISIT = f"""
    UPDATE domains d
    SET
        revisit_at = coalesce(
            (SELECT min({NEXT_VISIT}) FROM urls WHERE urls.domain_id = d.id),
            $2::float8
        )
    WHERE id = ANY($1::bigint[])
"""
_WAKE_DOMAINS = """
    UPDATE domains d
    SET
        queued = d.queued + v.number,
        status = 'active',
        avail_at = greatest($1::float8, d.ready_at)
    FROM unnest($2::bigint[], $3::int[]) AS v(id, number)
    WHERE d.id = v.id
"""


async def _wake_domains(
    connection: Connection, ids: Sequence[int], promoted: dict[int, int], now: Instant, idle_until: Instant
) -> None:
    await connection.execute(_PLAN_REVISIT, list(ids), idle_until)
    await add_status_changes(connection, list(promoted), DomainStatus.ACTIVE, Cause.REFRESH, WAKE_DETAIL)
    await connection.execute(_WAKE_DOMAINS, now, list(promoted), list(promoted.values()))
