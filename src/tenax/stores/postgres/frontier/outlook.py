"""Remaining work and what blocks it, in a few numbers. See contracts/overview.py."""

from collections.abc import Collection

from tenax.clock import Instant
from tenax.records.urls import RefusalReason
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.overview import NextDomain, Overview, RemainingWork, Summary
from tenax.stores.hot.leftovers import COUNT_LEFTOVER, read_leftover
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.report_rows import (
    NEXT_COLUMNS,
    TROUBLED_COLUMNS,
    DomainCounts,
    read_next,
    read_troubled,
)
from tenax.stores.hot.takeover import IS_ASIDE
from tenax.stores.postgres.connection.foreign_transactions import find_foreign
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import TIERS

TROUBLED_SHOWN = 10
_COUNT_LEFTOVER = to_postgres(COUNT_LEFTOVER)


# Ordered, although any free domain would do: otherwise all are gathered, or looked for in the whole table.
_FIND_HORIZON = f"""
    WITH clock AS MATERIALIZED (SELECT $3::float8 AS now)
    SELECT
        (
            SELECT min(at)
            FROM {TIERS}
            CROSS JOIN LATERAL (
                SELECT min(avail_at) AS at
                FROM domains
                WHERE source_id = $2
                    AND tier = tiers.tier
                    AND avail_at IS NOT NULL
            ) AS first
        ),
        EXISTS (
            SELECT 1
            FROM {TIERS}
            CROSS JOIN LATERAL (
                SELECT 1
                FROM domains
                WHERE source_id = $2
                    AND tier = tiers.tier
                    AND avail_at <= (SELECT now FROM clock)
                    AND (claim_expires_at IS NULL OR claim_expires_at <= (SELECT now FROM clock))
                ORDER BY avail_at
                LIMIT 1
            ) free
        ),
        (
            SELECT true
            FROM domains
            WHERE claimed_by IS NOT NULL
                AND claimed_by <> $1
                AND source_id = $2
            ORDER BY claimed_by
            LIMIT 1
        ) IS NOT NULL
"""


async def find_horizon(connection: Connection, source_id: int, worker_id: int, now: Instant) -> RemainingWork:
    row = await connection.fetchrow(_FIND_HORIZON, worker_id, source_id, now)
    return RemainingWork(next_avail_at=row[0], can_claim=row[1], is_leased_elsewhere=row[2])


_HAS_UNTRIED = f"""
    SELECT
        EXISTS (
            SELECT 1
            FROM {TIERS}
            JOIN domains d ON d.source_id = $1 AND d.tier = tiers.tier AND d.avail_at <= $2
            WHERE EXISTS (
                SELECT 1
                FROM urls
                WHERE domain_id = d.id
                    AND due_at IS NOT NULL
                    AND fate <> 'retrying'
            )
        )
"""


async def has_untried(connection: Connection, source_id: int, before: Instant) -> bool:
    row = await connection.fetchrow(_HAS_UNTRIED, source_id, before)
    return bool(row[0])


_COUNT_DOMAINS = """
    WITH clock AS MATERIALIZED (SELECT $3::float8 AS now)
    SELECT
        coalesce(sum(queued), 0)::bigint,
        count(*),
        count(*) FILTER (WHERE status IN ('blocked', 'unreachable')),
        count(*) FILTER (WHERE queued > 0),
        count(*) FILTER (WHERE block_code = $1 AND next_crawl_after > clock.now),
        max(next_crawl_after) FILTER (WHERE block_code = $1 AND next_crawl_after > clock.now)
    FROM clock
    CROSS JOIN domains
    WHERE source_id = $2
"""
_FIND_SLOWEST = """
    SELECT
        name,
        least(
            queued,
            CASE
                WHEN rule_pages IS NULL THEN $2::bigint
                WHEN rule_pages = 0 THEN queued
                ELSE rule_pages
            END
        ) * greatest(
            robots_delay_s,
            coalesce(rule_delay_s, $1::float8),
            CASE WHEN coalesce(rule_delay_s, $1::float8) > 0 THEN last_response_s ELSE 0 END
        ) AS politeness_s
    FROM domains
    WHERE queued > 0
        AND status NOT IN ('blocked', 'unreachable')
        AND source_id = $3
        AND is_active = 1
    ORDER BY politeness_s DESC
    LIMIT 1
"""


async def take_overview(
    connection: Connection, source_id: int, delay_s: float, pages_per_domain: int, now: Instant
) -> Overview:
    counts = DomainCounts._make(
        await connection.fetchrow(_COUNT_DOMAINS, RefusalReason.ROBOTS_UNREACHABLE, source_id, now)
    )
    slowest = await connection.fetchrow(_FIND_SLOWEST, delay_s, pages_per_domain, source_id)
    return Overview(
        queued=counts.queued,
        domains=counts.domains,
        domains_blocked=counts.blocked,
        domains_queued=counts.with_queue,
        politeness_s=slowest[1] if slowest else 0.0,
        slowest_domain=slowest[0] if slowest else None,
        next_waiting=await _next_waiting(connection, source_id),
        robots_failed=counts.robots_failed,
        robots_until=counts.robots_until,
        foreign_transaction=await find_foreign(connection),
    )


_FIND_NEXT_WAITING = f"""
    SELECT {NEXT_COLUMNS}
    FROM {TIERS}
    CROSS JOIN LATERAL (
        SELECT *
        FROM domains
        WHERE source_id = $1
            AND tier = tiers.tier
            AND avail_at IS NOT NULL
        ORDER BY avail_at
        LIMIT 1
    ) AS first
    ORDER BY avail_at
    LIMIT 1
"""


async def _next_waiting(connection: Connection, source_id: int) -> NextDomain | None:
    row = await connection.fetchrow(_FIND_NEXT_WAITING, source_id)
    return None if row is None else read_next(row)


async def count_leftover(connection: Connection, source_id: int, now: Instant) -> Leftover:
    return read_leftover(await connection.fetchrow(_COUNT_LEFTOVER, source_id, now))


_COUNT_FATES = f"""
    SELECT fate, count(*)
    FROM urls
    WHERE domain_id IN (SELECT id FROM domains WHERE source_id = $1)
        AND NOT ({IS_ASIDE})
    GROUP BY fate
    ORDER BY 2 DESC
"""
_COUNT_PAGES = """
    SELECT
        (
            SELECT coalesce(sum(pages_crawled), 0)::bigint
            FROM domains
            WHERE source_id = $1
        ),
        (
            SELECT coalesce(sum(pages_crawled), 0)::bigint
            FROM domains
            WHERE name = any($2)
        )
"""
_LIST_TROUBLED = f"""
    SELECT {TROUBLED_COLUMNS}
    FROM domains
    WHERE source_id = $1
        AND queued > 0
        AND (
            status IN ('blocked', 'unreachable')
            OR avail_at IS NULL
            OR backoff_until > $3::float8
            OR breaker_reopen_at > $3::float8
        )
    ORDER BY queued DESC
    LIMIT $2
"""


async def summarise(
    connection: Connection, source_id: int, domains: Collection[str], now: Instant
) -> Summary:
    fates = await connection.fetch(_COUNT_FATES, source_id)
    pages, pages_there = await connection.fetchrow(_COUNT_PAGES, source_id, list(domains))
    rows = await connection.fetch(_LIST_TROUBLED, source_id, TROUBLED_SHOWN, now)
    return Summary(
        fates={row[0]: row[1] for row in fates},
        pages=pages,
        pages_there=pages_there,
        leftover=await count_leftover(connection, source_id, now),
        troubled=tuple(read_troubled(tuple(row)) for row in rows),
    )
