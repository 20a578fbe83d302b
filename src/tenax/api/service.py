"""What the routes work with, and the dependencies that provide it."""

from typing import Annotated

from fastapi import Depends, Request

from tenax.accounts.authentication import Authenticator
from tenax.accounts.build import Accounts
from tenax.accounts.permissions import Principal
from tenax.api.cached import Cached
from tenax.api.events.hubs import Hubs
from tenax.api.exporting import Exporter
from tenax.api.health import Health
from tenax.api.metrics import ServerMetrics
from tenax.api.receipts import Receipts
from tenax.api.turns import ClientTurns
from tenax.clock import Clock, Instant
from tenax.config.settings import Settings
from tenax.coordination.base import Coordination
from tenax.jobs.dispatch.base import Dispatch
from tenax.jobs.scheduler.scheduler import Scheduler
from tenax.jobs.sources.sources import Sources
from tenax.record import record
from tenax.stores.access import Access
from tenax.stores.backend import Stores
from tenax.stores.place import Place
from tenax.stores.queries.frontier import FrontierCounts
from tenax.stores.queries.seeds import SourceSummary
from tenax.stores.queries.status import StoreStatus
from tenax.stores.write_check import WriteObstacle


@record
class Status:
    """Statistics of the whole store."""

    at: Instant
    store: StoreStatus


@record
class Service:
    place: Place
    settings: Settings
    access: Access
    stores: Stores
    accounts: Accounts
    authenticator: Authenticator
    coordination: Coordination
    clock: Clock
    status: Cached[Status]  # counts every url
    backlog: Cached[FrontierCounts]  # counts every waiting url
    seed_sources: Cached[list[SourceSummary]]  # counts every seed
    sources: Sources
    exporter: Exporter
    health: Cached[Health]
    obstacles: Cached[tuple[WriteObstacle, ...]]  # tries to write
    hubs: Hubs
    server_metrics: ServerMetrics
    turns: ClientTurns
    receipts: Receipts
    scheduler: Scheduler | None  # None: other servers run the jobs, if any

    def wake_scheduler(self) -> None:
        """A job may be due now. Other servers notice it at their next poll."""
        if self.scheduler is not None:
            self.scheduler.wake()

    dispatch: Dispatch


async def get_service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def get_principal(request: Request) -> Principal:
    principal: Principal = request.state.principal
    return principal


ServiceDep = Annotated[Service, Depends(get_service)]
PrincipalDep = Annotated[Principal, Depends(get_principal)]
