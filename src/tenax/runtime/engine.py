"""Builds what a crawl runs on: engine, fetcher, coordination, tracer."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Iterator
from functools import partial

from tenax.blobs.local import LocalBlobs
from tenax.clock import Clock, MachineClock, SystemClock
from tenax.config.settings import Settings
from tenax.coordination.address import parse_address
from tenax.coordination.keys import build_names
from tenax.coordination.memory import MemoryCoordination
from tenax.coordination.redis import RedisCoordination
from tenax.crawl.engine import Engine, EngineServices
from tenax.crawl.reading.parser_host import ParserHost
from tenax.errors import StoreError
from tenax.fetch.base import Fetcher, SharedAddresses
from tenax.fetch.curl import CurlFetcher
from tenax.fetch.descriptors import raise_limit
from tenax.policy.memory import plan_memory
from tenax.records.jobs import NO_SOURCE
from tenax.runtime.backends import find_backend
from tenax.stores.backend import Stores
from tenax.stores.disks import read_free_bytes
from tenax.stores.layout import BODIES_NAME, LOGS_NAME, WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import Presence
from tenax.telemetry import configure_logging
from tenax.tracing import Tracer


def open_fetcher(
    settings: Settings, clock: Clock | None = None, shared: SharedAddresses | None = None
) -> Fetcher:
    """To be entered as a context manager. `clock`: for timing answers; this machine's by default."""
    raise_limit()
    memory = plan_memory(settings)
    return CurlFetcher(
        settings.fetch,
        clock or SystemClock(),
        settings.fetch.format_user_agent(),
        max_held_bytes=memory.bodies,
        max_connections=memory.connections_count,
        concurrency=settings.worker.concurrency,
        shared=shared,
    )


@contextlib.asynccontextmanager
async def open_coordination(
    settings: Settings, stores: Stores, source_id: int = NO_SOURCE
) -> AsyncIterator[RedisCoordination | MemoryCoordination]:
    """What the workers of a store share; without Redis, each has its own. `source_id`: of their run."""
    if settings.redis.url is None:
        yield MemoryCoordination(stores.clock)
        return
    names = build_names(await stores.identify(), settings.fetch)
    address = parse_address(settings.redis.url)
    async with RedisCoordination(address, settings.redis, names, stores.clock, source_id) as redis:
        yield redis


@contextlib.asynccontextmanager
async def open_engine(
    place: Place,
    settings: Settings,
    clock: MachineClock | None = None,
    source_id: int = NO_SOURCE,
    parsers: ParserHost | None = None,
) -> AsyncIterator[Engine]:
    """An engine for runs of this source or crawl. A missing data directory is created. `clock`:
    this machine's. `parsers`: what forks readers for the parsers of its runs."""
    with translating_errors(place):
        configure_logging(place.folder / LOGS_NAME)
    name = str(uuid.uuid4())
    async with (
        find_backend(place).open_stores(place, clock or SystemClock(), plan_memory(settings).store) as every,
        open_coordination(settings, every, source_id) as coordination,
        open_fetcher(settings, every.clock, coordination if coordination.is_shared else None) as fetcher,
        open_tracer(settings, name) as tracer,
    ):
        stores = every.of_source(source_id)
        with Presence(place.folder / WORKERS_NAME, name) as presence:
            yield Engine(
                uuid=name,
                settings=settings,
                stores=stores,
                services=EngineServices(
                    fetcher=fetcher,
                    watch=presence,
                    coordination=coordination,
                    tracer=tracer,
                    parsers=parsers,
                    read_disk=partial(read_free_bytes, place.folder),
                    blobs=LocalBlobs(place.folder / BODIES_NAME),
                ),
            )


@contextlib.contextmanager
def translating_errors(place: Place) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"Cannot use the data directory {place.folder}: {error.strerror}.") from error


@contextlib.asynccontextmanager
async def open_tracer(settings: Settings, worker: str) -> AsyncIterator[Tracer | None]:
    """Yields None if tracing is off."""
    if settings.tracing.url is None:
        yield None
        return
    tracer = Tracer(settings.tracing, worker)
    try:
        yield tracer
    finally:
        await asyncio.to_thread(tracer.close)
