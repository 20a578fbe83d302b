"""Domains that move from one source or crawl to another, in PostgreSQL. See hot/takeover.py."""

from collections.abc import Collection, Mapping, Sequence

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.records.urls import NewUrl
from tenax.stores.contracts.takeover import DomainSharing, TakeoverResult
from tenax.stores.hot.column_lists import SET_ASIDE_COLUMNS
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.rows import LEFT_ALONE
from tenax.stores.hot.statements import FIND_SHARING, LIST_NAMED_SEEDS, LIST_RUNNING
from tenax.stores.hot.takeover import (
    CRAWLED_BY_OTHERS,
    GONE_DETAIL,
    IS_OPEN,
    SET_ASIDE,
    STILL_WANTED,
    UNVISITED,
    ForeignDomain,
    choose_free,
    list_taken,
    read_foreign_domain,
)
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.domain_events import add_status_changes, add_wakes
from tenax.web.urls import domain_of

_FIND_SHARING = to_postgres(FIND_SHARING)
_LIST_NAMED_SEEDS = to_postgres(LIST_NAMED_SEEDS)

# Held while a run is opened: if two find none running, only one starts it, and if two want a domain, one gets
# it.
RUNS_LOCK = 0x7E4A_0003

_IDS = "$1::bigint[]"


async def take_domains(
    connection: Connection, source_id: int, needed: Collection[str], now: Instant
) -> TakeoverResult:
    """Make the source the owner of the domains that it needs, and of those of its seeds and of its urls that
    are set aside which no run uses. `needed` empty: the domains of the seeds that users named. Raises
    DomainsBusy."""
    await connection.execute("SELECT pg_advisory_xact_lock($1)", RUNS_LOCK)
    own = await _list_seed_domains(connection, source_id)
    needed = frozenset(needed or own)
    free = choose_free(await _find_foreign_domains(connection, source_id, needed | own, now), needed)
    if free:
        await _set_aside(connection, source_id, free, now)
    return TakeoverResult(taken=list_taken(free), returned=await _bring_back(connection, source_id))


async def find_sharing(connection: Connection, source_id: int) -> DomainSharing:
    has_aside, is_mixed = await connection.fetchrow(_FIND_SHARING, source_id)
    return DomainSharing(has_aside=has_aside, is_mixed=is_mixed)


async def _list_seed_domains(connection: Connection, source_id: int) -> frozenset[str]:
    rows = await connection.fetch(_LIST_NAMED_SEEDS, source_id)
    return frozenset(domain_of(row[0]) for row in rows)


_LOCK_FOREIGN_DOMAINS = """
    SELECT id
    FROM domains
    WHERE source_id <> $1
        AND (name = ANY($2::text[]) OR id IN (SELECT domain_id FROM set_aside WHERE source_id = $1))
    ORDER BY id
    FOR UPDATE
"""
_LIST_FOREIGN_DOMAINS = """
    SELECT
        d.id,
        d.name,
        d.source_id,
        s.name,
        s.kind,
        d.queued,
        coalesce(d.claim_expires_at > $2::float8, false)
    FROM domains d
    LEFT JOIN sources s ON s.id = d.source_id
    WHERE d.id = ANY($1::bigint[])
"""


async def _find_foreign_domains(
    connection: Connection, source_id: int, names: Collection[str], now: Instant
) -> list[ForeignDomain]:
    """Their rows are locked: until the transaction ends nobody claims one of them, or finds urls there."""
    ids = await connection.fetch(_LOCK_FOREIGN_DOMAINS, source_id, list(names))
    if not ids:
        return []
    runs = await connection.fetch(LIST_RUNNING)
    active_runs = {row[0]: row[1] for row in runs}
    rows = await connection.fetch(_LIST_FOREIGN_DOMAINS, [row[0] for row in ids], now)
    return [read_foreign_domain(tuple(row), active_runs) for row in rows]


_SAVE_WAITING = f"""
    INSERT INTO set_aside ({SET_ASIDE_COLUMNS})
    SELECT
        u.id,
        d.source_id,
        d.id,
        u.depth,
        u.priority,
        u.due_at,
        CASE WHEN u.{UNVISITED} THEN NULL ELSE tenax_now() END
    FROM domains d
    JOIN urls u ON u.domain_id = d.id AND u.due_at IS NOT NULL
    WHERE d.id = ANY({_IDS})
    ON CONFLICT (url_id, source_id) DO UPDATE SET
        depth = excluded.depth,
        priority = excluded.priority,
        due_at = excluded.due_at,
        revisit_since = excluded.revisit_since
"""
_CLEAR_QUEUE = f"""
    UPDATE urls
    SET due_at = NULL
    WHERE domain_id = ANY({_IDS}) AND due_at IS NOT NULL
"""
_TAKE_DOMAINS = f"""
    UPDATE domains
    SET
        source_id = $2,
        queued = 0,
        avail_at = NULL,
        mixed = greatest(mixed, CASE WHEN pages_crawled > 0 THEN {CRAWLED_BY_OTHERS} ELSE {SET_ASIDE} END),
        status = CASE status WHEN 'active' THEN 'exhausted' ELSE status END,
        last_start_at = CASE WHEN claimed_by IS NULL THEN last_start_at ELSE $3::float8 END,
        last_answer_at = CASE WHEN claimed_by IS NULL THEN last_answer_at ELSE $3::float8 END,
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1
    WHERE id = ANY({_IDS})
"""


async def _set_aside(
    connection: Connection, source_id: int, foreign: Sequence[ForeignDomain], now: Instant
) -> None:
    """Make the source the owner of the domains, whose rows are locked, and set aside what waits there. Their
    fences are raised: a worker whose lease is over must not write there any more."""
    ids = [domain.id for domain in foreign]
    await connection.execute(_SAVE_WAITING, ids)
    await connection.execute(_CLEAR_QUEUE, ids)
    active = await connection.fetch(
        f"SELECT id FROM domains WHERE id = ANY({_IDS}) AND status = 'active'", ids
    )
    await add_status_changes(
        connection, [row[0] for row in active], DomainStatus.EXHAUSTED, Cause.ALL_DONE, GONE_DETAIL
    )
    # The last request of the worker that held it was at an unknown time: taken as now.
    await connection.execute(_TAKE_DOMAINS, ids, source_id, now)


_LOCK_RETURNED_DOMAINS = """
    SELECT id
    FROM domains
    WHERE source_id = $1
        AND id IN (SELECT domain_id FROM set_aside WHERE source_id = $1)
    ORDER BY id
    FOR UPDATE
"""
_RETURN_URLS = f"""
    WITH back AS (
        UPDATE urls u
        SET
            due_at = s.due_at,
            depth = s.depth,
            priority = s.priority,
            revisit_at = NULL
        FROM set_aside s
        WHERE s.source_id = $2
            AND s.domain_id = ANY({_IDS})
            AND u.id = s.url_id
            AND u.due_at IS NULL
            AND {STILL_WANTED}
        RETURNING 1
    )
    SELECT count(*)
    FROM back
"""


async def _bring_back(connection: Connection, source_id: int) -> int:
    """Queue what was set aside for the source on domains that it owns again; returns how many are due."""
    rows = await connection.fetch(_LOCK_RETURNED_DOMAINS, source_id)
    if not rows:
        return 0
    ids = [row[0] for row in rows]
    returned: int = await connection.fetchval(_RETURN_URLS, ids, source_id)
    await connection.execute(
        f"DELETE FROM set_aside WHERE source_id = $2 AND domain_id = ANY({_IDS})", ids, source_id
    )
    await _wake(connection, ids)
    return returned


_COUNT_QUEUED = f"""
    UPDATE domains
    SET
        queued = (
            SELECT count(*)
            FROM urls
            WHERE domain_id = domains.id AND due_at IS NOT NULL
        )
    WHERE id = ANY({_IDS})
"""
_WAKE_DOMAINS = f"""
    UPDATE domains
    SET
        avail_at = greatest(
            ready_at,
            last_answer_at,
            (
                SELECT min(due_at)
                FROM urls
                WHERE domain_id = domains.id AND due_at IS NOT NULL
            )
        ),
        status = CASE status WHEN 'exhausted' THEN 'active' ELSE status END
    WHERE id = ANY({_IDS})
        AND queued > 0
        AND claimed_by IS NULL
        AND NOT {LEFT_ALONE}
"""


async def _wake(connection: Connection, ids: Sequence[int]) -> None:
    await connection.execute(_COUNT_QUEUED, ids)
    waiting = await connection.fetch(f"SELECT id FROM domains WHERE id = ANY({_IDS}) AND queued > 0", ids)
    await add_wakes(connection, [row[0] for row in waiting])
    # A domain that a worker holds finds them by itself.
    await connection.execute(_WAKE_DOMAINS, ids)


_WANT_AGAIN = f"""
    WITH found AS MATERIALIZED (
        SELECT u.id, v.depth, v.priority
        FROM urls u
        JOIN unnest($2::bigint[], $3::bigint[], $4::int[], $5::int[]) AS v(
            domain_id, key, depth, priority
        )
            ON u.domain_id = v.domain_id
                AND u.key = v.key
        WHERE {IS_OPEN}
        ORDER BY u.id
        FOR UPDATE OF u
    ),
    again AS (
        UPDATE urls u
        SET
            due_at = $1::float8,
            depth = found.depth,
            priority = found.priority,
            reason = NULL,
            detail = NULL,
            fate = CASE u.fate WHEN 'refused' THEN 'queued' ELSE u.fate END
        FROM found
        WHERE u.id = found.id AND {IS_OPEN}
        RETURNING u.domain_id
    )
    SELECT domain_id, count(*)
    FROM again
    GROUP BY domain_id
"""


async def want_again(
    connection: Connection, urls: Sequence[NewUrl], ids: Mapping[str, int], now: Instant
) -> dict[int, int]:
    """Make urls that are set aside for others due for the source that has found them, too; returns how many,
    by domain. Locked in one order, so that transactions which find the same urls wait without a deadlock."""
    rows = await connection.fetch(_WANT_AGAIN, now, *_arrays(urls, ids))
    return {row[0]: row[1] for row in rows}


_SET_ASIDE_NEW = f"""
    INSERT INTO set_aside (url_id, source_id, domain_id, depth, priority, due_at)
    SELECT u.id, $6, u.domain_id, v.depth, v.priority, $1::float8
    FROM urls u
    JOIN unnest($2::bigint[], $3::bigint[], $4::int[], $5::int[]) AS v(domain_id, key, depth, priority)
        ON u.domain_id = v.domain_id
            AND u.key = v.key
    WHERE u.{UNVISITED}
    ORDER BY u.id
    ON CONFLICT (url_id, source_id) DO NOTHING
"""


async def set_aside_new(
    connection: Connection, source_id: int, urls: Sequence[NewUrl], ids: Mapping[str, int], now: Instant
) -> None:
    """Set urls aside until the source owns their domains; also known urls that wait for another source."""
    await connection.execute(_SET_ASIDE_NEW, now, *_arrays(urls, ids), source_id)


def _arrays(urls: Sequence[NewUrl], ids: Mapping[str, int]) -> tuple[list[int], ...]:
    return (
        [ids[url.domain] for url in urls],
        [url.key for url in urls],
        [url.depth for url in urls],
        [int(url.priority) for url in urls],
    )
