"""Remaining work and what blocks it, in a few numbers. See contracts/overview.py."""

from collections.abc import Collection
from operator import itemgetter

import orjson

from tenax.clock import Instant
from tenax.records.urls import Fate, RefusalReason
from tenax.stores.contracts.leftovers import Leftover
from tenax.stores.contracts.overview import NextDomain, Overview, RemainingWork, Summary
from tenax.stores.hot.leftovers import COUNT_LEFTOVER, read_leftover
from tenax.stores.hot.report_rows import (
    NEXT_COLUMNS,
    TROUBLED_COLUMNS,
    DomainCounts,
    read_next,
    read_troubled,
)
from tenax.stores.hot.takeover import IS_ASIDE
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.statements import TIERS

TROUBLED_SHOWN = 10


_FIND_NEXT_AVAILABLE = f"""
    SELECT min(at), coalesce(min(at) <= now_s(), 0)
    FROM (
        SELECT
            (
                SELECT min(avail_at)
                FROM domains
                WHERE source_id = ?
                    AND tier = tiers.column1
                    AND avail_at IS NOT NULL
            ) AS at
        FROM {TIERS}
    )
"""
_IS_LEASED_ELSEWHERE = """
    SELECT 1
    FROM domains
    WHERE claimed_by IS NOT NULL
        AND claimed_by <> ?
        AND source_id = ?
    LIMIT 1
"""


def find_horizon(connection: Connection, source_id: int, worker_id: int) -> RemainingWork:
    next_avail_at, can_claim = connection.execute(_FIND_NEXT_AVAILABLE, (source_id,)).fetchone()
    elsewhere = connection.execute(_IS_LEASED_ELSEWHERE, (worker_id, source_id)).fetchone()
    return RemainingWork(
        next_avail_at=next_avail_at, can_claim=bool(can_claim), is_leased_elsewhere=elsewhere is not None
    )


_HAS_UNTRIED = f"""
    SELECT 1
    FROM {TIERS}
    JOIN domains d
        ON d.source_id = ?
            AND d.tier = tiers.column1
            AND d.avail_at IS NOT NULL
            AND d.avail_at <= ?
    WHERE EXISTS (
        SELECT 1
        FROM urls
        WHERE domain_id = d.id
            AND due_at IS NOT NULL
            AND fate <> 'retrying'
    )
    LIMIT 1
"""


def has_untried(connection: Connection, source_id: int, before: Instant) -> bool:
    found = connection.execute(_HAS_UNTRIED, (source_id, before)).fetchone()
    return found is not None


_COUNT_DOMAINS = """
    SELECT
        coalesce(sum(queued), 0),
        count(*),
        coalesce(sum(status IN ('blocked', 'unreachable')), 0),
        coalesce(sum(queued > 0), 0),
        count(*) FILTER (WHERE block_code = ?1 AND next_crawl_after > now_s()),
        max(next_crawl_after) FILTER (WHERE block_code = ?1 AND next_crawl_after > now_s())
    FROM domains
    WHERE source_id = ?2
"""
_FIND_SLOWEST = """
    SELECT
        name,
        min(
            queued,
            CASE WHEN rule_pages IS NULL THEN ?2 WHEN rule_pages = 0 THEN queued ELSE rule_pages END
        ) * max(
            coalesce(robots_delay_s, 0),
            coalesce(rule_delay_s, ?1),
            CASE WHEN coalesce(rule_delay_s, ?1) > 0 THEN last_response_s ELSE 0 END
        ) AS politeness_s
    FROM domains
    WHERE queued > 0
        AND status NOT IN ('blocked', 'unreachable')
        AND source_id = ?3
        AND is_active = 1
    ORDER BY politeness_s DESC
    LIMIT 1
"""


def take_overview(connection: Connection, source_id: int, delay_s: float, pages_per_domain: int) -> Overview:
    counts = DomainCounts._make(
        connection.execute(_COUNT_DOMAINS, (RefusalReason.ROBOTS_UNREACHABLE, source_id)).fetchone()
    )
    slowest = connection.execute(_FIND_SLOWEST, (delay_s, pages_per_domain, source_id)).fetchone()
    return Overview(
        queued=counts.queued,
        domains=counts.domains,
        domains_blocked=counts.blocked,
        domains_queued=counts.with_queue,
        politeness_s=slowest[1] if slowest else 0.0,
        slowest_domain=slowest[0] if slowest else None,
        next_waiting=_next_waiting(connection, source_id),
        robots_failed=counts.robots_failed,
        robots_until=counts.robots_until,
    )


_FIND_NEXT_WAITING = f"""
    SELECT {NEXT_COLUMNS}
    FROM {TIERS}
    JOIN domains d
        ON d.id = (
            SELECT id
            FROM domains
            WHERE source_id = ?
                AND tier = tiers.column1
                AND avail_at IS NOT NULL
            ORDER BY avail_at
            LIMIT 1
        )
    ORDER BY avail_at
    LIMIT 1
"""


def _next_waiting(connection: Connection, source_id: int) -> NextDomain | None:
    row = connection.execute(_FIND_NEXT_WAITING, (source_id,)).fetchone()
    return None if row is None else read_next(row)


def count_leftover(connection: Connection, source_id: int) -> Leftover:
    # Read once: the function would be called for every row.
    now = connection.execute("SELECT now_s()").fetchone()[0]
    return read_leftover(connection.execute(COUNT_LEFTOVER, (source_id, now)).fetchone())


_FATE_SUMS = ", ".join(f"coalesce(sum(fate = '{fate}'), 0)" for fate in Fate)
_COUNT_FATES = f"""
    SELECT {_FATE_SUMS}
    FROM urls
    WHERE +domain_id IN (SELECT id FROM domains WHERE source_id = ?)
        AND NOT ({IS_ASIDE})
"""


def _count_fates(connection: Connection, source_id: int) -> dict[str, int]:
    """The most frequent first. Grouping would sort all urls, which takes 60 bytes of memory for each; finding
    those of the source by an index would read the table in another order than it is stored in."""
    row = connection.execute(_COUNT_FATES, (source_id,)).fetchone()
    numbers = zip(Fate, row, strict=True)
    ranked = sorted(numbers, key=itemgetter(1), reverse=True)
    return {fate.value: number for fate, number in ranked if number}


_COUNT_PAGES = """
    SELECT
        (
            SELECT coalesce(sum(pages_crawled), 0)
            FROM domains
            WHERE source_id = ?1
        ),
        (
            SELECT coalesce(sum(pages_crawled), 0)
            FROM domains
            WHERE name IN (SELECT value FROM json_each(?2))
        )
"""
_LIST_TROUBLED = f"""
    SELECT {TROUBLED_COLUMNS}
    FROM domains
    WHERE source_id = ?
        AND queued > 0
        AND (
            status IN ('blocked', 'unreachable')
            OR avail_at IS NULL
            OR backoff_until > now_s()
            OR breaker_reopen_at > now_s()
        )
    ORDER BY queued DESC
    LIMIT ?
"""


def summarise(connection: Connection, source_id: int, domains: Collection[str]) -> Summary:
    pages, pages_there = connection.execute(
        _COUNT_PAGES, (source_id, orjson.dumps(list(domains)).decode())
    ).fetchone()
    rows = connection.execute(_LIST_TROUBLED, (source_id, TROUBLED_SHOWN))
    return Summary(
        fates=_count_fates(connection, source_id),
        pages=pages,
        pages_there=pages_there,
        leftover=count_leftover(connection, source_id),
        troubled=tuple(map(read_troubled, rows)),
    )
