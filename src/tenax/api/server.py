"""Runs the server: listens, answers requests, and stops without dropping connections."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

import uvicorn
from fastapi import FastAPI

from tenax.accounts.build import Accounts, open_accounts
from tenax.api.app import build_app
from tenax.api.cached import Cached
from tenax.api.events.collectors import CrawlerEventCollector, MetricsEventCollector
from tenax.api.events.hub import Hub
from tenax.api.events.hubs import Hubs
from tenax.api.events.items import ItemEventCollector
from tenax.api.exporting import Exporter
from tenax.api.health import HealthCheck
from tenax.api.maintenance import run_maintenance
from tenax.api.metrics import ServerMetrics
from tenax.api.middleware.connections import bound_connections
from tenax.api.receipts import Receipts
from tenax.api.service import Service, Status
from tenax.api.turns import ClientTurns
from tenax.background import in_background
from tenax.config.service import ServerSettings
from tenax.config.settings import Settings
from tenax.errors import UsageError
from tenax.jobs.scheduler.launcher import Launch
from tenax.jobs.scheduler.notifications import listen_for_changes
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.jobs.sources.sources import Sources
from tenax.record import record
from tenax.runtime.server import ServerRuntime, open_server_runtime, run_operations
from tenax.stores.access import Access
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_store_time, tell_time
from tenax.stores.databases.write_check import check_writable
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.frontier import FrontierCounts, load_backlog
from tenax.stores.queries.seeds import count_sources
from tenax.stores.queries.status import load_status

GRACE_S = 5
CRAWLER_EVERY_S = 0.5
HEALTH_EVERY_S = 5.0
METRICS_EVERY_S = 2.0
ITEMS_EVERY_S = 1.0
WRITE_CHECK_FRESH_S = 10.0
HEALTH_FRESH_S = 1.0
BACKLOG = 1024

MakeLaunch = Callable[[ServerRuntime], Launch]


@contextlib.asynccontextmanager
async def open_service(
    place: Place, settings: Settings, make_launch: MakeLaunch | None = None
) -> AsyncIterator[Service]:
    """Open everything the API needs. `make_launch`: builds what opens the runs of jobs; None: this server
    starts no jobs."""
    async with (
        open_server_runtime(place, settings) as server_runtime,
        open_accounts(
            settings.server, server_runtime.access, server_runtime.gate, server_runtime.stores.clock
        ) as accounts,
        run_maintenance(place, server_runtime.access, settings),
        open_scheduler(place, settings, server_runtime, make_launch) as scheduler,
        run_operations(settings, server_runtime),
        Exporter(place) as exporter,
        Receipts(place, server_runtime.access) as receipts,
    ):
        parts = ServiceParts(
            place=place,
            settings=settings,
            runtime=server_runtime,
            accounts=accounts,
            scheduler=scheduler,
            exporter=exporter,
            receipts=receipts,
        )
        doctor = build_health_check(parts)
        hubs = build_hubs(parts, doctor)
        with contextlib.closing(hubs):
            yield build_service(parts, doctor, hubs)


@record
class ServiceParts:
    """What is opened, and closed again, with a service."""

    place: Place
    settings: Settings
    runtime: ServerRuntime
    accounts: Accounts
    scheduler: Scheduler | None
    exporter: Exporter
    receipts: Receipts


def build_health_check(parts: ServiceParts) -> HealthCheck:
    runtime = parts.runtime
    return HealthCheck(
        parts.place, runtime.access, runtime.coordination, runtime.dispatch, runtime.stores.calendar
    )


def build_hubs(parts: ServiceParts, doctor: HealthCheck) -> Hubs:
    place, access = parts.place, parts.runtime.access
    return Hubs(
        crawler=Hub(CrawlerEventCollector(place, access).collect, CRAWLER_EVERY_S),
        health=Hub(doctor.collect, HEALTH_EVERY_S),
        metrics=Hub(MetricsEventCollector(place, access).collect, METRICS_EVERY_S),
        items=Hub(ItemEventCollector(access).collect, ITEMS_EVERY_S),
    )


def build_service(parts: ServiceParts, doctor: HealthCheck, hubs: Hubs) -> Service:
    place, runtime, access = parts.place, parts.runtime, parts.runtime.access
    check_writes = partial(asyncio.to_thread, check_writable, place)
    return Service(
        place=place,
        settings=parts.settings,
        access=access,
        stores=runtime.stores,
        coordination=runtime.coordination,
        accounts=parts.accounts,
        authenticator=parts.accounts.authenticator,
        clock=runtime.stores.clock,
        status=Cached(partial(load_whole_status, place, access)),
        backlog=Cached(partial(load_whole_backlog, place, access)),
        seed_sources=Cached(partial(access.read, count_sources)),
        sources=Sources(place, access, runtime.coordination),
        exporter=parts.exporter,
        health=Cached(doctor.check, HEALTH_FRESH_S),
        # A slow check only delays its own callers.
        obstacles=Cached(check_writes, WRITE_CHECK_FRESH_S, share=1),
        hubs=hubs,
        scheduler=parts.scheduler,
        server_metrics=ServerMetrics(place, access, hubs, runtime.dispatch, runtime.told),
        dispatch=runtime.dispatch,
        turns=ClientTurns(parts.settings.server.requests_at_once),
        receipts=parts.receipts,
    )


@contextlib.asynccontextmanager
async def open_scheduler(
    place: Place, settings: Settings, server_runtime: ServerRuntime, make_launch: MakeLaunch | None
) -> AsyncIterator[Scheduler | None]:
    if make_launch is None:
        yield None
        return
    scheduler = Scheduler(
        server_runtime.access, make_launch(server_runtime), settings.jobs, partial(tell_time, place)
    )
    async with scheduler, in_background(listen_for_changes(server_runtime.coordination, scheduler.wake)):
        yield scheduler


async def load_whole_status(place: Place, access: Access) -> Status:
    def load(connection: Connection) -> Status:
        now = tell_store_time(place, connection)
        signs = find_signs(place.folder / WORKERS_NAME)
        return Status(at=tell_time(place, connection), store=load_status(connection, signs=signs, now=now))

    return await access.read(load)


async def load_whole_backlog(place: Place, access: Access) -> FrontierCounts:
    return await access.read(lambda connection: load_backlog(connection, tell_store_time(place, connection)))


def listen(settings: ServerSettings) -> socket.socket:
    """Bind the address before anything else starts: a port that is in use is the most common mistake."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((settings.host, settings.port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"Cannot listen on {settings.host} port {settings.port}: {error.strerror}. Choose another --port."
        ) from error
    return listener


class Server(uvicorn.Server):
    """Leaves signals to the caller."""

    def __init__(self, service: Service) -> None:
        super().__init__(make_config(build_app(service), service.settings.server))
        self._hubs = service.hubs

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Event streams never end on their own.
        self._hubs.close()
        await super().shutdown(sockets)
        # A client that does not read its response would keep the loop from closing.
        for connection in list(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(service: Service, listener: socket.socket) -> None:
    """Serve until SIGINT or SIGTERM; a second signal stops at once."""
    server = Server(service)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await server.serve([listener])


def make_config(app: FastAPI, settings: ServerSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=bound_connections(settings.connections_per_address, settings.trusted_proxies),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_graceful_shutdown=GRACE_S,
    )
