"""PostgreSQL behind the contract of stores/backend.py."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from functools import partial

from tenax.clock import MachineClock, SystemClock
from tenax.errors import StoreError
from tenax.records.jobs import NO_SOURCE
from tenax.stores.backend import Stores
from tenax.stores.clock import Calendar
from tenax.stores.copy.base import UNFINISHED, refuse_unfinished
from tenax.stores.hot.run_states import FRESH_JOBS, FRESH_SOURCES
from tenax.stores.layout import BODIES_NAME, WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.postgres.bodies import PostgresBodies
from tenax.stores.postgres.connection.database import PostgresDatabase
from tenax.stores.postgres.connection.protocol import Connection
from tenax.stores.postgres.crawls import PostgresCrawls
from tenax.stores.postgres.domains import PostgresDomains
from tenax.stores.postgres.frontier.frontier import PostgresFrontier
from tenax.stores.postgres.frontier.merging import PostgresMerges
from tenax.stores.postgres.guesses import PostgresGuesses
from tenax.stores.postgres.lookup import PostgresLookup
from tenax.stores.postgres.refresh import PostgresRefresh
from tenax.stores.postgres.runs import PostgresRuns
from tenax.stores.postgres.schema.identity import identify
from tenax.stores.postgres.schema.migration import upgrade
from tenax.stores.postgres.schema.partitions import Partitions
from tenax.stores.postgres.schema.scrubbing import is_unscrubbed, scrub_tables
from tenax.stores.postgres.seeds import PostgresSeeds
from tenax.stores.postgres.sitemaps import PostgresSitemaps
from tenax.stores.presence import PresenceSigns, find_signs

# Ids are not reused: a worker that was suspended meanwhile must find its leases lost. Accounts, sources, jobs
# and webhooks belong to the service, not to the crawl.
_TRUNCATE = """
    TRUNCATE domains, domain_events, urls, set_aside, pages, changes, images, visits, visit_bodies,
      bodies, segments, receipts, robots,
      seeds, sitemaps, yields, runs, workers, stats, discovered_links, pagination_rules, archive_patterns,
      guess_budgets, traps, items, observations, item_changes, products, product_changes, invalid_items,
      follow_ups, parsed_urls, parser_stats, parser_alerts, parser_trials, item_audits, errors, error_groups,
      change_log, log_cursors, executions, tasks, feeds, marks, webhook_deliveries, copies
"""


@contextlib.asynccontextmanager
async def open_stores(place: Place, clock: MachineClock, cache_bytes: int = 0) -> AsyncIterator[Stores]:
    """Open the stores; the server caches pages by itself. Raises StoreError if there is no schema, or not
    this program's: a user runs `migrate`."""
    async with open_database(place, clock) as database:
        refuse_unfinished(place, await database.read(lambda connection: connection.fetchval(UNFINISHED)))
        yield bind(database, NO_SOURCE)


def bind(database: PostgresDatabase, source_id: int) -> Stores:
    """For the runs of one source."""
    return Stores(
        frontier=PostgresFrontier(database, source_id),
        runs=PostgresRuns(database, source_id),
        refresh=PostgresRefresh(database, source_id),
        merges=PostgresMerges(database, source_id),
        guesses=PostgresGuesses(database),
        lookup=PostgresLookup(database),
        domains=PostgresDomains(database),
        seeds=PostgresSeeds(database, source_id),
        sitemaps=PostgresSitemaps(database),
        bodies=PostgresBodies(database),
        crawls=PostgresCrawls(database),
        identify=partial(identify, database),
        clock=database.clock,
        calendar=Calendar(database.clock),
        of_source=partial(bind, database),
    )


def open_database(place: Place, clock: MachineClock) -> PostgresDatabase:
    assert place.url is not None
    return PostgresDatabase(place.url, clock, str(place))


def refuse_missing(place: Place) -> None:
    """Nothing to check here: opening the stores raises the error."""


def has_store(place: Place) -> bool:
    return True


def discard(place: Place) -> None:
    asyncio.run(_discard(place, find_signs(place.folder / WORKERS_NAME)))
    shutil.rmtree(place.folder / BODIES_NAME, ignore_errors=True)


async def _discard(place: Place, signs: PresenceSigns) -> None:
    async def delete(connection: Connection) -> None:
        now = database.clock.now()
        rows = await connection.fetch("SELECT uuid, heartbeat_at FROM workers WHERE ended_at IS NULL")
        if any(signs.is_alive(uuid, heartbeat_at, now) for uuid, heartbeat_at in rows):
            raise StoreError(f"Another process is crawling in {place}. Stop it before you start over.")
        await connection.execute(_TRUNCATE)
        await connection.execute(FRESH_JOBS)
        await connection.execute(FRESH_SOURCES)

    async with open_database(place, SystemClock()) as database:
        await database.write(delete)


def migrate(place: Place) -> None:
    asyncio.run(_migrate(place))


async def _migrate(place: Place) -> None:
    assert place.url is not None
    await upgrade(place.url, str(place))
    async with open_database(place, SystemClock()) as database:
        await Partitions(database).make_ahead()
        if await database.read(is_unscrubbed):
            await scrub_tables(place.url, str(place))


async def scrub(place: Place) -> bool:
    assert place.url is not None
    await scrub_tables(place.url, str(place))
    return True
