"""Statistics: current, over time, and for Prometheus."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.metrics import list_metrics
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.clock import START

API = "/api/v1"


def test_anyone_may_see_the_public_statistics(filled: ApiServer) -> None:
    with filled.client(Role.ANONYMOUS) as client:
        found = client.get(f"{API}/stats").json()
    assert found["pages"] == 2
    assert sum(found["fates"].values()) == found["urls"]


def test_the_last_hour_is_shown_by_minute(reader: httpx.Client) -> None:
    found = reader.get(f"{API}/stats/timeseries").json()
    assert found["step_s"] == 60
    assert 60 <= len(found["points"]) <= 61


def test_a_year_is_shown_by_day_and_loses_nothing(reader: httpx.Client) -> None:
    found = ask_series(reader, START - 86_400, START + 360 * 86_400)
    assert found["step_s"] == 86_400
    visits = reader.get(f"{API}/export/visits").text.count("\n")
    assert sum(point["requests"] for point in found["points"]) == visits


def test_a_series_has_the_total_traffic_counted_like_its_points(reader: httpx.Client) -> None:
    whole = ask_series(reader, START - 86_400, START + 360 * 86_400)
    traffic = sum(point["wire_bytes"] for point in whole["points"])
    assert traffic > 0
    nothing = ask_series(reader, START - 2 * 86_400, START - 86_400)
    assert (whole["total_wire_bytes"], nothing["total_wire_bytes"]) == (traffic, traffic)


def test_a_collector_finds_the_documented_metrics(aged: ApiServer, reader: httpx.Client) -> None:
    answer = reader.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    names = {line.split()[2] for line in answer.text.splitlines() if line.startswith("# TYPE")}
    assert names <= {metric.name for metric in list_metrics()}
    assert {"crawler_pages_fetched_total", "tenax_http_requests_total"} <= names


def test_requests_are_counted_by_operation_and_not_by_address(
    filled: ApiServer, client: httpx.Client
) -> None:
    for name in ("shop.example", "down.example"):
        client.get(f"{API}/domains/{name}")
    client.get("/nothing/here/at/all")
    text = client.get("/metrics").text
    assert 'operation="get_domain",status="200"' in text
    assert "shop.example" not in text
    assert "nothing/here" not in text


@pytest.mark.parametrize(("is_public", "status"), [(False, 401), (True, 200)])
def test_metrics_are_public_only_if_configured(
    tmp_path_factory: pytest.TempPathFactory, is_public: bool, status: int
) -> None:
    place = Place(folder=tmp_path_factory.mktemp("metrics") / "crawl")
    with (
        run_api(place, server={"public_metrics": is_public}) as server,
        server.client(Role.ANONYMOUS) as client,
    ):
        assert client.get("/metrics").status_code == status


def ask_series(client: httpx.Client, since: float, until: float) -> dict[str, Any]:
    parameters = {
        name: datetime.fromtimestamp(at, UTC).isoformat() for name, at in (("since", since), ("until", until))
    }
    answer = client.get(f"{API}/stats/timeseries", params=parameters)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found
