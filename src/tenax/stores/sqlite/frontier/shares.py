"""How the workers of a run share its domains and its budget of pages. See contracts/frontier.py."""

from tenax.clock import Instant
from tenax.records.runs import RunState
from tenax.stores.contracts.frontier import UNWANTED_AFTER_S
from tenax.stores.contracts.runs import LOST_AFTER_S, Grant
from tenax.stores.hot.statements import SAVE_HUNGER
from tenax.stores.sqlite.connection.database import Connection
from tenax.stores.sqlite.frontier.statements import TIERS

_COUNT_UNWANTED = f"""
    SELECT count(*)
    FROM (
        SELECT 1
        FROM {TIERS}
        CROSS JOIN domains d ON d.source_id = ? AND d.tier = tiers.column1 AND d.avail_at <= ?
        LIMIT ?
    )
"""


def plan_claim(
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
    live = _count_live(connection, run_id, now - lease_s)
    if live <= 1:
        return limit, 0, 0
    held = _count_held(connection, worker_id)
    share = _find_share(connection, source_id, live, now, enough=held + limit)
    unwanted = connection.execute(_COUNT_UNWANTED, (source_id, now - UNWANTED_AFTER_S, limit)).fetchone()[0]
    return max(min(limit, share - held), unwanted), share, held


def save_hunger(connection: Connection, worker_id: int, is_hungry: bool) -> None:
    connection.execute(SAVE_HUNGER, (int(is_hungry), worker_id))


_FIND_HUNGRY = """
    SELECT 1
    FROM workers
    WHERE run_id = ?
        AND ended_at IS NULL
        AND heartbeat_at > ?
        AND is_hungry
        AND id <> ?
    LIMIT 1
"""


def find_share_to_keep(
    connection: Connection, *, source_id: int, worker_id: int, run_id: int, lease_s: float, now: Instant
) -> int | None:
    """The share of a worker while another one is hungry; None: no other one is."""
    hungry = connection.execute(_FIND_HUNGRY, (run_id, now - lease_s, worker_id)).fetchone()
    if hungry is None:
        return None
    live = _count_live(connection, run_id, now - lease_s)
    return _find_share(connection, source_id, live, now, enough=_count_held(connection, worker_id))


_COUNT_GRANTED = """
    SELECT count(*), coalesce(sum(granted), 0)
    FROM workers
    WHERE run_id = ?
        AND ended_at IS NULL
        AND heartbeat_at > now_s() - ?
"""


def grant_pages(connection: Connection, worker_id: int, run_id: int, wanted: int, limit: int) -> Grant:
    state, pages = connection.execute("SELECT state, pages FROM runs WHERE id = ?", (run_id,)).fetchone()
    live, granted = connection.execute(_COUNT_GRANTED, (run_id, LOST_AFTER_S)).fetchone()
    left = max(limit - pages - granted, 0)
    given = min(wanted, -(-left // max(live, 1)))
    cursor = connection.execute(
        "UPDATE workers SET granted = granted + ? WHERE id = ? AND ended_at IS NULL", (given, worker_id)
    )
    return Grant(pages=given if cursor.rowcount else 0, run_pages=pages, run_state=RunState(state))


def return_pages(connection: Connection, worker_id: int, pages: int) -> None:
    connection.execute("UPDATE workers SET granted = max(granted - ?, 0) WHERE id = ?", (pages, worker_id))


def _count_held(connection: Connection, worker_id: int) -> int:
    row = connection.execute("SELECT count(*) FROM domains WHERE claimed_by = ?", (worker_id,)).fetchone()
    return int(row[0])


_COUNT_LIVE = """
    SELECT count(*)
    FROM workers
    WHERE run_id = ?
        AND ended_at IS NULL
        AND heartbeat_at > ?
"""


def _count_live(connection: Connection, run_id: int, since: Instant) -> int:
    row = connection.execute(_COUNT_LIVE, (run_id, since)).fetchone()
    return int(row[0])


_COUNT_HELD_AND_FREE = f"""
    SELECT count(*)
    FROM (
        SELECT 1
        FROM domains
        WHERE claimed_by IS NOT NULL AND source_id = ?3
        LIMIT ?1
    )
    UNION ALL
    SELECT count(*)
    FROM (
        SELECT 1
        FROM {TIERS}
        CROSS JOIN domains d ON d.source_id = ?3 AND d.tier = tiers.column1 AND d.avail_at <= ?2
        WHERE d.claimed_by IS NULL
        LIMIT ?1
    )
"""


def _find_share(connection: Connection, source_id: int, live: int, now: Instant, *, enough: int) -> int:
    """An equal part of the domains that are held or may be claimed. `enough` bounds the counting: a larger
    share makes no difference."""
    most = live * enough
    rows = connection.execute(_COUNT_HELD_AND_FREE, (most, now, source_id)).fetchall()
    total = min(sum(int(row[0]) for row in rows), most)
    return -(-total // max(live, 1))
