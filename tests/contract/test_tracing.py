"""Traces, as a collector receives them."""

import subprocess
import sys
import time

import pytest

from tenax.config.service import TracingSettings
from tenax.config.settings import Settings
from tenax.crawl.visits.outcome import build_visit
from tenax.errors import ConfigError
from tenax.records.requests import Failure, FailureKind, Response, Timings
from tenax.records.visits import Visit
from tenax.runtime.settings import check_settings
from tenax.tracing import EXPORT_S, Tracer, list_phases
from tests.support.clock import START
from tests.support.collector import Collector, open_collector, read_attributes
from tests.support.crawling import make_failure, make_response, make_target
from tests.support.store import make_failed, make_fetched

TIMINGS = Timings(dns_s=0.5, connect_s=0.25, tls_s=0.75, first_byte_s=1.0, total_s=1.5)


def trace(visit: Visit, answer: Response | Failure, ratio: float = 1.0) -> Collector:
    with open_collector() as collector:
        tracer = Tracer(TracingSettings(url=collector.url, ratio=ratio), "worker-1")
        tracer.note(visit, answer, START + 2)
        tracer.close()
    return collector


def make_answered(timings: Timings = TIMINGS) -> tuple[Visit, Response]:
    answer = make_response(200, b"", timings=timings)
    return build_visit(make_target(), answer, make_fetched()), answer


def test_a_visit_is_a_span_with_its_phases_inside() -> None:
    spans = {span.name: span for span in trace(*make_answered()).list_spans()}
    visit = spans.pop("visit")
    assert list(spans) == ["dns", "connect", "tls", "wait", "body", "read"]
    assert all(span.parent_span_id == visit.span_id for span in spans.values())
    assert all(span.trace_id == visit.trace_id for span in spans.values())
    first, last = spans["dns"], spans["read"]
    assert visit.start_time_unix_nano == first.start_time_unix_nano == int((START - 0.5) * 1e9)
    assert visit.end_time_unix_nano == last.end_time_unix_nano == int((START + 2) * 1e9)


def test_a_span_says_what_was_asked_and_what_came_of_it() -> None:
    visit, answer = make_answered()
    collector = trace(visit, answer)
    (span,) = (span for span in collector.list_spans() if span.name == "visit")
    said = read_attributes(span)
    assert said["url.full"] == visit.target.url
    assert said["http.response.status_code"] == 200
    assert said["tenax.outcome"] == "fetched"
    (resource,) = collector.list_resources()
    assert (resource["service.name"], resource["service.instance.id"]) == ("tenax", "worker-1")


def test_a_request_that_failed_is_an_error_of_its_kind() -> None:
    failure = make_failure(FailureKind.TLS)
    spans = trace(build_visit(make_target(), failure, make_failed()), failure).list_spans()
    request, visit = spans
    assert request.name == "request"
    assert read_attributes(visit)["error.type"] == "tls"
    assert visit.status.message == failure.detail


def test_a_connection_that_was_there_already_has_no_phases_of_its_own() -> None:
    visit, answer = make_answered(Timings(first_byte_s=1.0, total_s=1.0))
    phases = list(list_phases(visit, answer, START + 2))
    assert phases == [("wait", START, START + 1), ("read", START + 1, START + 2)]


def test_only_a_share_of_the_visits_is_traced() -> None:
    assert trace(*make_answered(), ratio=1e-9).list_spans() == []


def test_a_collector_that_is_gone_keeps_nobody_for_long() -> None:
    with open_collector() as collector:
        url = collector.url
    tracer = Tracer(TracingSettings(url=url, ratio=1.0), "worker-1")
    tracer.note(*make_answered(), START + 2)
    began = time.monotonic()
    tracer.close()
    assert time.monotonic() - began < 2 * EXPORT_S + 1


def test_a_collector_that_is_no_address_is_refused_without_its_password() -> None:
    with pytest.raises(ConfigError, match="is not a collector") as caught:
        check_settings(Settings(tracing=TracingSettings(url="grpc://me:secret@host")))
    assert "secret" not in str(caught.value)


def test_without_traces_nothing_of_opentelemetry_is_imported() -> None:
    code = (
        "import sys, tenax.runtime; sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
