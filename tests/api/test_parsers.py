"""How parsers do, over HTTP."""

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import insert

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tenax.stores.commands.parser_watch import note_drops
from tenax.stores.connection import Connection
from tenax.stores.queries.parsers import find_parser_drops
from tenax.stores.schema.items import parser_trials
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.parser_figures import DAY_S, add_figures

DOMAIN = "shop.example"
TRIAL = {
    "source_id": 1,
    "parser": "shop",
    "version": "1",
    "candidate": "2",
    "same": 0,
    "only_current": 0,
    "only_candidate": 0,
    "example_url_id": 1,
    "example_current": "1",
    "example_candidate": "2",
}


def add_rows(connection: Connection) -> None:
    now = time.time()
    add_figures(connection, DOMAIN, now - 5 * DAY_S, pages=400, full=400)
    add_figures(connection, DOMAIN, now - 7200, pages=100, full=25, version="2")
    note_drops(connection, find_parser_drops(connection, now), now)
    for field, number in (("", 3), ("price", 3)):
        connection.execute(insert(parser_trials).values(TRIAL | {"field": field, "different": number}))


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder: Path = tmp_path_factory.mktemp("parsers") / "crawl"
    with empty_store(request.param, folder) as store:
        fill(store)
        asyncio.run(write_store(store.place, add_rows))
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def viewer(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.USER) as client:
        yield client


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
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


def test_candidates_are_compared(viewer: httpx.Client) -> None:
    (found,) = viewer.get("/api/v1/parsers/shop/trials").json()["comparisons"]
    assert (found["version"], found["candidate"], found["pages_different"]) == ("1", "2", 3)
    (field,) = found["fields"]
    assert (field["field"], field["different"], field["example_candidate"]) == ("price", 3, "2")
    assert viewer.get("/api/v1/parsers/cars/trials").json() == {"comparisons": []}


def test_a_candidate_is_promoted_by_an_administrator(viewer: httpx.Client, admin: httpx.Client) -> None:
    body = {
        "name": "Tried",
        "enabled": False,
        "seeds": ["https://tried.example/"],
        "parsers": [{"name": "cars"}],
        "candidates": [{"name": "cars", "uses": "cars_next"}],
    }
    source_id = admin.post("/api/v1/sources", json=body).json()["id"]
    wanted = {"source_id": source_id}
    assert viewer.post("/api/v1/parsers/cars/promote", json=wanted).status_code == 403
    promoted = admin.post("/api/v1/parsers/cars/promote", json=wanted)
    assert (promoted.status_code, promoted.json()["source"]) == (200, "Tried")
    definition = admin.get(f"/api/v1/sources/{source_id}").json()["definition"]
    assert [(each["name"], each["uses"]) for each in definition["parsers"]] == [("cars", "cars_next")]
    assert definition["candidates"] == []
    again = admin.post("/api/v1/parsers/cars/promote", json=wanted)
    assert (again.status_code, "has no candidate" in again.text) == (409, True)
    assert admin.post("/api/v1/parsers/cars/promote", json={"source_id": 99}).status_code == 404
