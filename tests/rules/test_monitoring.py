"""Alerts and the dashboard refer to existing metrics, and promtool accepts them."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.crawl.insight.metrics import measure_crawl
from tenax.crawl.insight.progress import ProgressMeter
from tenax.crawl.tally import WorkerTally
from tenax.metrics import Metric, MetricKind, Readings, list_metrics

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
PROMETHEUS = DEPLOY / "prometheus"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "tenax.json").read_text())

_NAME = re.compile(r"\bcrawler_\w+")
_SUFFIXES = {MetricKind.HISTOGRAM: ("_bucket", "_sum", "_count"), MetricKind.SUMMARY: ("_sum", "_count")}


def list_series(metric: Metric) -> list[str]:
    return [metric.name + suffix for suffix in _SUFFIXES.get(metric.kind, ("",))]


SERIES = {name for metric in list_metrics() for name in list_series(metric)}
# A sentence may name a whole metric.
NAMES = SERIES | {metric.name for metric in list_metrics()}


def iter_expressions() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


@pytest.mark.parametrize("name", ["alerts.yml", "alerts_test.yml"])
def test_alerts_name_metrics_that_exist(name: str) -> None:
    named = set(_NAME.findall((PROMETHEUS / name).read_text()))
    assert named
    assert named <= NAMES


def test_the_dashboard_shows_metrics_that_exist() -> None:
    named = {name for expression in iter_expressions() for name in _NAME.findall(expression)}
    assert len(named) > 15
    assert named <= SERIES


def test_the_dashboard_has_every_panel_once_and_in_its_own_place() -> None:
    panels = DASHBOARD["panels"]
    ids = [panel["id"] for panel in panels]
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels]
    assert len(set(ids)) == len(ids)
    assert len(set(places)) == len(places)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


# --- promtool, where there is one ----------------------------------------------------------------


def run_promtool(*arguments: str, text: str | None = None) -> None:
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("there is no promtool on this machine")
    done = subprocess.run(
        [promtool, *arguments], cwd=PROMETHEUS, input=text, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_accepts_the_rules() -> None:
    run_promtool("check", "rules", "alerts.yml")


def test_promtool_accepts_the_configuration() -> None:
    run_promtool("check", "config", "--syntax-only", "prometheus.yml")


def test_alerts_come_when_they_should_and_go_again() -> None:
    run_promtool("test", "rules", "alerts_test.yml")


def test_promtool_accepts_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    asked = (expression.replace("$__rate_interval", "1m") for expression in iter_expressions())
    rules = [{"record": f"asked:{number}", "expr": each} for number, each in enumerate(asked)]
    # JSON is YAML.
    path = tmp_path / "dashboard.yml"
    path.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    run_promtool("check", "rules", str(path))


def test_promtool_can_read_what_is_written() -> None:
    readings = Readings()
    for metric in list_metrics():
        labels = ['\\ "quoted"\n'] * len(metric.labels)
        if metric.kind in _SUFFIXES:
            readings.observe(metric, 0.3, *labels)
        else:
            readings.set(metric, 1e9, *labels)
    run_promtool("check", "metrics", text=readings.format())


def test_promtool_can_read_the_file_of_a_crawl() -> None:
    tally = WorkerTally(requests=1, statuses={200: 1})  # type: ignore[arg-type]
    run_promtool(
        "check", "metrics", text=measure_crawl(tally, ProgressMeter(0.0).measure(1.0, [], tally)).format()
    )
