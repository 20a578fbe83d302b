"""The only builder: puts concrete backends behind the contracts. Doors ask here for what they need."""

import contextlib
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

from tenax.clock import SystemClock
from tenax.config import Settings
from tenax.crawl.engine import Engine
from tenax.crawl.explain import Explanation, explain
from tenax.errors import ConfigError, StoreError
from tenax.fetch.base import Fetcher
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.overrides import parse_resolve
from tenax.policy.memory import plan_memory
from tenax.policy.scope import Scope
from tenax.stores.base import Summary
from tenax.stores.layout import LOGS_NAME, STORE_NAME, WORKERS_NAME, refuse_missing
from tenax.stores.sqlite.database import Database
from tenax.stores.sqlite.frontier import SqliteFrontier
from tenax.stores.sqlite.lookup import SqliteLookup
from tenax.stores.sqlite.presence import Presence, find_live
from tenax.stores.sqlite.runs import SqliteRuns
from tenax.telemetry import configure_logging


def check_settings(settings: Settings) -> None:
    """Find what the types of the settings cannot see, before anything is created. Raises ConfigError."""
    Scope.build(settings.scope, settings.limits, ())
    parse_resolve(settings.fetch.resolve)
    plan_memory(settings)
    if not settings.fetch.format_user_agent().isprintable():
        raise ConfigError("The user agent and the contact must be one line of printable characters.")


def open_fetcher(settings: Settings) -> Fetcher:
    """To be entered as a context manager."""
    memory = plan_memory(settings)
    return CurlFetcher(
        settings.fetch,
        SystemClock(),
        settings.fetch.format_user_agent(),
        max_held_bytes=memory.bodies,
        max_idle_connections=memory.connections_count,
    )


@contextlib.asynccontextmanager
async def open_engine(data: Path, settings: Settings) -> AsyncIterator[Engine]:
    """An engine on the SQLite store of a data directory, which is created where there is none."""
    clock = SystemClock()
    try:
        configure_logging(data / LOGS_NAME)
    except OSError as error:
        raise StoreError(f"Cannot use the data directory {data}: {error.strerror}.") from error
    name = str(uuid.uuid4())
    database = Database(data / STORE_NAME, clock, cache_bytes=plan_memory(settings).store)
    async with database, open_fetcher(settings) as fetcher:
        with Presence(data / WORKERS_NAME, name) as presence:
            yield Engine(
                uuid=name,
                settings=settings,
                frontier=SqliteFrontier(database),
                runs=SqliteRuns(database),
                fetcher=fetcher,
                watch=presence,
                clock=clock,
            )


async def summarise(data: Path) -> Summary:
    """What the store of a data directory holds."""
    async with Database(data / STORE_NAME, SystemClock()) as database:
        return await SqliteFrontier(database).summarise()


async def explain_url(data: Path, url: str, defaults: Settings) -> Explanation:
    """Where a url stands in the crawl of a data directory."""
    refuse_missing(data)
    clock = SystemClock()
    async with Database(data / STORE_NAME, clock) as database:
        return await explain(url, SqliteLookup(database), defaults, clock.now())


def discard(data: Path) -> None:
    """Delete the crawl of a data directory, unless a process works on it."""
    if find_live(data / WORKERS_NAME):
        raise StoreError(f"Another process crawls in {data}; stop it before you start afresh.")
    for path in data.glob(f"{STORE_NAME}*"):
        path.unlink()
    shutil.rmtree(data / WORKERS_NAME, ignore_errors=True)


def has_crawl(data: Path) -> bool:
    return (data / STORE_NAME).exists()
