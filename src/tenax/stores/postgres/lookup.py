"""Looks one url up with all that decides its fate. See base.LookupStore."""

from typing import Any

from tenax.job_records import NO_SOURCE
from tenax.records import RunState
from tenax.stores.base import DomainRow, UrlHistory, UrlRow
from tenax.stores.hot.rows import (
    DOMAIN_ROW_COLUMNS,
    ROBOTS_COLUMNS,
    URL_ROW_COLUMNS,
    read_domain_row,
    read_robots,
    read_url_row,
)
from tenax.stores.hot.takeover import DomainOwner, read_owner
from tenax.stores.hot.url_history import date_history
from tenax.stores.postgres.connection.connection import Connection
from tenax.stores.postgres.connection.database import PostgresDatabase


class PostgresLookup:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def find_history(self, *, domain: str, key: int, origin: str) -> UrlHistory:
        history = await self._database.read_snapshot(
            lambda connection: _find_history(connection, domain, key, origin)
        )
        return date_history(history, self._database.clock.drift_s)


_FIND_LAST_RUN = """
    SELECT id, state, settings
    FROM runs
    WHERE source_id = $1
    ORDER BY id DESC
    LIMIT 1
"""


async def _find_history(connection: Connection, domain: str, key: int, origin: str) -> UrlHistory:
    found = await connection.fetchrow("SELECT id, source_id FROM domains WHERE name = $1", domain)
    domain_id, source_id = found if found else (None, await _find_last_source(connection))
    robots = await connection.fetchrow(f"SELECT {ROBOTS_COLUMNS} FROM robots WHERE origin = $1", origin)
    run = await connection.fetchrow(_FIND_LAST_RUN, source_id)
    url = await _find_url(connection, domain_id, key) if domain_id else None
    owner = await connection.fetchrow("SELECT name, kind FROM sources WHERE id = $1", source_id)
    return UrlHistory(
        url=url,
        domain=await _find_domain(connection, domain_id) if domain_id else None,
        robots=read_robots(tuple(robots)) if robots else None,
        run_id=run[0] if run else None,
        run_state=RunState(run[1]) if run else None,
        settings_json=run[2] if run else None,
        source_id=source_id,
        owner=str(read_owner(*owner)) if owner else None,
        waits_for=await _list_waiting(connection, url.id) if url is not None and url.is_aside else (),
    )


async def _find_last_source(connection: Connection) -> int:
    """Whose rules a url of an unknown domain is asked about."""
    found: int | None = await connection.fetchval("SELECT source_id FROM runs ORDER BY id DESC LIMIT 1")
    return NO_SOURCE if found is None else found


_LIST_WAITING = """
    SELECT s.name, s.kind
    FROM set_aside a
    JOIN sources s ON s.id = a.source_id
    WHERE a.url_id = $1
    ORDER BY s.name
"""


async def _list_waiting(connection: Connection, url_id: int) -> tuple[DomainOwner, ...]:
    rows = await connection.fetch(_LIST_WAITING, url_id)
    return tuple(read_owner(*row) for row in rows)


_FIND_URL = f"""
    SELECT {URL_ROW_COLUMNS}
    FROM urls u
    LEFT JOIN urls parent ON parent.id = u.discovered_from
    LEFT JOIN pages p ON p.url_id = u.id
    WHERE u.domain_id = $1 AND u.key = $2
"""


async def _find_url(connection: Connection, domain_id: int, key: int) -> UrlRow | None:
    found = await connection.fetchrow(_FIND_URL, domain_id, key)
    if found is None:
        return None
    row = tuple(found)
    return read_url_row(row, ahead=await _count_ahead(connection, domain_id, row))


_COUNT_AHEAD = """
    SELECT count(*)
    FROM urls
    WHERE domain_id = $1
        AND due_at IS NOT NULL
        AND (priority > $2 OR (priority = $2 AND (due_at < $3 OR (due_at = $3 AND id < $4))))
"""


async def _count_ahead(connection: Connection, domain_id: int, row: tuple[Any, ...]) -> int:
    url_id, priority, due_at = row[0], row[7], row[12]
    if due_at is None:
        return 0
    ahead: int = await connection.fetchval(_COUNT_AHEAD, domain_id, priority, due_at, url_id)
    return ahead


_FIND_DOMAIN = f"""
    SELECT {DOMAIN_ROW_COLUMNS}
    FROM domains d
    LEFT JOIN workers w ON w.id = d.claimed_by
    WHERE d.id = $1
"""


async def _find_domain(connection: Connection, domain_id: int) -> DomainRow:
    row = await connection.fetchrow(_FIND_DOMAIN, domain_id)
    return read_domain_row(tuple(row))
