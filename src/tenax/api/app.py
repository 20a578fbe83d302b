"""Puts the service's door together."""

from importlib import import_module

from fastapi import APIRouter, FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from tenax import __version__
from tenax.api import errors
from tenax.api.dashboard import DashboardFiles
from tenax.api.exporting import PARQUET
from tenax.api.middleware.frame import Frame
from tenax.api.service import Service

ROUTES = (
    "health",
    "metrics",
    "events",
    "openapi",
    "auth",
    "users",
    "tokens",
    "audit",
    "stats",
    "doctor",
    "runs",
    "run_actions",
    "run_logs",
    "jobs",
    "job_actions",
    "job_logs",
    "executions",
    "scheduler",
    "tasks",
    "frontier",
    "frontier_actions",
    "retries",
    "discovered_links",
    "urls",
    "domains",
    "domain_rules",
    "sites",
    "pages",
    "visits",
    "changes",
    "inbound",
    "explain",
    "export",
    "seeds",
    "source_files",
    "sources",
    "workers",
    "feeds",
    "webhooks",
    "admin",
)
DESCRIPTION = """Steer and watch a crawl.

Times are ISO 8601 in UTC. Lists come in parts: `next` of one is the `cursor` of the following.
What goes wrong is told as `application/problem+json`. A browser's session sends `X-CSRF-Token` with every
request that changes something; programs send `Authorization: Bearer …`.
"""


def new_app() -> FastAPI:
    """All routes, and nobody behind them."""
    app = FastAPI(
        title="Tenax",
        version=__version__,
        description=DESCRIPTION,
        # The pages that come with the library load their scripts from foreign hosts.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    errors.install(app)
    for name in ROUTES:
        # Their routes themselves: looking through included routers costs every request more.
        app.router.routes.extend(_find_router(name).routes)
    return app


def build_app(service: Service) -> FastAPI:
    app = new_app()
    app.state.service = service
    app.router.default = DashboardFiles(app.router.default)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=1000,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, PARQUET),  # it is compressed
    )
    app.add_middleware(Frame, settings=service.settings.server, server_metrics=service.server_metrics)
    return app


def _find_router(name: str) -> APIRouter:
    router: APIRouter = import_module(f"tenax.api.routes.{name}").router
    return router
