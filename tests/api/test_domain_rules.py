"""Rules of domains over HTTP, and domains by their site."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill

API = "/api/v1"
PATH = f"{API}/domains/shop.example"


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """Over a small crawl of this test's own."""
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def test_rules_are_set_shown_and_noted(admin: httpx.Client) -> None:
    answer = admin.patch(PATH, json={"delay_s": 3.5, "per_domain": 2, "pages_per_run": 0})
    assert answer.status_code == 200
    found = answer.json()
    assert found["rules"] == {"delay_s": 3.5, "per_domain": 2, "pages_per_run": 0, "is_active": True}
    assert (found["delay_s"], found["delay_source"]) == (3.5, "domain rule")
    assert found["at_a_time"] == {"value": 2.0, "source": "domain rule"}
    assert found["page_limit"] == {"value": 0.0, "source": "domain rule"}
    assert None not in (found["rules_by"], found["rules_at"])
    assert admin.get(PATH).json()["rules"] == found["rules"]
    receipt = admin.get(f"{PATH}/receipt").json()
    assert (receipt["per_domain"], receipt["per_domain_source"]) == (2, "domain rule")
    assert (receipt["delay_source"], receipt["rules_by"]) == ("domain rule", found["rules_by"])
    note: dict[str, Any] = admin.get(f"{API}/audit", params={"limit": 1}).json()["items"][0]
    assert (note["action"], note["target"], note["outcome"]) == ("domain.rules", "shop.example", "done")
    assert note["detail"] == {"delay_s": 3.5, "per_domain": 2, "pages_per_run": 0}


def test_null_drops_a_rule_and_what_is_left_out_stays(admin: httpx.Client) -> None:
    admin.patch(PATH, json={"delay_s": 3.5, "per_domain": 2}).raise_for_status()
    rules = admin.patch(PATH, json={"delay_s": None, "is_active": False}).json()["rules"]
    assert rules == {"delay_s": None, "per_domain": 2, "pages_per_run": None, "is_active": False}
    assert admin.patch(PATH, json={"is_active": None}).json()["rules"]["is_active"]


def test_inactive_domains_are_found(admin: httpx.Client) -> None:
    admin.patch(PATH, json={"is_active": False}).raise_for_status()
    found = admin.get(f"{API}/domains", params={"active": "false"}).json()["items"]
    assert [each["name"] for each in found] == ["shop.example"]
    others = admin.get(f"{API}/domains", params={"active": "true"}).json()["items"]
    assert "shop.example" not in {each["name"] for each in others}
    shown = admin.get(f"{API}/explain", params={"url": "https://shop.example/wait-1"}).json()
    assert any("is inactive, set by" in fact for fact in shown["facts"])


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"delay_s": -1}, "body.delay_s"),
        ({"delay_s": 86_401}, "body.delay_s"),
        ({"delay_s": "soon"}, "body.delay_s"),
        ({"per_domain": 0}, "body.per_domain"),
        ({"per_domain": 1001}, "body.per_domain"),
        ({"pages_per_run": -1}, "body.pages_per_run"),
        ({"pages_per_run": 1 << 31}, "body.pages_per_run"),
        ({"is_active": "perhaps"}, "body.is_active"),
        ({"mood": 1}, "body.mood"),
        ({}, "body"),
    ],
)
def test_bad_rules_are_refused_and_change_nothing(
    admin: httpx.Client, body: dict[str, Any], where: str
) -> None:
    answer = admin.patch(PATH, json=body)
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["faults"]] == [where]
    assert admin.get(PATH).json()["rules_at"] is None


def test_rules_of_an_unknown_domain_are_refused(admin: httpx.Client) -> None:
    answer = admin.patch(f"{API}/domains/unknown.example", json={"delay_s": 1})
    assert answer.status_code == 404
    assert "unknown.example" in answer.json()["detail"]


def test_only_administrators_set_rules(server: ApiServer) -> None:
    with server.client(Role.USER) as reader:
        assert reader.patch(PATH, json={"delay_s": 1}).status_code == 403
        assert reader.get(PATH).json()["rules_at"] is None


def test_sites_are_listed_and_filtered_by(client: httpx.Client) -> None:
    sites = client.get(f"{API}/sites").json()["items"]
    assert {site["name"] for site in sites} >= {"shop.example", "down.example"}
    shop = next(site for site in sites if site["name"] == "shop.example")
    listed = client.get(f"{API}/domains", params={"site": "shop.example"}).json()["items"]
    assert (len(listed), listed[0]["site"]) == (shop["domains"], "shop.example")
    assert sum(each["urls"] for each in listed) == shop["urls"]
    assert client.get(f"{API}/sites", params={"q": "shop"}).json()["items"] == [shop]


def test_sites_in_parts_are_all_sites(client: httpx.Client) -> None:
    whole = client.get(f"{API}/sites", params={"sort": "name"}).json()["items"]
    parts, cursor = [], None
    for _ in whole:
        part = client.get(f"{API}/sites", params={"sort": "name", "limit": 1, "cursor": cursor or ""}).json()
        parts += part["items"]
        cursor = part["next"]
    assert (parts, cursor) == (whole, None)


def test_an_export_can_be_of_one_site(client: httpx.Client) -> None:
    lines = client.get(f"{API}/export/domains", params={"site": "shop.example"}).text.splitlines()
    assert len(lines) == 1
    answer = client.get(f"{API}/export/domains", params={"site": "a b"})
    assert answer.status_code == 422
