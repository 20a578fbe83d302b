"""The health of the server and of the services it needs."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum

from pydantic import Field

from tenax import __version__
from tenax.api.events.hub import NewEvent
from tenax.api.schemas import Schema
from tenax.clock import Clock, Instant
from tenax.coordination.base import Coordination
from tenax.errors import StoreError
from tenax.jobs.dispatch.base import Dispatch
from tenax.stores.access import Access, Lane
from tenax.stores.connection import Connection
from tenax.stores.databases.reader import tell_store_time
from tenax.stores.layout import WORKERS_NAME
from tenax.stores.place import Place
from tenax.stores.presence import find_signs
from tenax.stores.queries.workers import find_outage


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # it works, but a service that it can do without is unavailable
    DOWN = "down"


class Health(Schema):
    status: State = Field(
        description="`down`: the store does not respond. `degraded`: Redis or the broker does not respond, or"
        " a worker waits for its network."
    )
    version: str = Field(examples=[__version__])
    store: State
    redis: State | None = Field(description="null: not configured.")
    broker: State | None = Field(
        description="null: not configured. `down`: runs wait until the broker is back."
    )
    network: State | None = Field(
        description="`down`: a worker has lost the network of its machine and waits. null: not known."
    )
    network_down_since: datetime | None = Field(description="null: the network is not down.")


class HealthCheck:
    """Checks the store, Redis and the broker."""

    def __init__(
        self, place: Place, access: Access, coordination: Coordination, dispatch: Dispatch, clock: Clock
    ) -> None:
        self._place = place
        self._access = access
        self._coordination = coordination
        self._dispatch = dispatch
        self._clock = clock

    async def check(self) -> Health:
        store, down_since = await self._check_store()
        redis, broker = self._check_redis(), self._check_broker()
        network = None if store is State.DOWN else State.OK if down_since is None else State.DOWN
        is_degraded = State.DOWN in (redis, broker, network)
        worst = State.DOWN if store is State.DOWN else State.DEGRADED if is_degraded else State.OK
        return Health.model_validate(
            {
                "status": worst,
                "version": __version__,
                "store": store,
                "redis": redis,
                "broker": broker,
                "network": network,
                "network_down_since": down_since,
            }
        )

    async def collect(self) -> Sequence[NewEvent]:
        return [NewEvent(kind="health", at=self._clock.now(), data=await self.check())]

    async def _check_store(self) -> tuple[State, Instant | None]:
        """Whether the store responds, and since when workers have been waiting for their network."""
        try:
            return State.OK, await self._access.read(self._find_outage, Lane.DOOR)
        except StoreError:
            return State.DOWN, None

    def _find_outage(self, connection: Connection) -> Instant | None:
        signs = find_signs(self._place.folder / WORKERS_NAME)
        return find_outage(connection, signs=signs, now=tell_store_time(self._place, connection))

    def _check_redis(self) -> State | None:
        if not self._coordination.is_shared:
            return None
        return State.OK if self._coordination.trouble is None else State.DOWN

    def _check_broker(self) -> State | None:
        if self._dispatch.queue is None:
            return None
        return State.OK if self._dispatch.trouble is None else State.DOWN
