"""The only builder: puts concrete backends behind the contracts. Doors ask here for what they need."""

import contextlib
import uuid
from collections.abc import AsyncIterator
from importlib import import_module
from typing import cast

from tenax.clock import Clock, SystemClock
from tenax.config import Settings
from tenax.crawl import clerk
from tenax.crawl.engine import Engine
from tenax.crawl.explain import Explanation, explain
from tenax.errors import ConfigError, StoreError
from tenax.fetch.base import Fetcher
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.overrides import parse_resolve
from tenax.policy.scope import Scope
from tenax.stores.backend import Backend
from tenax.stores.base import Summary
from tenax.stores.layout import LOGS_NAME, WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import Presence
from tenax.telemetry import configure_logging


def check_settings(settings: Settings) -> None:
    """Find what the types of the settings cannot see, before anything is created. Raises ConfigError."""
    Scope.build(settings.scope, settings.limits, ())
    parse_resolve(settings.fetch.resolve)
    if not settings.fetch.format_user_agent().isprintable():
        raise ConfigError("The user agent and the contact must be one line of printable characters.")


def open_fetcher(settings: Settings, clock: Clock | None = None) -> Fetcher:
    """To be entered as a context manager. `clock`: what answers are timed by; this machine's by default."""
    return CurlFetcher(settings.fetch, clock or SystemClock(), settings.fetch.format_user_agent())


@contextlib.asynccontextmanager
async def open_engine(place: Place, settings: Settings) -> AsyncIterator[Engine]:
    """An engine on a store. A data directory is created where there is none."""
    try:
        configure_logging(place.folder / LOGS_NAME)
    except OSError as error:
        raise StoreError(f"Cannot use the data directory {place.folder}: {error.strerror}.") from error
    name = str(uuid.uuid4())
    async with (
        find_backend(place).open_stores(place, SystemClock()) as stores,
        open_fetcher(settings, stores.clock) as fetcher,
    ):
        with Presence(place.folder / WORKERS_NAME, name) as presence:
            yield Engine(
                uuid=name,
                settings=settings,
                frontier=stores.frontier,
                runs=stores.runs,
                fetcher=fetcher,
                watch=presence,
                clock=stores.clock,
            )


async def bury_dead(place: Place) -> None:
    """Free what workers of this machine held whose process is gone."""
    backend = find_backend(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        # Not entered: whoever only buries shows no sign of life.
        await clerk.bury_dead(Presence(place.folder / WORKERS_NAME, ""), stores.runs)


async def summarise(place: Place) -> Summary:
    """What a store holds."""
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await stores.frontier.summarise()


async def explain_url(place: Place, url: str, defaults: Settings) -> Explanation:
    """Where a url stands in a crawl."""
    backend = find_backend(place)
    backend.refuse_missing(place)
    async with backend.open_stores(place, SystemClock()) as stores:
        return await explain(url, stores.lookup, defaults, stores.clock.now())


def find_backend(place: Place) -> Backend:
    # Found by name: a crawl into a file need not import the driver of a server.
    return cast(Backend, import_module(f"tenax.stores.{place.backend}.backend"))
