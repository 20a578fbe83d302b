"""Crawls in SQLite. See contracts/crawls.py."""

from collections.abc import Collection

import orjson

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
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase

_FIND_OWNERS = """
    SELECT name, source_id
    FROM domains
    WHERE source_id <> ? AND name IN (SELECT value FROM json_each(?))
"""


class SqliteCrawls:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def ensure(self, name: str, first_seed: str | None = None) -> Crawl:
        return await self._database.write(lambda connection: _ensure(connection, name, first_seed))

    async def find(self, name: str) -> Crawl | None:
        return await self._database.read(lambda connection: _find(connection, name))

    async def list(self) -> list[CrawlSummary]:
        rows = await self._database.read(lambda connection: connection.execute(LIST_CRAWLS).fetchall())
        return [read_snapshot(row) for row in rows]

    async def find_owners(self, domains: Collection[str]) -> dict[str, int]:
        rows = await self._database.read(
            lambda connection: connection.execute(
                _FIND_OWNERS, (NO_SOURCE, orjson.dumps(list(domains)).decode())
            ).fetchall()
        )
        return dict(rows)


def _ensure(connection: Connection, name: str, first_seed: str | None) -> Crawl:
    if first_seed is not None and _find(connection, name) is None:
        row = connection.execute(FIND_DEFAULT, (first_seed,)).fetchone()
        if row is not None:
            return read_crawl(row)
    connection.execute(ADD_CRAWL.format(name="?1", key="?2", now="wall_s()"), (name, fold_crawl(name)))
    row = connection.execute(FIND_CRAWL, (fold_crawl(name),)).fetchone()
    return read_crawl(row)


def _find(connection: Connection, name: str) -> Crawl | None:
    row = connection.execute(FIND_CRAWL, (fold_crawl(name),)).fetchone()
    return None if row is None else read_crawl(row)
