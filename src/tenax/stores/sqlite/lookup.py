"""Looks up one url with everything that decides its fate. See contracts/lookup.py."""

from tenax.records.jobs import NO_SOURCE
from tenax.records.runs import RunState
from tenax.stores.contracts.lookup import DomainRow, ParsedUrl, UrlHistory, UrlRow
from tenax.stores.contracts.takeover import DomainOwner
from tenax.stores.hot.items.url_items import (
    COUNT_URL_ITEMS,
    FIND_PARSER_FAILURE,
    LIST_URL_FOLLOW_UPS,
    LIST_URL_ITEMS,
    read_parsed_url,
)
from tenax.stores.hot.report_rows import UrlColumns, read_domain_row, read_url_columns, read_url_row
from tenax.stores.hot.rows import read_robots
from tenax.stores.hot.statements import (
    COUNT_AHEAD,
    COUNT_BODIES,
    FIND_DOMAIN,
    FIND_DOMAIN_ROW,
    FIND_LAST_RUN,
    FIND_LAST_SOURCE,
    FIND_ROBOTS,
    FIND_SOURCE,
    FIND_URL,
    LIST_WAITING_SOURCES,
)
from tenax.stores.hot.takeover import read_owner
from tenax.stores.hot.url_history import date_history
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.learned.traps import load_traps


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


def _find_history(connection: Connection, domain: str, key: int, origin: str) -> UrlHistory:
    found = connection.execute(FIND_DOMAIN, (domain,)).fetchone()
    robots = connection.execute(FIND_ROBOTS, (origin,)).fetchone()
    source_id = found[1] if found else _find_last_source(connection)
    run = connection.execute(FIND_LAST_RUN, (source_id,)).fetchone()
    url = _find_url(connection, found[0], key) if found else None
    owner = connection.execute(FIND_SOURCE, (source_id,)).fetchone()
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
        traps=tuple(load_traps(connection, found[0])) if found else (),
        parsed=_find_parsed(connection, found[0], url.id) if url is not None else ParsedUrl(),
        bodies=connection.execute(COUNT_BODIES, (url.id,)).fetchone()[0] if url is not None else 0,
    )


def _find_parsed(connection: Connection, domain_id: int, url_id: int) -> ParsedUrl:
    return read_parsed_url(
        connection.execute(LIST_URL_ITEMS, (url_id,)).fetchall(),
        connection.execute(COUNT_URL_ITEMS, (url_id, url_id)).fetchone(),
        connection.execute(LIST_URL_FOLLOW_UPS, (url_id,)).fetchall(),
        connection.execute(FIND_PARSER_FAILURE, (domain_id, url_id)).fetchone(),
    )


def _find_last_source(connection: Connection) -> int:
    """The source whose rules apply to a url of an unknown domain."""
    row = connection.execute(FIND_LAST_SOURCE).fetchone()
    return row[0] if row else NO_SOURCE


def _list_waiting(connection: Connection, url_id: int) -> tuple[DomainOwner, ...]:
    rows = connection.execute(LIST_WAITING_SOURCES, (url_id,))
    return tuple(read_owner(*row) for row in rows)


def _find_url(connection: Connection, domain_id: int, key: int) -> UrlRow | None:
    row = connection.execute(FIND_URL, (domain_id, key)).fetchone()
    return (
        None
        if row is None
        else read_url_row(row, ahead=_count_ahead(connection, domain_id, read_url_columns(row)))
    )


def _count_ahead(connection: Connection, domain_id: int, url: UrlColumns) -> int:
    if url.due_at is None:
        return 0
    ahead: int = connection.execute(COUNT_AHEAD, (domain_id, url.priority, url.due_at, url.id)).fetchone()[0]
    return ahead


def _find_domain(connection: Connection, domain_id: int) -> DomainRow:
    row = connection.execute(FIND_DOMAIN_ROW, (domain_id,)).fetchone()
    return read_domain_row(row)
