"""SQLite behind the contract of stores/backend.py."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from functools import partial

from tenax.clock import MachineClock, SystemClock
from tenax.errors import StoreError
from tenax.records.jobs import NO_SOURCE
from tenax.stores import layout
from tenax.stores.backend import Stores
from tenax.stores.clock import Calendar
from tenax.stores.copy.base import UNFINISHED, refuse_unfinished
from tenax.stores.layout import BODIES_NAME, STORE_NAME, WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.sqlite.bodies import SqliteBodies
from tenax.stores.sqlite.connection.database import CACHE_BYTES, SqliteDatabase
from tenax.stores.sqlite.crawls import SqliteCrawls
from tenax.stores.sqlite.domains import SqliteDomains
from tenax.stores.sqlite.emptying import empty_file
from tenax.stores.sqlite.frontier.frontier import SqliteFrontier
from tenax.stores.sqlite.frontier.merging import SqliteMerges
from tenax.stores.sqlite.guesses import SqliteGuesses
from tenax.stores.sqlite.lookup import SqliteLookup
from tenax.stores.sqlite.refresh import SqliteRefresh
from tenax.stores.sqlite.runs import SqliteRuns
from tenax.stores.sqlite.schema.identity import identify
from tenax.stores.sqlite.schema.scrubbing import scrub_file
from tenax.stores.sqlite.seeds import SqliteSeeds
from tenax.stores.sqlite.sitemaps import SqliteSitemaps


@contextlib.asynccontextmanager
async def open_stores(
    place: Place, clock: MachineClock, cache_bytes: int = CACHE_BYTES
) -> AsyncIterator[Stores]:
    """The file is created if there is none, and its schema is brought up to date."""
    async with SqliteDatabase(place.folder / STORE_NAME, clock, cache_bytes=cache_bytes) as database:
        found = await database.read(lambda connection: connection.execute(UNFINISHED).fetchone())
        refuse_unfinished(place, found[0])
        yield bind(database, NO_SOURCE)


def bind(database: SqliteDatabase, source_id: int) -> Stores:
    """For the runs of one source."""
    return Stores(
        frontier=SqliteFrontier(database, source_id),
        runs=SqliteRuns(database, source_id),
        refresh=SqliteRefresh(database, source_id),
        merges=SqliteMerges(database, source_id),
        guesses=SqliteGuesses(database),
        lookup=SqliteLookup(database),
        domains=SqliteDomains(database),
        seeds=SqliteSeeds(database, source_id),
        sitemaps=SqliteSitemaps(database),
        bodies=SqliteBodies(database),
        crawls=SqliteCrawls(database),
        identify=partial(identify, database),
        clock=database.clock,
        calendar=Calendar(database.clock),
        of_source=partial(bind, database),
    )


def refuse_missing(place: Place) -> None:
    layout.refuse_missing(place.folder)


def has_store(place: Place) -> bool:
    return (place.folder / STORE_NAME).exists()


def discard(place: Place) -> None:
    if find_signs(place.folder / WORKERS_NAME).live:
        raise StoreError(f"Another process is crawling in {place}. Stop it before you start over.")
    path = place.folder / STORE_NAME
    try:
        empty_file(path)
    except StoreError:
        # Whatever is wrong with the file: it is no longer needed.
        for part in place.folder.glob(f"{STORE_NAME}*"):
            part.unlink()
    shutil.rmtree(place.folder / WORKERS_NAME, ignore_errors=True)
    shutil.rmtree(place.folder / BODIES_NAME, ignore_errors=True)


def migrate(place: Place) -> None:
    asyncio.run(_open_and_close(place))


async def scrub(place: Place) -> bool:
    return await asyncio.to_thread(scrub_file, place.folder / STORE_NAME)


async def _open_and_close(place: Place) -> None:
    async with open_stores(place, SystemClock()):
        pass
