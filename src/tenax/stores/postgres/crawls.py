"""Crawls in PostgreSQL. See contracts/crawls.py."""

from collections.abc import Collection

from tenax.records.jobs import NO_SOURCE
from tenax.stores.contracts.crawls import Crawl, CrawlSummary, fold_crawl
from tenax.stores.hot.crawls import (
    ADD_CRAWL,
    FIND_CRAWL,
    FIND_DEFAULT,
    LIST_CRAWLS,
    read_crawl,
    read_snapshot,
)
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection

_FIND_CRAWL = to_postgres(FIND_CRAWL)
_FIND_DEFAULT = to_postgres(FIND_DEFAULT)
_FIND_OWNERS = """
    SELECT name, source_id
    FROM domains
    WHERE source_id <> $1 AND name = ANY($2::text[])
"""


class PostgresCrawls:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def ensure(self, name: str, first_seed: str | None = None) -> Crawl:
        return await self._database.write(lambda connection: _ensure(connection, name, first_seed))

    async def find(self, name: str) -> Crawl | None:
        return await self._database.read(lambda connection: _find(connection, name))

    async def list(self) -> list[CrawlSummary]:
        rows = await self._database.read(lambda connection: connection.fetch(LIST_CRAWLS))
        return [read_snapshot(tuple(row)) for row in rows]

    async def find_owners(self, domains: Collection[str]) -> dict[str, int]:
        rows = await self._database.read(
            lambda connection: connection.fetch(_FIND_OWNERS, NO_SOURCE, list(domains))
        )
        return {row[0]: row[1] for row in rows}


async def _find(connection: Connection, name: str) -> Crawl | None:
    row = await connection.fetchrow(_FIND_CRAWL, fold_crawl(name))
    return None if row is None else read_crawl(tuple(row))


async def _ensure(connection: Connection, name: str, first_seed: str | None) -> Crawl:
    if first_seed is not None and await _find(connection, name) is None:
        row = await connection.fetchrow(_FIND_DEFAULT, first_seed)
        if row is not None:
            return read_crawl(tuple(row))
    key = fold_crawl(name)
    await connection.execute(ADD_CRAWL.format(name="$1::text", key="$2::text", now="tenax_now()"), name, key)
    row = await connection.fetchrow(_FIND_CRAWL, key)
    return read_crawl(tuple(row))
