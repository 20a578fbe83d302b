"""How parsers do, over HTTP."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tenax.stores.commands.parser_watch import watch_parsers
from tenax.stores.connection import Connection
from tests.support.api import run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.parser_figures import DAY_S, add_figures

DOMAIN = "shop.example"


def add_rows(connection: Connection) -> None:
    now = time.time()
    add_figures(connection, DOMAIN, now - 5 * DAY_S, pages=400, full=400)
    add_figures(connection, DOMAIN, now - 7200, pages=100, full=25, version="2")
    watch_parsers(connection, now)


@pytest.fixture(scope="module", params=KINDS)
def viewer(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[httpx.Client]:
    folder: Path = tmp_path_factory.mktemp("parsers") / "crawl"
    with empty_store(request.param, folder) as store:
        fill(store)
        asyncio.run(write_store(store.place, add_rows))
        with run_api(store.place) as server, server.client(Role.USER) as client:
            yield client


def test_parsers_are_listed_with_versions_and_open_alerts(viewer: httpx.Client) -> None:
    (parser,) = viewer.get("/api/v1/parsers").json()["parsers"]
    assert parser["name"] == "shop"
    assert [(each["version"], each["figures"]["share_with_items"]) for each in parser["versions"]] == [
        ("2", 0.25),
        ("1", 1.0),
    ]
    (alert,) = parser["alerts"]
    assert (alert["measure"], alert["domain"], alert["ended_at"]) == ("items", DOMAIN, None)


@pytest.mark.parametrize(("days", "step", "shares"), [(30, "day", [1.0, 0.25]), (2, "hour", [0.25])])
def test_a_parser_is_shown_over_time(viewer: httpx.Client, days: int, step: str, shares: list[float]) -> None:
    found = viewer.get("/api/v1/parsers/shop/stats", params={"days": days}).json()
    assert found["step"] == step
    assert [each["figures"]["share_with_items"] for each in found["points"]] == shares
    assert [each["domain"] for each in found["domains"]] == [DOMAIN]
    assert len(found["alerts"]) == 1


def test_an_unknown_parser_is_not_found(viewer: httpx.Client) -> None:
    assert viewer.get("/api/v1/parsers/cars/stats").status_code == 404


def test_the_metric_counts_what_dropped(viewer: httpx.Client) -> None:
    assert 'crawler_parsers_degraded{parser="shop"} 1' in viewer.get("/metrics").text
