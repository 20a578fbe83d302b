"""Builds what only servers need: their view of the store, the launcher of runs, feeds, webhooks, the broker.

Separate from engine.py, so that a crawl starts without importing any of it.
"""

import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from tenax.background import in_background
from tenax.clock import SystemClock
from tenax.config.service import DispatchKind
from tenax.config.settings import Settings
from tenax.coordination.address import parse_address
from tenax.coordination.base import Coordination
from tenax.coordination.keys import build_names
from tenax.coordination.redis_gate import RedisGate
from tenax.jobs.dispatch.base import Dispatch
from tenax.jobs.dispatch.celery import CeleryBroker
from tenax.jobs.dispatch.inline import InlineDispatch
from tenax.jobs.dispatch.outbox import Outbox
from tenax.jobs.feeds.poller import FeedPoller
from tenax.jobs.scheduler.launcher import Launch, Launcher
from tenax.jobs.webhooks.sender import WebhookSender
from tenax.record import record
from tenax.runtime.backends import find_backend
from tenax.runtime.engine import open_coordination, open_fetcher
from tenax.runtime.settings import check_settings
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.databases.access import open_access
from tenax.stores.place import Place

SERVER_CACHE_BYTES = 10_000_000


@record
class ServerRuntime:
    """The parts of a server that its API and background tasks share."""

    stores: Stores
    access: Access
    coordination: Coordination
    gate: RedisGate | None
    dispatch: Dispatch
    told: Counter[str]  # what webhooks were told of items by this server, by event


@contextlib.asynccontextmanager
async def open_server_runtime(place: Place, settings: Settings) -> AsyncIterator[ServerRuntime]:
    """Open the store for a server; a missing SQLite file is created."""
    async with (
        find_backend(place).open_stores(place, SystemClock(), SERVER_CACHE_BYTES) as stores,
        open_access(place) as access,
        open_coordination(settings, stores) as coordination,
        open_gate(settings, stores) as gate,
        open_dispatch(place, settings, stores, access) as dispatch,
    ):
        yield ServerRuntime(
            stores=stores,
            access=access,
            coordination=coordination,
            gate=gate,
            dispatch=dispatch,
            told=Counter(),
        )


@contextlib.asynccontextmanager
async def run_operations(settings: Settings, server_runtime: ServerRuntime) -> AsyncIterator[None]:
    """Poll feeds and send webhooks in the background."""
    stores, access = server_runtime.stores, server_runtime.access
    # Which headers a feed's origin gets depends on its source.
    bare = settings.model_copy(update={"fetch": settings.fetch.model_copy(update={"headers": ()})})
    # One fetcher each: what one has to wait for must not hold up the other.
    async with (
        open_fetcher(bare, stores.clock) as feed_fetcher,
        open_fetcher(settings, stores.clock) as webhook_fetcher,
        in_background(FeedPoller(settings, access, stores, feed_fetcher).repeat()),
        in_background(WebhookSender(access, webhook_fetcher, stores.calendar, server_runtime.told).repeat()),
    ):
        yield


@contextlib.asynccontextmanager
async def open_gate(settings: Settings, stores: Stores) -> AsyncIterator[RedisGate | None]:
    """Yields None without Redis: each server then keeps its own counts."""
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
    """Choose how runs reach workers: workers poll the store, or a broker notifies them."""
    if settings.dispatch.kind is DispatchKind.INLINE:
        yield InlineDispatch()
        return
    await stores.identify()  # creates an identity for a store that has none
    broker = CeleryBroker(settings.dispatch)
    async with Outbox(place, access, broker, settings.dispatch.queue) as outbox:
        yield outbox


def make_launch(settings: Settings, server_runtime: ServerRuntime) -> Launch:
    """What the scheduler calls to open the runs of jobs."""
    return Launcher(
        settings=settings,
        check=check_settings,
        stores=server_runtime.stores,
        access=server_runtime.access,
        dispatch=server_runtime.dispatch,
    ).launch
