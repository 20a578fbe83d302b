"""Queues pages whose revisit is due, in SQLite. See contracts/refresh.py."""

from tenax.clock import Instant
from tenax.records.domains import Cause, DomainStatus
from tenax.records.jobs import NO_SOURCE
from tenax.stores.contracts.refresh import RefreshBudget, RefreshStep
from tenax.stores.hot.revisits import CANDIDATES, CANDIDATES_ORDER, NEXT_VISIT, WAKE_DETAIL
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.domain_events import add_status_change


class SqliteRefresh:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def promote(self, step: RefreshBudget) -> RefreshStep:
        return await self._database.write(lambda connection: _promote(connection, self._source_id, step))


_LIST_CANDIDATES = f"""
    SELECT id
    FROM domains
    WHERE {CANDIDATES}
        AND source_id = ?
        AND coalesce(revisit_at, 0) <= ?
    ORDER BY {CANDIDATES_ORDER}
    LIMIT ?
"""


def _promote(connection: Connection, source_id: int, step: RefreshBudget) -> RefreshStep:
    now, wall = connection.execute("SELECT now_s(), wall_s()").fetchone()
    rows = connection.execute(_LIST_CANDIDATES, (source_id, wall + step.ahead_s, step.domains)).fetchall()
    urls = looked_at = 0
    for (domain_id,) in rows:
        if urls >= step.limit:
            break
        looked_at += 1
        room = min(step.per_domain, step.limit - urls)
        urls += _promote_domain(connection, domain_id, room, (now, wall), step)
    return RefreshStep(urls=urls, domains=looked_at)


_QUEUE_URLS = f"""
    UPDATE urls
    SET due_at = ?1, revisit_at = NULL
    WHERE id IN (
        SELECT id
        FROM urls
        WHERE domain_id = ?2 AND {NEXT_VISIT} <= ?4
        ORDER BY {NEXT_VISIT}, id
        LIMIT ?3
    )
"""
_WAKE_DOMAIN = """
    UPDATE domains
    SET
        queued = queued + ?1,
        status = 'active',
        avail_at = max(?2, coalesce(ready_at, 0))
    WHERE id = ?3
"""


def _promote_domain(
    connection: Connection, domain_id: int, limit: int, times: tuple[Instant, Instant], step: RefreshBudget
) -> int:
    """Queue due urls of one domain. `times`: now, by the store's clock and by the calendar, which revisits
    are planned by."""
    now, wall = times
    promoted: int = connection.execute(_QUEUE_URLS, (now, domain_id, limit, wall + step.ahead_s)).rowcount
    earliest = connection.execute(
        f"SELECT min({NEXT_VISIT}) FROM urls WHERE domain_id = ?", (domain_id,)
    ).fetchone()[0]
    connection.execute(
        "UPDATE domains SET revisit_at = ? WHERE id = ?",
        (wall + step.idle_s if earliest is None else earliest, domain_id),
    )
    if promoted:
        statuses = (DomainStatus.EXHAUSTED, DomainStatus.ACTIVE)
        add_status_change(connection, domain_id, statuses, Cause.REFRESH, WAKE_DETAIL, now)
        connection.execute(_WAKE_DOMAIN, (promoted, now, domain_id))
    return promoted
