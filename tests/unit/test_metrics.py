from pathlib import Path

from tenax.crawl.insight.metrics import write_metrics
from tenax.metrics import Metric, MetricKind, Readings, list_metrics

PAGES = Metric(kind=MetricKind.COUNTER, name="pages_total", meaning="Pages.")
STATUSES = Metric(kind=MetricKind.COUNTER, name="statuses_total", meaning="Answers.", labels=("code", "host"))
TIMES = Metric(
    kind=MetricKind.HISTOGRAM, name="times_seconds", meaning="Times.", labels=("route",), bounds=(0.5, 1.0)
)
LOOKUPS = Metric(kind=MetricKind.SUMMARY, name="lookups_seconds", meaning="Look-ups.")


def test_a_value_follows_its_help_and_its_type() -> None:
    readings = Readings()
    readings.set(PAGES, 2)
    assert readings.format() == "# HELP pages_total Pages.\n# TYPE pages_total counter\npages_total 2.0\n"


def test_values_are_distinguished_by_all_their_labels() -> None:
    readings = Readings()
    for code, host in (("200", "a"), ("404", "a"), ("200", "a"), ("200", "b")):
        readings.inc(STATUSES, 1, code, host)
    assert readings.format().splitlines()[2:] == [
        'statuses_total{code="200",host="a"} 2.0',
        'statuses_total{code="404",host="a"} 1.0',
        'statuses_total{code="200",host="b"} 1.0',
    ]


def test_a_label_can_say_anything() -> None:
    readings = Readings()
    readings.set(STATUSES, 1, '"}\n', "\\")
    assert readings.format().endswith('statuses_total{code="\\"}\\n",host="\\\\"} 1.0\n')


def test_a_histogram_counts_what_lies_at_or_below_each_bound() -> None:
    readings = Readings()
    for seconds in (0.25, 0.5, 0.75, 8.0):
        readings.observe(TIMES, seconds, "/")
    assert readings.format().splitlines()[1:] == [
        "# TYPE times_seconds histogram",
        'times_seconds_bucket{route="/",le="0.5"} 2',
        'times_seconds_bucket{route="/",le="1"} 3',
        'times_seconds_bucket{route="/",le="+Inf"} 4',
        'times_seconds_sum{route="/"} 9.5',
        'times_seconds_count{route="/"} 4',
    ]


def test_a_summary_is_a_sum_and_a_count() -> None:
    readings = Readings()
    readings.observe(LOOKUPS, 0.5)
    readings.observe(LOOKUPS, 2.0)
    assert readings.format().splitlines()[2:] == ["lookups_seconds_sum 2.5", "lookups_seconds_count 2"]


def test_counts_that_others_kept_become_a_histogram() -> None:
    readings = Readings()
    times = Metric(kind=MetricKind.HISTOGRAM, name="times_seconds", meaning="Times.", bounds=(0.5, 1.0))
    readings.set_distribution(times, {"0.5": 1, "+Inf": 2}, 70.0)
    assert readings.format().splitlines()[2:] == [
        'times_seconds_bucket{le="0.5"} 1',
        'times_seconds_bucket{le="1"} 1',
        'times_seconds_bucket{le="+Inf"} 3',
        "times_seconds_sum 70.0",
        "times_seconds_count 3",
    ]


def test_every_metric_is_defined_once() -> None:
    names = [metric.name for metric in list_metrics()]
    assert len(names) == len(set(names)) > 20


def test_a_file_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    write_metrics(tmp_path / "none" / "metrics.prom", Readings())
    assert list(tmp_path.iterdir()) == []
