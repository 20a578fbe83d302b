"""How the workers of a run share its domains and its budget of pages. See contracts/frontier.py.

Counts of domains may be slightly outdated: they decide how much a worker takes, and a claim is still
exclusive.
"""

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.frontier import UNWANTED_AFTER_S
from tenax.stores.contracts.runs import LOST_AFTER_S, Grant
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.statements import SAVE_HUNGER
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.statements import TIERS

_SAVE_HUNGER = to_postgres(SAVE_HUNGER)

IS_HUNGRY = """
    EXISTS (
        SELECT 1
        FROM workers
        WHERE run_id = {run_id}
            AND ended_at IS NULL
            AND heartbeat_at > {since}
            AND is_hungry = 1
            AND id <> {worker_id}
    )
"""


_COUNT_LIVE_AND_HELD = """
    SELECT
        (
            SELECT count(*)
            FROM workers
            WHERE run_id = $1
                AND ended_at IS NULL
                AND heartbeat_at > $2
        ),
        (SELECT count(*) FROM domains WHERE claimed_by = $3)
"""


_COUNT_UNWANTED = f"""
    SELECT count(*)
    FROM (
        SELECT 1
        FROM {TIERS}
        CROSS JOIN LATERAL (
            SELECT 1
            FROM domains
            WHERE source_id = $2
                AND tier = tiers.tier
                AND avail_at <= $1
                AND (claim_expires_at IS NULL OR claim_expires_at <= $1)
            LIMIT {{limit}}
        ) d
        LIMIT {{limit}}
    ) free
"""


async def plan_claim(
    connection: Connection,
    *,
    source_id: int,
    worker_id: int,
    run_id: int,
    limit: int,
    lease_s: float,
    now: Instant,
) -> tuple[int, int, int]:
    """How many domains the worker may claim now; its share, and how many of it the worker holds."""
    live, held = await connection.fetchrow(_COUNT_LIVE_AND_HELD, run_id, now - lease_s, worker_id)
    if live <= 1:
        return limit, 0, 0
    share = await _find_share(connection, source_id, live, now, enough=held + limit)
    unwanted: int = await connection.fetchval(
        _COUNT_UNWANTED.format(limit=int(limit)), now - UNWANTED_AFTER_S, source_id
    )
    return max(min(limit, share - held), unwanted), share, held


async def save_hunger(connection: Connection, worker_id: int, is_hungry: bool) -> None:
    await connection.execute(_SAVE_HUNGER, int(is_hungry), worker_id)


async def find_share_to_keep(
    connection: Connection, *, source_id: int, worker_id: int, run_id: int, lease_s: float, now: Instant
) -> int:
    """The share of a worker; needed while another one is hungry."""
    live, held = await connection.fetchrow(_COUNT_LIVE_AND_HELD, run_id, now - lease_s, worker_id)
    return await _find_share(connection, source_id, live, now, enough=held)


_COUNT_GRANTED = """
    SELECT count(*), coalesce(sum(granted), 0)::bigint
    FROM workers
    WHERE run_id = $1
        AND ended_at IS NULL
        AND heartbeat_at > $2
"""
_GRANT_PAGES = """
    UPDATE workers
    SET granted = granted + $1
    WHERE id = $2 AND ended_at IS NULL
    RETURNING true
"""


async def grant_pages(
    connection: Connection, worker_id: int, run_id: int, wanted: int, limit: int, now: Instant
) -> Grant:
    # Locked until the end: no batch can be settled and no other grant made between these reads.
    state, pages = await connection.fetchrow("SELECT state, pages FROM runs WHERE id = $1 FOR UPDATE", run_id)
    live, granted = await connection.fetchrow(_COUNT_GRANTED, run_id, now - LOST_AFTER_S)
    left = max(limit - pages - granted, 0)
    given = min(wanted, -(-left // max(live, 1)))
    is_live = await connection.fetchval(_GRANT_PAGES, given, worker_id)
    return Grant(pages=given if is_live else 0, run_pages=pages, run_state=RunState(state))


async def return_pages(connection: Connection, worker_id: int, pages: int) -> None:
    await connection.execute(
        "UPDATE workers SET granted = greatest(granted - $1, 0) WHERE id = $2", pages, worker_id
    )


_COUNT_HELD_AND_FREE = f"""
    SELECT
        (
            SELECT count(*)
            FROM (
                SELECT 1
                FROM domains
                WHERE claimed_by IS NOT NULL AND source_id = $2
                LIMIT {{most}}
            ) a
        ),
        (
            SELECT count(*)
            FROM (
                SELECT 1
                FROM {TIERS}
                CROSS JOIN LATERAL (
                    SELECT 1
                    FROM domains
                    WHERE source_id = $2
                        AND tier = tiers.tier
                        AND claimed_by IS NULL
                        AND avail_at <= $1
                    LIMIT {{most}}
                ) d
                LIMIT {{most}}
            ) b
        )
"""


async def _find_share(connection: Connection, source_id: int, live: int, now: Instant, *, enough: int) -> int:
    """An equal part of the domains that are held or may be claimed. `enough` bounds the counting: a larger
    share makes no difference."""
    most = int(live * enough)
    held, free = await connection.fetchrow(_COUNT_HELD_AND_FREE.format(most=most), now, source_id)
    total: int = min(held + free, most)
    return -(-total // max(live, 1))
