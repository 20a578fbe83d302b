"""The builder of what servers have beside a crawl: the store as they use it, the scheduler's hands, feeds,
webhooks, the broker. Apart from runtime.py, so that a crawl starts without any of it.
"""

import contextlib
from collections.abc import AsyncIterator
from importlib import import_module

from tenax.background import meanwhile
from tenax.clock import SystemClock
from tenax.config import DispatchKind, Settings
from tenax.coordination.address import parse_address
from tenax.coordination.base import Coordination
from tenax.coordination.keys import build_names
from tenax.coordination.redis_gate import RedisGate
from tenax.errors import SecretError
from tenax.jobs.dispatch.base import Broker, Dispatch
from tenax.jobs.dispatch.inline import InlineDispatch
from tenax.jobs.dispatch.outbox import Outbox
from tenax.jobs.feeds.poller import FeedPoller
from tenax.jobs.scheduler.launcher import Launcher
from tenax.jobs.scheduler.source_runs import SourceLauncher
from tenax.jobs.sources.definition import load_definition, with_headers
from tenax.jobs.webhooks.sender import WebhookSender
from tenax.record import record
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_coordination, open_fetcher
from tenax.runtime.settings import check_settings
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.databases.access import open_access
from tenax.stores.databases.reader import read_store
from tenax.stores.jobs.sources import find_source, open_headers
from tenax.stores.place import Place
from tenax.stores.secrets.sealing import Vault

SERVER_CACHE_BYTES = 10_000_000


@record
class ServerRuntime:
    """What a server works with."""

    stores: Stores
    access: Access
    coordination: Coordination
    gate: RedisGate | None
    dispatch: Dispatch


@contextlib.asynccontextmanager
async def open_server_runtime(place: Place, settings: Settings) -> AsyncIterator[ServerRuntime]:
    """A store for a server; a file is created where there is none."""
    async with (
        find_backend(place).open_stores(place, SystemClock(), SERVER_CACHE_BYTES) as stores,
        open_access(place) as access,
        open_coordination(settings, stores) as coordination,
        open_gate(settings, stores) as gate,
        open_dispatch(place, settings, stores, access) as dispatch,
    ):
        yield ServerRuntime(
            stores=stores, access=access, coordination=coordination, gate=gate, dispatch=dispatch
        )


@contextlib.asynccontextmanager
async def run_operations(settings: Settings, server_runtime: ServerRuntime) -> AsyncIterator[None]:
    """Follows feeds and tells webhooks what happens."""
    stores, access = server_runtime.stores, server_runtime.access
    # Which headers a feed's origin gets is a matter of its source.
    bare = settings.model_copy(update={"fetch": settings.fetch.model_copy(update={"headers": ()})})
    # Each has its own: what one is told to wait for must not hold up the other.
    async with (
        open_fetcher(bare, stores.clock) as asking,
        open_fetcher(settings, stores.clock) as telling,
        meanwhile(FeedPoller(settings, access, stores, asking).repeat()),
        meanwhile(WebhookSender(access, telling, stores.calendar).repeat()),
    ):
        yield


@contextlib.asynccontextmanager
async def open_gate(settings: Settings, stores: Stores) -> AsyncIterator[RedisGate | None]:
    """None: without Redis, each server keeps its own."""
    if settings.redis.url is None:
        yield None
        return
    names = build_names(await stores.identify(), settings.fetch)
    async with RedisGate(parse_address(settings.redis.url), settings.redis, names, stores.clock) as gate:
        yield gate


@contextlib.asynccontextmanager
async def open_dispatch(
    place: Place, settings: Settings, stores: Stores, access: Access
) -> AsyncIterator[Dispatch]:
    """How the runs of a server reach workers."""
    if settings.dispatch.kind is DispatchKind.INLINE:
        yield InlineDispatch()
        return
    await stores.identify()  # a store that has no name yet gets one
    # Found by name: Celery may not be installed, and takes its time to be imported.
    broker: Broker = import_module("tenax.jobs.dispatch.celery").CeleryBroker(settings.dispatch)
    async with Outbox(place, access, broker, settings.dispatch.queue) as outbox:
        yield outbox


def make_launcher(settings: Settings, server_runtime: ServerRuntime) -> Launcher:
    """Of the runs of jobs."""
    return SourceLauncher(
        settings=settings,
        check=check_settings,
        stores=server_runtime.stores,
        access=server_runtime.access,
        dispatch=server_runtime.dispatch,
    )


def add_own_headers(place: Place, source_id: int, settings: Settings) -> Settings:
    """What a source sends to its own origins is kept with it, and not with its runs. Raises SecretError: its
    pages are not to be asked without."""
    try:
        return _add_headers(place, source_id, settings)
    except SecretError:
        # Sealed with another key a moment ago: read again, it is sealed with one that is here.
        return _add_headers(place, source_id, settings)


def _add_headers(place: Place, source_id: int, settings: Settings) -> Settings:
    source = read_store(place, lambda connection: find_source(connection, source_id))
    if source is None:
        return settings
    headers = open_headers(source, Vault.of(place))
    return with_headers(settings, load_definition(source), headers)
