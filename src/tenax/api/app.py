"""Builds the FastAPI application from its routes and middleware."""

from fastapi import FastAPI
from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES, GZipMiddleware

from tenax import __version__
from tenax.api.dashboard import DashboardFiles
from tenax.api.errors import install
from tenax.api.exporting import PARQUET
from tenax.api.middleware.frame import Frame
from tenax.api.routes import (
    admin,
    audit,
    auth,
    bodies,
    changes,
    discovered_links,
    doctor,
    domain_rules,
    domains,
    duplicates,
    errors,
    events,
    executions,
    explain,
    export,
    feeds,
    frontier,
    frontier_actions,
    guesses,
    health,
    inbound,
    item_audit,
    items,
    job_actions,
    job_logs,
    jobs,
    metrics,
    openapi,
    pages,
    parser_trials,
    parsers,
    products,
    retries,
    run_actions,
    run_logs,
    runs,
    scheduler,
    seeds,
    sitemaps,
    sites,
    source_files,
    sources,
    stats,
    tasks,
    tokens,
    traps,
    urls,
    users,
    visits,
    webhooks,
    workers,
)
from tenax.api.service import Service

# In the order of the reference. A path that could also match a parameter comes first.
ROUTES = (
    health,
    metrics,
    events,
    openapi,
    auth,
    users,
    tokens,
    audit,
    stats,
    doctor,
    runs,
    run_actions,
    run_logs,
    jobs,
    job_actions,
    job_logs,
    executions,
    scheduler,
    tasks,
    frontier,
    frontier_actions,
    retries,
    discovered_links,
    urls,
    domains,
    duplicates,
    domain_rules,
    guesses,
    traps,
    sites,
    pages,
    bodies,
    parser_trials,
    parsers,
    visits,
    changes,
    item_audit,
    items,
    products,
    errors,
    inbound,
    explain,
    export,
    seeds,
    source_files,
    sources,
    workers,
    feeds,
    sitemaps,
    webhooks,
    admin,
)
DESCRIPTION = """Control and monitor a crawl.

Times are ISO 8601 in UTC. Lists are paginated: pass `next` of one response as the `cursor` of the following
request. Errors are returned as `application/problem+json`. Browser sessions send `X-CSRF-Token` with every
request that changes something; programs send `Authorization: Bearer …`.
"""


def new_app() -> FastAPI:
    """All routes, without a service behind them: enough for the OpenAPI document."""
    app = FastAPI(
        title="Tenax",
        version=__version__,
        description=DESCRIPTION,
        # FastAPI's own pages load their scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    install(app)
    for module in ROUTES:
        # The routes themselves: searching included routers would slow down every request.
        app.router.routes.extend(module.router.routes)
    return app


def build_app(service: Service) -> FastAPI:
    app = new_app()
    app.state.service = service
    app.router.default = DashboardFiles(app.router.default)
    app.add_middleware(
        GZipMiddleware,
        minimum_size=1000,
        compresslevel=5,
        exclude_content_types=(*DEFAULT_EXCLUDED_CONTENT_TYPES, PARQUET),  # Parquet is compressed already
    )
    app.add_middleware(Frame, settings=service.settings.server, server_metrics=service.server_metrics)
    return app
