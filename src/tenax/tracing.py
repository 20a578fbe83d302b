"""Traces of visits for OpenTelemetry: one span per visit, with a child span for each phase of its request.

A span is created when its visit has ended, from times that are measured anyway: a visit that is not traced
costs one random number. OpenTelemetry is not imported unless tracing is enabled.
"""

import random
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from tenax import __version__
from tenax.clock import Instant
from tenax.config.masking import hide_password
from tenax.config.service import TracingSettings
from tenax.errors import ConfigError
from tenax.records.requests import Failure, Response
from tenax.records.visits import Visit

TRACES_PATH = "/v1/traces"
EXPORT_S = 5.0
# Maximum number of spans that wait for the collector. When it is reached, visits are not traced.
QUEUED_SPANS = 2048

Phase = tuple[str, Instant, Instant]


class Tracer:
    """Sends spans in a background thread, which blocks nothing else; `close` sends the last ones."""

    def __init__(self, settings: TracingSettings, worker: str) -> None:
        self._ratio = settings.ratio
        self._provider = _build_provider(settings.url or "", worker)
        self._tracer = self._provider.get_tracer("tenax", __version__)

    def note(self, visit: Visit, answer: Response | Failure, ended_at: Instant) -> None:
        """Trace a visit if it is sampled. `ended_at`: when its outcome was known."""
        if random.random() >= self._ratio:
            return
        from opentelemetry.trace import set_span_in_context

        span = self._tracer.start_span(
            "visit", start_time=_to_ns(visit.at - visit.dns_s), attributes=_describe(visit, answer)
        )
        inside = set_span_in_context(span)
        for name, since, until in list_phases(visit, answer, ended_at):
            phase = self._tracer.start_span(name, inside, start_time=_to_ns(since))
            phase.end(_to_ns(until))
        if isinstance(answer, Failure):
            from opentelemetry.trace import Status, StatusCode

            span.set_status(Status(StatusCode.ERROR, answer.detail))
        span.end(_to_ns(max(ended_at, visit.at + visit.duration_s)))

    def close(self) -> None:
        """Wait for the collector, at most EXPORT_S."""
        self._provider.force_flush(int(EXPORT_S * 1000))
        self._provider.shutdown()


def list_phases(visit: Visit, answer: Response | Failure, ended_at: Instant) -> Iterator[Phase]:
    """List the phases of the request that happened, in order."""
    started_at = visit.at
    if isinstance(answer, Failure):
        yield "request", started_at, started_at + answer.elapsed_s
        return
    timings = answer.timings
    reached = started_at
    if timings.dns_s:
        yield "dns", started_at - timings.dns_s, started_at
    for name, after_s in (
        ("connect", timings.connect_s),
        ("tls", timings.tls_s),
        ("wait", timings.first_byte_s),
        ("body", timings.total_s),
    ):
        # A reused connection has no connect and TLS times.
        if after_s > reached - started_at:
            yield name, reached, started_at + after_s
            reached = started_at + after_s
    yield "read", reached, max(ended_at, reached)


def _describe(visit: Visit, answer: Response | Failure) -> dict[str, str | int]:
    """Span attributes: those of OpenTelemetry's semantic conventions, and two of ours."""
    found: dict[str, str | int] = {
        "http.request.method": "GET",
        "url.full": visit.target.url,
        "tenax.outcome": type(visit.outcome).__name__.lower(),
        "tenax.depth": visit.target.depth,
    }
    if isinstance(answer, Failure):
        return found | {"error.type": answer.kind.value}
    return found | {
        "http.response.status_code": answer.status,
        "http.response.body.size": answer.wire_bytes,
        "network.peer.address": answer.address,
        "network.protocol.version": answer.http_version,
    }


def check_tracing(settings: TracingSettings) -> None:
    """Check the settings before anything is started. Raises ConfigError."""
    if settings.url is None:
        return
    if not settings.url.startswith(("http://", "https://")):
        shown = hide_password(settings.url)
        raise ConfigError(f"{shown!r} is not a collector. Set tracing.url to a URL such as http://HOST:4318.")
    if find_spec("opentelemetry") is None or find_spec("opentelemetry.sdk") is None:
        raise ConfigError("Traces need OpenTelemetry: install Tenax with its 'otel' extra.")


def _build_provider(url: str, worker: str) -> Any:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.sdk.trace.sampling import ALWAYS_ON

    resource = Resource.create(
        {"service.name": "tenax", "service.version": __version__, "service.instance.id": worker}
    )
    provider = TracerProvider(resource=resource, sampler=ALWAYS_ON, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(endpoint=f"{url.rstrip('/')}{TRACES_PATH}", timeout=EXPORT_S)
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=QUEUED_SPANS))
    return provider


def _to_ns(at: Instant) -> int:
    return int(at * 1e9)
