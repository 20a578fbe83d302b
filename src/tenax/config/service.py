"""Settings of the service: server, jobs, dispatch, tracing."""

from enum import StrEnum

from pydantic import Field

from tenax.config.masking import Secret, ServerUrl
from tenax.config.section import Section


class ServerSettings(Section):
    """The HTTP server of `tenax serve`."""

    host: str = Field(
        "127.0.0.1",
        description="Address to listen on. An address other than loopback requires an account.",
    )
    port: int = Field(8060, ge=0, le=65_535, description="Port to listen on. 0: any free port.")
    hosts: tuple[str, ...] = Field(
        (),
        description="Host names under which browsers may reach the server. Unset: those of loopback if it "
        "listens on loopback, any name otherwise.",
    )
    trusted_proxies: tuple[str, ...] = Field(
        (),
        description="Addresses of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto headers are "
        "trusted.",
    )
    anonymous_per_min: int = Field(
        10, ge=1, description="Requests per minute and address without an account."
    )
    user_per_min: int = Field(100, ge=1, description="Requests per minute of a user.")
    admin_per_min: int = Field(500, ge=1, description="Requests per minute of an administrator.")
    seeds_per_min: int = Field(
        10, ge=1, description="Requests per minute that submit seeds, for every caller."
    )
    requests_at_once: int = Field(
        3,
        ge=1,
        description="Maximum number of concurrent requests per account, or per address without an account.",
    )
    connections_per_address: int = Field(
        100,
        ge=1,
        description="Maximum number of concurrent connections per address. Trusted proxies are exempt.",
    )
    max_body_bytes: int = Field(1_000_000, ge=1024, description="Maximum size of a request body, in bytes.")
    session_s: float = Field(86_400.0, gt=0, le=86_400, description="Lifetime of a login, in seconds.")
    public_metrics: bool = Field(False, description="Whether /metrics is accessible without an account.")
    jwt_secret: Secret = Field(
        None,
        description="Key of bearer tokens (JWT, HS256) signed by other services. Unset: such tokens are "
        "not accepted.",
    )
    jwt_issuer: str = Field("tenax", description="Issuer that such a token must name.")


class JobSettings(Section):
    """The scheduler that every `tenax serve` runs."""

    poll_s: float = Field(10.0, gt=0, description="Interval between checks for due jobs, in seconds.")
    stale_lock_s: float = Field(
        300.0,
        ge=10,
        description="Time without a heartbeat after which a scheduler counts as dead and others take over "
        "its jobs, in seconds.",
    )
    max_running: int = Field(
        10,
        ge=1,
        description="Maximum number of scheduled jobs that a server runs concurrently. Forced runs are not "
        "counted.",
    )
    keep_executions: int = Field(100, ge=1, description="Maximum number of executions kept per job.")
    keep_days: float = Field(30.0, gt=0, description="How long executions are kept, in days.")


class DispatchKind(StrEnum):
    INLINE = "inline"  # workers poll the store for runs
    CELERY = "celery"  # a broker delivers them


class DispatchSettings(Section):
    """How runs reach workers."""

    kind: DispatchKind = Field(
        DispatchKind.INLINE,
        description="How runs reach workers: `inline` (workers poll the store) or `celery` (a broker "
        "delivers them).",
    )
    broker: ServerUrl = Field(None, description="RabbitMQ server, as amqp://USER:PASSWORD@HOST/VHOST.")
    queue: str = Field(
        "crawl",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="Queue for new runs.",
    )


class TracingSettings(Section):
    """Traces of visits, for OpenTelemetry."""

    url: ServerUrl = Field(
        None,
        description="Collector that accepts OTLP over HTTP, such as http://127.0.0.1:4318. Unset: no traces.",
    )
    ratio: float = Field(0.01, gt=0, le=1, description="Fraction of visits that are traced.")
