"""Health and readiness checks."""

from fastapi import Response

from tenax.accounts.permissions import Role
from tenax.api.health import Health, State
from tenax.api.middleware.guarding import Tier, allow, new_router
from tenax.api.service import ServiceDep

router = new_router("service", prefix="")


@router.get(
    "/health",
    summary="Check the health of the server",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_health(service: ServiceDep) -> Health:
    """Always returns 200 while the process responds; the fields say what works."""
    return await service.health.get()


@router.get(
    "/ready",
    summary="Check readiness",
    response_model=Health,
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_ready(service: ServiceDep, response: Response) -> Health:
    """Returns 200 if the store responds, 503 otherwise."""
    health = await service.health.get()
    if health.status is State.DOWN:
        response.status_code = 503
    return health
