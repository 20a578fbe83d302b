"""Seeds in SQLite. See contracts/seeds.py."""

from collections.abc import Collection, Sequence

import orjson

from tenax.clock import Instant
from tenax.config.crawl import ScopeKind
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import ListedSeed
from tenax.stores.contracts.seeds import ImportedSeeds, SeedCount
from tenax.stores.hot.seeds import (
    Root,
    keep_best,
    make_seed,
    plan_search,
    rank_domains,
    rate_seed,
    split_roots,
)
from tenax.stores.hot.statements import COUNT_SEEDS, LIST_NAMED_SEEDS, LOAD_SEEDS
from tenax.stores.sqlite.connection.database import Connection, SqliteDatabase
from tenax.stores.sqlite.frontier.urls import insert_urls

# A new rank of NULL is only better than no list at all.
_IS_BETTER = "(source IS NULL OR ?1 < coalesce({rank}, 9e99))"
_RATE = ", ".join(
    f"{name} = CASE WHEN status = 'pending' AND pages_crawled = 0 THEN ?{number} ELSE {name} END"
    for number, name in enumerate(("priority_computed_at", "priority_score", "tier"), 4)
)


class SqliteSeeds:
    def __init__(self, database: SqliteDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def import_seeds(self, seeds: Sequence[ListedSeed], source: str, now: Instant) -> ImportedSeeds:
        return await self._database.write(
            lambda connection: _import(connection, self._source_id, seeds, source, now)
        )

    async def replace_seeds(self, urls: Collection[str]) -> None:
        await self._database.write(lambda connection: _replace(connection, self._source_id, urls))

    async def load_seeds(self, after_id: int, limit: int) -> tuple[list[str], int]:
        rows = await self._database.read(
            lambda connection: connection.execute(
                LOAD_SEEDS,
                (self._source_id, after_id, limit),
            ).fetchall()
        )
        return [row[0] for row in rows], rows[-1][1] if rows else after_id

    async def count_seeds(self) -> SeedCount:
        row = await self._database.read(
            lambda connection: connection.execute(COUNT_SEEDS, (self._source_id,)).fetchone()
        )
        return SeedCount(seeds=row[0], newest_id=row[1])

    async def find_roots(self, kind: ScopeKind, roots: Collection[str]) -> set[str]:
        search = plan_search(kind, roots)
        return await self._database.read(
            lambda connection: {
                root for root, place in search if _is_root(connection, self._source_id, place)
            }
        )


_DELETE_SEEDS = """
    DELETE FROM seeds
    WHERE source_id = ? AND url NOT IN (SELECT value FROM json_each(?))
"""


def _replace(connection: Connection, source_id: int, urls: Collection[str]) -> None:
    rows = connection.execute(LIST_NAMED_SEEDS, (source_id,))
    if {row[0] for row in rows} <= set(urls):
        return
    connection.execute(_DELETE_SEEDS, (source_id, orjson.dumps(list(urls)).decode()))


def _is_root(connection: Connection, source_id: int, place: Root) -> bool:
    site, host = place
    if not host:
        found = connection.execute(
            "SELECT 1 FROM seeds WHERE source_id = ? AND site = ? LIMIT 1", (source_id, site)
        ).fetchone()
    else:
        found = connection.execute(
            "SELECT 1 FROM seeds WHERE source_id = ? AND site = ? AND host = ? LIMIT 1",
            (source_id, site, host),
        ).fetchone()
    return found is not None


_RANK_DOMAINS = f"""
    UPDATE domains
    SET
        seed_rank = ?1,
        source = ?2,
        {_RATE}
    WHERE name = ?3 AND {_IS_BETTER.format(rank="seed_rank")}
"""


def _import(
    connection: Connection, source_id: int, seeds: Sequence[ListedSeed], source: str, now: Instant
) -> ImportedSeeds:
    ranks = keep_best(seeds)
    newest = connection.execute("SELECT coalesce(max(id), 0) FROM domains").fetchone()[0]
    wall = connection.execute("SELECT wall_s()").fetchone()[0]
    added = _save(connection, source_id, ranks, source, wall)
    insert_urls(connection, [make_seed(url) for url in ranks], now, source_id=source_id, are_listed=True)
    ranked = connection.executemany(
        _RANK_DOMAINS,
        [(rank, source, name, wall, *rate_seed(rank, wall)) for name, rank in rank_domains(ranks).items()],
    ).rowcount
    domains: int = connection.execute("SELECT count(*) FROM domains WHERE id > ?", (newest,)).fetchone()[0]
    return ImportedSeeds(seeds=added, domains=domains, ranked=ranked - domains)


_INSERT_SEEDS = """
    INSERT INTO seeds (url, cause, added_at, source, rank, host, site, source_id)
    VALUES (?, 'list', ?, ?, ?, ?, ?, ?)
    ON CONFLICT (source_id, url) DO NOTHING
"""
_IMPROVE_SEEDS = f"""
    UPDATE seeds
    SET rank = ?1, source = ?2
    WHERE source_id = ?4
        AND url = ?3
        AND {_IS_BETTER.format(rank="rank")}
"""


def _save(
    connection: Connection, source_id: int, ranks: dict[str, int | None], source: str, wall: Instant
) -> int:
    added = connection.executemany(
        _INSERT_SEEDS,
        [(url, wall, source, rank, *split_roots(url), source_id) for url, rank in ranks.items()],
    ).rowcount
    if added < len(ranks):
        connection.executemany(
            _IMPROVE_SEEDS, [(rank, source, url, source_id) for url, rank in ranks.items()]
        )
    return added
