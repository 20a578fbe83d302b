"""Seeds in PostgreSQL. See hot/seeds.py; frontier/urls.py says in which order rows are written."""

from collections.abc import Collection, Sequence

from tenax.clock import Instant
from tenax.config.crawl import ScopeKind
from tenax.records.jobs import NO_SOURCE
from tenax.records.urls import ListedSeed
from tenax.stores.contracts.seeds import ImportedSeeds, SeedCount
from tenax.stores.hot.parameters import to_postgres
from tenax.stores.hot.seeds import keep_best, make_seed, plan_search, rank_domains, rate_seed, split_roots
from tenax.stores.hot.statements import COUNT_SEEDS, LIST_NAMED_SEEDS, LOAD_SEEDS
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.frontier.discovery.yields import add_yields
from tenax.stores.postgres.frontier.domain_events import add_wakes
from tenax.stores.postgres.frontier.url_domains import ensure_domains, find_domains, lock_homes
from tenax.stores.postgres.frontier.urls import count_added, count_others, insert_urls, lock_seeds

_COUNT_SEEDS = to_postgres(COUNT_SEEDS)
_LIST_NAMED_SEEDS = to_postgres(LIST_NAMED_SEEDS)
_LOAD_SEEDS = to_postgres(LOAD_SEEDS)

# A new rank of NULL is only better than no list at all.
_IS_BETTER = "({table}.source IS NULL OR v.rank < coalesce({table}.{rank}, 'Infinity'::float8))"
_RATE = ", ".join(
    f"{name} = CASE WHEN d.status = 'pending' AND d.pages_crawled = 0 THEN {value} ELSE d.{name} END"
    for name, value in (
        ("priority_computed_at", "$6::float8"),
        ("priority_score", "v.score"),
        ("tier", "v.tier"),
    )
)


_FIND_ROOTS = """
    SELECT v.root
    FROM unnest($1::text[], $2::text[], $3::text[]) AS v(root, site, host)
    WHERE EXISTS (
        SELECT 1
        FROM seeds s
        WHERE s.source_id = $4
            AND s.site = v.site
            AND (v.host = '' OR s.host = v.host)
    )
"""


class PostgresSeeds:
    def __init__(self, database: PostgresDatabase, source_id: int = NO_SOURCE) -> None:
        self._database = database
        self._source_id = source_id

    async def import_seeds(self, seeds: Sequence[ListedSeed], source: str, now: Instant) -> ImportedSeeds:
        return await self._database.write(
            lambda connection: _import(
                connection, self._source_id, seeds, source, (now, now + self._database.clock.drift_s)
            )
        )

    async def replace_seeds(self, urls: Collection[str]) -> None:
        await self._database.write(lambda connection: _replace(connection, self._source_id, urls))

    async def load_seeds(self, after_id: int, limit: int) -> tuple[list[str], int]:
        rows = await self._database.read(
            lambda connection: connection.fetch(_LOAD_SEEDS, self._source_id, after_id, limit)
        )
        return [row[0] for row in rows], rows[-1][1] if rows else after_id

    async def count_seeds(self) -> SeedCount:
        row = await self._database.read_snapshot(
            lambda connection: connection.fetchrow(_COUNT_SEEDS, self._source_id)
        )
        return SeedCount(seeds=row[0], newest_id=row[1])

    async def find_roots(self, kind: ScopeKind, roots: Collection[str]) -> set[str]:
        search = plan_search(kind, roots)
        rows = await self._database.read(
            lambda connection: connection.fetch(
                _FIND_ROOTS,
                [root for root, _ in search],
                [site for _, (site, _) in search],
                [host for _, (_, host) in search],
                self._source_id,
            )
        )
        return {row[0] for row in rows}


async def _replace(connection: Connection, source_id: int, urls: Collection[str]) -> None:
    await lock_seeds(connection)
    rows = await connection.fetch(_LIST_NAMED_SEEDS, source_id)
    if {row[0] for row in rows} <= set(urls):
        return
    await connection.execute(
        "DELETE FROM seeds WHERE source_id = $1 AND url <> ALL($2::text[])", source_id, list(urls)
    )


_RANK_DOMAINS = f"""
    UPDATE domains d
    SET
        seed_rank = v.rank,
        source = $5,
        {_RATE}
    FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS v(id, rank, score, tier)
    WHERE d.id = v.id AND {_IS_BETTER.format(table="d", rank="seed_rank")}
    RETURNING d.id
"""


async def _import(
    connection: Connection,
    source_id: int,
    seeds: Sequence[ListedSeed],
    source: str,
    times: tuple[Instant, Instant],
) -> ImportedSeeds:
    """`times`: see insert_urls."""
    now, wall = times
    ranks = keep_best(seeds)
    by_domain = rank_domains(ranks)
    await lock_seeds(connection)
    added = await _save(connection, source_id, ranks, source, wall)
    homes = await find_domains(connection, by_domain)
    known = {home.id for home in homes.values()}
    homes |= await ensure_domains(connection, by_domain.keys() - homes.keys(), wall, source_id)
    inserted = await insert_urls(connection, [make_seed(url) for url in ranks], homes, times, source_id)
    await add_yields(connection, inserted.ways)
    await lock_homes(connection, homes.values(), {home.id for home in homes.values()})
    await add_wakes(connection, inserted.added)
    await count_added(connection, inserted.added, now)
    await count_others(connection, inserted, now)
    rates = [rate_seed(rank, wall) for rank in by_domain.values()]
    ranked = await connection.fetch(
        _RANK_DOMAINS,
        [homes[name].id for name in by_domain],
        list(by_domain.values()),
        [score for score, _ in rates],
        [tier for _, tier in rates],
        source,
        wall,
    )
    changed = sum(row[0] in known for row in ranked)
    return ImportedSeeds(seeds=added, domains=len(homes) - len(known), ranked=changed)


_INSERT_SEEDS = """
    INSERT INTO seeds (url, cause, added_at, source, rank, host, site, source_id)
    SELECT v.url, 'list', $5::float8, $6, v.rank, v.host, v.site, $7
    FROM unnest($1::text[], $2::int[], $3::text[], $4::text[]) WITH ORDINALITY AS v(
        url, rank, host, site, place
    )
    WHERE NOT EXISTS (
        SELECT 1
        FROM seeds
        WHERE seeds.source_id = $7 AND seeds.url = v.url
    )
    ORDER BY v.place
    ON CONFLICT (source_id, url) DO NOTHING
    RETURNING id
"""
_IMPROVE_SEEDS = f"""
    UPDATE seeds
    SET rank = v.rank, source = $3
    FROM unnest($1::text[], $2::int[]) AS v(url, rank)
    WHERE seeds.source_id = $4
        AND seeds.url = v.url
        AND {_IS_BETTER.format(table="seeds", rank="rank")}
"""


async def _save(
    connection: Connection, source_id: int, ranks: dict[str, int | None], source: str, wall: Instant
) -> int:
    urls, numbers = list(ranks), list(ranks.values())
    roots = [split_roots(url) for url in urls]
    added = await connection.fetch(
        _INSERT_SEEDS,
        urls,
        numbers,
        [host for host, _ in roots],
        [site for _, site in roots],
        wall,
        source,
        source_id,
    )
    if len(added) < len(urls):
        await connection.execute(_IMPROVE_SEEDS, urls, numbers, source, source_id)
    return len(added)
