"""Settings of the service: server, jobs, dispatch, tracing."""

from enum import StrEnum

from pydantic import Field

from tenax.config.masking import Secret, ServerUrl
from tenax.config.section import Section


class ServerSettings(Section):
    """Of `tenax serve`."""

    host: str = Field("127.0.0.1", description="Address to listen at; beyond loopback only with an account.")
    port: int = Field(8060, ge=0, le=65_535, description="Port to listen at; 0: any that is free.")
    hosts: tuple[str, ...] = Field(
        (), description="Names that browsers may call it by; none: those of loopback, or any beyond it."
    )
    trusted_proxies: tuple[str, ...] = Field(
        (), description="Addresses of reverse proxies whose X-Forwarded-For and -Proto are believed."
    )
    anonymous_per_min: int = Field(10, ge=1, description="Requests a minute without an account, per address.")
    user_per_min: int = Field(100, ge=1, description="Requests a minute of a user.")
    admin_per_min: int = Field(500, ge=1, description="Requests a minute of an administrator.")
    seeds_per_min: int = Field(10, ge=1, description="Orders of seeds a minute, of anybody.")
    requests_at_once: int = Field(
        3,
        ge=1,
        description="Requests of one account, or of one address without an account, that run at a time.",
    )
    connections_per_address: int = Field(
        100, ge=1, description="Connections of one address at a time; those of trusted proxies do not count."
    )
    max_body_bytes: int = Field(1_000_000, ge=1024, description="Bytes of a request.")
    session_s: float = Field(86_400.0, gt=0, le=86_400, description="How long a login lasts.")
    public_metrics: bool = Field(False, description="Show /metrics to everybody.")
    jwt_secret: Secret = Field(
        None,
        description="Key of bearer tokens (JWT, HS256) that other services sign; none: no such token.",
    )
    jwt_issuer: str = Field("tenax", description="Issuer that such a token must name.")


class JobSettings(Section):
    """Of the scheduler that every `tenax serve` has."""

    poll_s: float = Field(10.0, gt=0, description="Pause between two looks for jobs whose time has come.")
    stale_lock_s: float = Field(
        300.0,
        ge=10,
        description="A scheduler that is silent for so long is dead; others go on with its jobs.",
    )
    max_running: int = Field(
        10, ge=1, description="Scheduled jobs at the same time, of one server; forced ones come on top."
    )
    keep_executions: int = Field(100, ge=1, description="Executions of a job that are kept, at most.")
    keep_days: float = Field(30.0, gt=0, description="Days for which executions are kept, at most.")


class DispatchKind(StrEnum):
    INLINE = "inline"  # workers look into the store for runs
    CELERY = "celery"  # a broker tells them


class DispatchSettings(Section):
    """How runs reach workers."""

    kind: DispatchKind = Field(DispatchKind.INLINE, description="`inline`: workers poll; `celery`: a broker.")
    broker: ServerUrl = Field(None, description="A RabbitMQ, as amqp://USER:PASSWORD@HOST/VHOST; none: none.")
    queue: str = Field(
        "crawl",
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="Queue of the runs that are opened.",
    )


class TracingSettings(Section):
    """Of visits, for OpenTelemetry."""

    url: ServerUrl = Field(
        None, description="A collector that takes OTLP over HTTP, as http://127.0.0.1:4318; none: no traces."
    )
    ratio: float = Field(0.01, gt=0, le=1, description="Share of the visits that are traced.")
