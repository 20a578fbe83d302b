"""Metrics for Prometheus."""

from fastapi.responses import PlainTextResponse

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.middleware.guarding import allow, new_router
from tenax.api.service import ServiceDep

router = new_router("service", prefix="")

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get(
    "/metrics",
    summary="Get all metrics",
    response_class=PlainTextResponse,
    **allow(Role.USER, scope=TokenScope.METRICS),
)
async def get_metrics(service: ServiceDep) -> PlainTextResponse:
    """Returns all metrics in the Prometheus text format. Every server on a store reports the same crawl
    metrics."""
    return PlainTextResponse(await service.server_metrics.format(), media_type=MEDIA_TYPE)
