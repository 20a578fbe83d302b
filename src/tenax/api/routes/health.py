"""Whether the service lives, and whether it can work."""

from fastapi import Response

from tenax.accounts.permissions import Role
from tenax.api.health import Health, State
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.service import ServiceDep

router = new_router("service", prefix="")


@router.get(
    "/health",
    summary="Look after the service",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_health(service: ServiceDep) -> Health:
    """Always 200 while the process answers; the fields say what works."""
    return await service.health.get()


@router.get(
    "/ready",
    summary="Ask whether requests can be served",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_ready(service: ServiceDep, response: Response) -> Health:
    """200 when the store answers, 503 otherwise."""
    health = await service.health.get()
    if health.status is State.DOWN:
        response.status_code = 503
    return health
