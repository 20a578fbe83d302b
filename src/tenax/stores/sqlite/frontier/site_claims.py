"""Claims where all domains of a site share one pace. See contracts/frontier.py and hot/site_claims.py.

The store has one writer at a time, so a claim is alone with it.
"""

from collections.abc import Collection

import orjson

from tenax.clock import Instant
from tenax.policy.scoring import order_tiers
from tenax.stores.hot.site_claims import LEAST_LOOKED_AT, LOOKS, Candidate, choose_apart, find_rests
from tenax.stores.hot.statements import LIST_HELD_SITES
from tenax.stores.sqlite.connection.database import Connection


def pick_apart(connection: Connection, source_id: int, limit: int, now: Instant, gap_s: float) -> list[int]:
    """The domains to claim, each of another site."""
    _free_expired(connection, source_id, now)
    taken = _list_held(connection, source_id)
    ids: list[int] = []
    for _ in range(LOOKS):
        if len(ids) >= limit or not (found := _look(connection, source_id, limit, now, taken)):
            break
        sites = {site for _, site, _ in found}
        rests = _find_rests(connection, source_id, sites, now, gap_s)
        chosen, later = choose_apart(found, rests, limit - len(ids))
        connection.executemany("UPDATE domains SET avail_at = ? WHERE id = ?", later)
        ids += chosen
        taken |= sites
    return ids


_FREE_EXPIRED = """
    UPDATE domains
    SET
        claimed_by = NULL,
        claim_expires_at = NULL,
        version = version + 1,
        last_start_at = ?1,
        last_answer_at = ?1,
        avail_at = CASE WHEN is_active = 1 THEN ?1 END
    WHERE claimed_by IS NOT NULL
        AND source_id = ?2
        AND claim_expires_at <= ?1
"""


def _free_expired(connection: Connection, source_id: int, now: Instant) -> None:
    """Free expired leases: their workers may come back, and must not continue beside the worker that gets
    another domain of the site. Their last request was at an unknown time: taken as now."""
    connection.execute(_FREE_EXPIRED, (now, source_id))


def _list_held(connection: Connection, source_id: int) -> set[str]:
    rows = connection.execute(LIST_HELD_SITES, (source_id,))
    return {row[0] for row in rows}


_LIST_CANDIDATES = """
    SELECT id, site, coalesce(last_start_at, 0.0)
    FROM domains
    WHERE source_id = ?
        AND tier = ?
        AND avail_at <= ?
        AND site NOT IN (SELECT value FROM json_each(?))
    ORDER BY avail_at
    LIMIT ?
"""


def _look(
    connection: Connection, source_id: int, limit: int, now: Instant, taken: Collection[str]
) -> list[Candidate]:
    """The best tier first, and within it those that have waited longest."""
    found: list[Candidate] = []
    most = max(4 * limit, LEAST_LOOKED_AT)
    passed_over = orjson.dumps(list(taken)).decode()
    for tier in order_tiers(now):
        rows = connection.execute(_LIST_CANDIDATES, (source_id, tier, now, passed_over, most - len(found)))
        found += [(row[0], row[1], row[2]) for row in rows]
        if len(found) >= most:
            break
    return found


_LIST_LAST_REQUESTS = """
    SELECT
        sites.value,
        (
            SELECT max(max(coalesce(last_start_at, 0), coalesce(last_answer_at, 0)))
            FROM domains
            WHERE site = sites.value
                AND source_id = ?2
                AND (last_start_at IS NOT NULL OR last_answer_at IS NOT NULL)
        )
    FROM json_each(?1) AS sites
"""


def _find_rests(
    connection: Connection, source_id: int, sites: Collection[str], now: Instant, gap_s: float
) -> dict[str, Instant]:
    # Site by site: grouped, the planner would go through all domains in the order of their sites.
    rows = connection.execute(_LIST_LAST_REQUESTS, (orjson.dumps(list(sites)).decode(), source_id)).fetchall()
    since = connection.execute("SELECT since_s()").fetchone()[0]
    return find_rests(((row[0], row[1]) for row in rows if row[1] is not None), gap_s, now, since)
