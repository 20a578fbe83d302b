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
from tenax.stores.hot.parameters import to_postgres
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
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.learned.traps import load_traps

_COUNT_AHEAD = to_postgres(COUNT_AHEAD)
_COUNT_BODIES = to_postgres(COUNT_BODIES)
_FIND_DOMAIN = to_postgres(FIND_DOMAIN)
_FIND_DOMAIN_ROW = to_postgres(FIND_DOMAIN_ROW)
_FIND_LAST_RUN = to_postgres(FIND_LAST_RUN)
_FIND_ROBOTS = to_postgres(FIND_ROBOTS)
_FIND_SOURCE = to_postgres(FIND_SOURCE)
_FIND_URL = to_postgres(FIND_URL)
_LIST_WAITING_SOURCES = to_postgres(LIST_WAITING_SOURCES)
_COUNT_URL_ITEMS = to_postgres(COUNT_URL_ITEMS)
_FIND_PARSER_FAILURE = to_postgres(FIND_PARSER_FAILURE)
_LIST_URL_FOLLOW_UPS = to_postgres(LIST_URL_FOLLOW_UPS)
_LIST_URL_ITEMS = to_postgres(LIST_URL_ITEMS)


class PostgresLookup:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def find_history(self, *, domain: str, key: int, origin: str) -> UrlHistory:
        history = await self._database.read_snapshot(
            lambda connection: _find_history(connection, domain, key, origin)
        )
        return date_history(history, self._database.clock.drift_s)


async def _find_history(connection: Connection, domain: str, key: int, origin: str) -> UrlHistory:
    found = await connection.fetchrow(_FIND_DOMAIN, domain)
    domain_id, source_id = found if found else (None, await _find_last_source(connection))
    robots = await connection.fetchrow(_FIND_ROBOTS, origin)
    run = await connection.fetchrow(_FIND_LAST_RUN, source_id)
    url = await _find_url(connection, domain_id, key) if domain_id else None
    owner = await connection.fetchrow(_FIND_SOURCE, source_id)
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
        traps=tuple((await load_traps(connection, [domain_id])).get(domain_id, ())) if domain_id else (),
        parsed=await _find_parsed(connection, domain_id, url.id) if domain_id and url else ParsedUrl(),
        bodies=await connection.fetchval(_COUNT_BODIES, url.id) if url else 0,
    )


async def _find_parsed(connection: Connection, domain_id: int, url_id: int) -> ParsedUrl:
    return read_parsed_url(
        await connection.fetch(_LIST_URL_ITEMS, url_id),
        await connection.fetchrow(_COUNT_URL_ITEMS, url_id, url_id),
        await connection.fetch(_LIST_URL_FOLLOW_UPS, url_id),
        await connection.fetchrow(_FIND_PARSER_FAILURE, domain_id, url_id),
    )


async def _find_last_source(connection: Connection) -> int:
    """The source whose rules apply to a url of an unknown domain."""
    found: int | None = await connection.fetchval(FIND_LAST_SOURCE)
    return NO_SOURCE if found is None else found


async def _list_waiting(connection: Connection, url_id: int) -> tuple[DomainOwner, ...]:
    rows = await connection.fetch(_LIST_WAITING_SOURCES, url_id)
    return tuple(read_owner(*row) for row in rows)


async def _find_url(connection: Connection, domain_id: int, key: int) -> UrlRow | None:
    found = await connection.fetchrow(_FIND_URL, domain_id, key)
    if found is None:
        return None
    row = tuple(found)
    return read_url_row(row, ahead=await _count_ahead(connection, domain_id, read_url_columns(row)))


async def _count_ahead(connection: Connection, domain_id: int, url: UrlColumns) -> int:
    if url.due_at is None:
        return 0
    ahead: int = await connection.fetchval(_COUNT_AHEAD, domain_id, url.priority, url.due_at, url.id)
    return ahead


async def _find_domain(connection: Connection, domain_id: int) -> DomainRow:
    row = await connection.fetchrow(_FIND_DOMAIN_ROW, domain_id)
    return read_domain_row(tuple(row))
