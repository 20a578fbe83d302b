"""Whether the service lives, and whether it can work."""

from enum import StrEnum
from functools import partial

from fastapi import Response
from pydantic import Field

from tenax import __version__
from tenax.accounts.permissions import Role
from tenax.api.guarding import Tier, allow
from tenax.api.schemas import Schema, new_router
from tenax.api.service import Service, ServiceDep
from tenax.errors import StoreError
from tenax.stores.reading import tell_time

router = new_router("service")


class State(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"  # it works, though something that may be lost is away
    DOWN = "down"


class Health(Schema):
    status: State = Field(description="`down`: the store does not answer. `degraded`: Redis does not.")
    version: str = Field(examples=[__version__])
    store: State
    redis: State | None = Field(description="null: there is none.")


@router.get(
    "/health",
    summary="Look after the service",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_health(service: ServiceDep) -> Health:
    """Always 200 while the process answers; the fields say what works."""
    return await check_health(service)


@router.get(
    "/ready",
    summary="Ask whether requests can be served",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_ready(service: ServiceDep, response: Response) -> Health:
    """200 when the store answers, 503 otherwise."""
    health = await check_health(service)
    if health.status is State.DOWN:
        response.status_code = 503
    return health


async def check_health(service: Service) -> Health:
    store = State.OK
    try:
        await service.access.read(partial(tell_time, service.place))
    except StoreError:
        store = State.DOWN
    coordination = service.coordination
    redis = None
    if coordination.is_shared:
        redis = State.OK if coordination.trouble is None else State.DOWN
    worst = State.DOWN if store is State.DOWN else State.DEGRADED if redis is State.DOWN else State.OK
    return Health(status=worst, version=__version__, store=store, redis=redis)
