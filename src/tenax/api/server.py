"""Runs the service: listens, answers, and stops without dropping anybody."""

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial

import uvicorn
from fastapi import FastAPI

from tenax.accounts.build import open_accounts
from tenax.api.app import build_app
from tenax.api.cached import Cached
from tenax.api.events.hub import Hub
from tenax.api.events.hubs import Hubs
from tenax.api.events.watching import CrawlerWatch, MetricsWatch
from tenax.api.exporting import Exporter
from tenax.api.health import HealthCheck
from tenax.api.housekeeping import keep_house
from tenax.api.metrics import ServerMetrics
from tenax.api.middleware.connections import bound_connections
from tenax.api.receipts import Receipts
from tenax.api.service import Service, Status
from tenax.api.turns import ClientTurns
from tenax.background import meanwhile
from tenax.config import ServerSettings, Settings
from tenax.errors import UsageError
from tenax.jobs.scheduler.launcher import Launcher
from tenax.jobs.scheduler.notifications import listen_for_changes
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.jobs.sources.sources import Sources
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
WRITE_CHECK_FRESH_S = 10.0
HEALTH_FRESH_S = 1.0
BACKLOG = 1024

MakeLauncher = Callable[[ServerRuntime], Launcher]


@contextlib.asynccontextmanager
async def open_service(
    place: Place, settings: Settings, make_launcher: MakeLauncher | None = None
) -> AsyncIterator[Service]:
    """`make_launcher`: of whoever opens the runs of jobs; None: no job runs by this server."""
    async with (
        open_server_runtime(place, settings) as server_runtime,
        open_accounts(
            settings.server, server_runtime.access, server_runtime.gate, server_runtime.stores.clock
        ) as accounts,
        keep_house(place, server_runtime.access, settings.jobs),
        open_scheduler(place, settings, server_runtime, make_launcher) as scheduler,
        run_operations(settings, server_runtime),
        Exporter(place) as exporter,
        Receipts(place, server_runtime.access) as receipts,
    ):
        access, coordination, clock = (
            server_runtime.access,
            server_runtime.coordination,
            server_runtime.stores.clock,
        )
        doctor = HealthCheck(
            place, access, coordination, server_runtime.dispatch, server_runtime.stores.calendar
        )
        hubs = Hubs(
            crawler=Hub(CrawlerWatch(place, access).look, CRAWLER_EVERY_S),
            health=Hub(doctor.look, HEALTH_EVERY_S),
            metrics=Hub(MetricsWatch(place, access).look, METRICS_EVERY_S),
        )
        with contextlib.closing(hubs):
            yield Service(
                place=place,
                settings=settings,
                access=access,
                stores=server_runtime.stores,
                coordination=coordination,
                accounts=accounts,
                authenticator=accounts.authenticator,
                clock=clock,
                status=Cached(partial(load_whole_status, place, access)),
                backlog=Cached(partial(load_whole_backlog, place, access)),
                seed_sources=Cached(partial(access.read, count_sources)),
                sources=Sources(place, access, coordination),
                exporter=exporter,
                health=Cached(doctor.check, HEALTH_FRESH_S),
                # What takes long here waits, and keeps nobody from anything.
                obstacles=Cached(
                    partial(asyncio.to_thread, check_writable, place), WRITE_CHECK_FRESH_S, share=1
                ),
                hubs=hubs,
                scheduler=scheduler,
                server_metrics=ServerMetrics(place, access, hubs, server_runtime.dispatch),
                dispatch=server_runtime.dispatch,
                turns=ClientTurns(settings.server.requests_at_once),
                receipts=receipts,
            )


@contextlib.asynccontextmanager
async def open_scheduler(
    place: Place, settings: Settings, server_runtime: ServerRuntime, make_launcher: MakeLauncher | None
) -> AsyncIterator[Scheduler | None]:
    if make_launcher is None:
        yield None
        return
    scheduler = Scheduler(
        server_runtime.access, make_launcher(server_runtime), settings.jobs, partial(tell_time, place)
    )
    async with scheduler, meanwhile(listen_for_changes(server_runtime.coordination, scheduler.wake)):
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
    """Before anything else is started: an address that is taken is the commonest mistake."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    ear = socket.socket(family, socket.SOCK_STREAM)
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        ear.bind((settings.host, settings.port))
        ear.listen(BACKLOG)
    except OSError as error:
        ear.close()
        raise UsageError(
            f"Cannot listen at {settings.host} port {settings.port}: {error.strerror}. Choose another --port."
        ) from error
    return ear


class Server(uvicorn.Server):
    """Signals are the business of whoever runs it."""

    def __init__(self, service: Service) -> None:
        super().__init__(make_config(build_app(service), service.settings.server))
        self._hubs = service.hubs

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Streams never end by themselves.
        self._hubs.close()
        await super().shutdown(sockets)
        # Whoever does not take what was sent would keep the loop from being closed.
        for connection in list(self.server_state.connections):
            if connection.transport is not None:
                connection.transport.abort()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


async def serve(service: Service, ear: socket.socket) -> None:
    """Until SIGINT or SIGTERM; a second one ends it at once."""
    server = Server(service)
    loop = asyncio.get_running_loop()

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    await server.serve([ear])


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
