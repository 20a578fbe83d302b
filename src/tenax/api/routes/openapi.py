"""The OpenAPI document of the API."""

from typing import Any

from fastapi import Request

from tenax.accounts.permissions import Role
from tenax.api.middleware.guarding import Tier, allow, new_router

router = new_router("service")


@router.get(
    "/openapi.json",
    summary="Get the OpenAPI document",
    **allow(Role.ANONYMOUS, tier=Tier.FREE),
)
async def get_openapi(request: Request) -> dict[str, Any]:
    """Returns the OpenAPI 3.1 document."""
    document: dict[str, Any] = request.app.openapi()
    return document
