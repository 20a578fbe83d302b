"""The health of the server and of the services it needs."""

from collections.abc import Sequence
from enum import StrEnum
from functools import partial

from pydantic import Field

from tenax import __version__
from tenax.api.events.hub import NewEvent
from tenax.api.schemas import Schema
from tenax.clock import Clock
from tenax.coordination.base import Coordination
from tenax.errors import StoreError
from tenax.jobs.dispatch.base import Dispatch
from tenax.stores.access import Access, Lane
from tenax.stores.databases.reader import tell_time
from tenax.stores.place import Place


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # it works, but a service that it can do without is unavailable
    DOWN = "down"


class Health(Schema):
    status: State = Field(
        description="`down`: the store does not respond. `degraded`: Redis or the broker does not respond."
    )
    version: str = Field(examples=[__version__])
    store: State
    redis: State | None = Field(description="null: not configured.")
    broker: State | None = Field(
        description="null: not configured. `down`: runs wait until the broker is back."
    )


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
        store = await self._check_store()
        redis, broker = self._check_redis(), self._check_broker()
        is_degraded = State.DOWN in (redis, broker)
        worst = State.DOWN if store is State.DOWN else State.DEGRADED if is_degraded else State.OK
        return Health(status=worst, version=__version__, store=store, redis=redis, broker=broker)

    async def collect(self) -> Sequence[NewEvent]:
        return [NewEvent(kind="health", at=self._clock.now(), data=await self.check())]

    async def _check_store(self) -> State:
        try:
            await self._access.read(partial(tell_time, self._place), Lane.DOOR)
        except StoreError:
            return State.DOWN
        return State.OK

    def _check_redis(self) -> State | None:
        if not self._coordination.is_shared:
            return None
        return State.OK if self._coordination.trouble is None else State.DOWN

    def _check_broker(self) -> State | None:
        if self._dispatch.queue is None:
            return None
        return State.OK if self._dispatch.trouble is None else State.DOWN
