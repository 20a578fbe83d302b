"""Claims where all domains of a site share one pace. See contracts/frontier.py and hot/site_claims.py."""

from collections.abc import Collection

from tenax.clock import Instant
from tenax.policy.scoring import order_tiers
from tenax.stores.clock import StoreClock
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.site_claims import LEAST_LOOKED_AT, LOOKS, MARK, Candidate, choose_apart, find_rests
from tenax.stores.hot.statements import LIST_HELD_SITES
from tenax.stores.postgres.connection.protocol import Connection

_LIST_HELD_SITES = to_postgres(LIST_HELD_SITES)


async def pick_apart(
    connection: Connection, clock: StoreClock, source_id: int, limit: int, now: Instant, gap_s: float
) -> list[int]:
    """The domains to claim, each of another site; their rows are locked. Until the end of the transaction
    nobody else claims this way, and no feed of such a site is requested."""
    await _lock_mark(connection)
    await _free_expired(connection, source_id, now)
    taken = await _list_held(connection, source_id)
    ids: list[int] = []
    for _ in range(LOOKS):
        if len(ids) >= limit or not (found := await _look(connection, source_id, limit, now, taken)):
            break
        sites = {site for _, site, _ in found}
        rests = await _find_rests(connection, clock, source_id, sites, now, gap_s)
        chosen, later = choose_apart(found, rests, limit - len(ids))
        await _postpone(connection, later)
        ids += chosen
        taken |= sites
    return ids


_HOLD_CURSOR = """
    INSERT INTO marks (name, position)
    VALUES ($1, 0)
    ON CONFLICT (name) DO UPDATE SET position = marks.position
"""


async def _lock_mark(connection: Connection) -> None:
    """Lock the mark of such claims until the end of the transaction."""
    await connection.execute(_HOLD_CURSOR, MARK)


_FREE_EXPIRED = """
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        last_start_at = $1::float8,
        last_answer_at = $1::float8,
        avail_at = CASE WHEN is_active = 1 THEN $1::float8 END
    WHERE id = ANY(
        ARRAY(
            SELECT id
            FROM domains
            WHERE claimed_by IS NOT NULL
                AND source_id = $2
                AND claim_expires_at <= $1::float8
            FOR UPDATE SKIP LOCKED
        )
    )
"""


async def _free_expired(connection: Connection, source_id: int, now: Instant) -> None:
    """Free expired leases: their workers may come back, and must not continue beside the worker that gets
    another domain of the site. Their last request was at an unknown time: taken as now. A lease that is
    renewed at this moment stays."""
    await connection.execute(_FREE_EXPIRED, now, source_id)


async def _list_held(connection: Connection, source_id: int) -> set[str]:
    rows = await connection.fetch(_LIST_HELD_SITES, source_id)
    return {row[0] for row in rows}


_LOCK_CANDIDATES = """
    SELECT free.id, free.site, coalesce(free.last_start_at, 0)
    FROM unnest($1::int[]) AS tiers(tier)
    CROSS JOIN LATERAL (
        SELECT id, site, last_start_at
        FROM domains
        WHERE source_id = $2
            AND tier = tiers.tier
            AND avail_at <= $3::float8
            AND claimed_by IS NULL
            AND NOT site = ANY($4::text[])
        ORDER BY avail_at
        LIMIT {most}
        FOR UPDATE SKIP LOCKED
    ) free
    LIMIT {most}
"""


async def _look(
    connection: Connection, source_id: int, limit: int, now: Instant, taken: Collection[str]
) -> list[Candidate]:
    """The best tier first, and within it those that have waited longest. A row that is locked by another
    transaction is skipped."""
    most = int(max(4 * limit, LEAST_LOOKED_AT))
    rows = await connection.fetch(
        _LOCK_CANDIDATES.format(most=most), order_tiers(now), source_id, now, list(taken)
    )
    return [(row[0], row[1], row[2]) for row in rows]


_LIST_LAST_REQUESTS = """
    SELECT site, max(greatest(last_start_at, last_answer_at))
    FROM domains
    WHERE site = ANY($1::text[])
        AND source_id = $2
        AND (last_start_at IS NOT NULL OR last_answer_at IS NOT NULL)
    GROUP BY site
"""


async def _find_rests(
    connection: Connection,
    clock: StoreClock,
    source_id: int,
    sites: Collection[str],
    now: Instant,
    gap_s: float,
) -> dict[str, Instant]:
    rows = await connection.fetch(_LIST_LAST_REQUESTS, list(sites), source_id)
    return find_rests(((row[0], row[1]) for row in rows), gap_s, now, clock.since)


_PUT_OFF = """
    UPDATE domains d
    SET avail_at = v.at
    FROM unnest($1::float8[], $2::bigint[]) AS v(at, id)
    WHERE d.id = v.id
"""


async def _postpone(connection: Connection, later: list[tuple[Instant, int]]) -> None:
    if later:
        await connection.execute(_PUT_OFF, [at for at, _ in later], [domain_id for _, domain_id in later])
