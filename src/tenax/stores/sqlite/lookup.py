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
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase


class SqliteLookup:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def find_history(self, *, domain: str, key: int, origin: str) -> UrlHistory:
        history = await self._database.read(lambda connection: _in_snapshot(connection, domain, key, origin))
        return date_history(history, self._database.clock.drift_s)


def _in_snapshot(connection: Connection, domain: str, key: int, origin: str) -> UrlHistory:
    connection.execute("BEGIN")
    try:
        return _find_history(connection, domain, key, origin)
    finally:
        connection.execute("COMMIT")


_FIND_LAST_RUN = """
    SELECT id, state, settings
    FROM runs
    WHERE source_id = ?
    ORDER BY id DESC
    LIMIT 1
"""


def _find_history(connection: Connection, domain: str, key: int, origin: str) -> UrlHistory:
    found = connection.execute("SELECT id, source_id FROM domains WHERE name = ?", (domain,)).fetchone()
    robots = connection.execute(f"SELECT {ROBOTS_COLUMNS} FROM robots WHERE origin = ?", (origin,)).fetchone()
    source_id = found[1] if found else _find_last_source(connection)
    run = connection.execute(_FIND_LAST_RUN, (source_id,)).fetchone()
    url = _find_url(connection, found[0], key) if found else None
    owner = connection.execute("SELECT name, kind FROM sources WHERE id = ?", (source_id,)).fetchone()
    return UrlHistory(
        url=url,
        domain=_find_domain(connection, found[0]) if found else None,
        robots=read_robots(robots) if robots else None,
        run_id=run[0] if run else None,
        run_state=RunState(run[1]) if run else None,
        settings_json=run[2] if run else None,
        source_id=source_id,
        owner=str(read_owner(*owner)) if owner else None,
        waits_for=_list_waiting(connection, url.id) if url is not None and url.is_aside else (),
    )


def _find_last_source(connection: Connection) -> int:
    """Whose rules a url of an unknown domain is asked about."""
    row = connection.execute("SELECT source_id FROM runs ORDER BY id DESC LIMIT 1").fetchone()
    return row[0] if row else NO_SOURCE


_LIST_WAITING = """
    SELECT s.name, s.kind
    FROM set_aside a
    JOIN sources s ON s.id = a.source_id
    WHERE a.url_id = ?
    ORDER BY s.name
"""


def _list_waiting(connection: Connection, url_id: int) -> tuple[DomainOwner, ...]:
    rows = connection.execute(_LIST_WAITING, (url_id,))
    return tuple(read_owner(*row) for row in rows)


_FIND_URL = f"""
    SELECT {URL_ROW_COLUMNS}
    FROM urls u
    LEFT JOIN urls parent ON parent.id = u.discovered_from
    LEFT JOIN pages p ON p.url_id = u.id
    WHERE u.domain_id = ? AND u.key = ?
"""


def _find_url(connection: Connection, domain_id: int, key: int) -> UrlRow | None:
    row = connection.execute(_FIND_URL, (domain_id, key)).fetchone()
    return None if row is None else read_url_row(row, ahead=_count_ahead(connection, domain_id, row))


_COUNT_AHEAD = """
    SELECT count(*)
    FROM urls
    WHERE domain_id = ?1
        AND due_at IS NOT NULL
        AND (priority > ?2 OR (priority = ?2 AND (due_at < ?3 OR (due_at = ?3 AND id < ?4))))
"""


def _count_ahead(connection: Connection, domain_id: int, row: tuple[Any, ...]) -> int:
    url_id, priority, due_at = row[0], row[7], row[12]
    if due_at is None:
        return 0
    ahead: int = connection.execute(_COUNT_AHEAD, (domain_id, priority, due_at, url_id)).fetchone()[0]
    return ahead


_FIND_DOMAIN = f"""
    SELECT {DOMAIN_ROW_COLUMNS}
    FROM domains d
    LEFT JOIN workers w ON w.id = d.claimed_by
    WHERE d.id = ?
"""


def _find_domain(connection: Connection, domain_id: int) -> DomainRow:
    row = connection.execute(_FIND_DOMAIN, (domain_id,)).fetchone()
    return read_domain_row(row)
