"""Actions over HTTP: the frontier, runs, domains, links, stored pages; and their audit entries."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.accounts.permissions import Role
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill
from tests.support.service_rows import fill_service_rows
from tests.support.stores import fill_store

API = "/api/v1"
SHOP = "https://shop.example"


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """Over a small crawl of this test's own."""
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        fill_service_rows(store.place)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def explain(client: httpx.Client, url: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{API}/explain", params={"url": url}).json()
    return found


def last_note(client: httpx.Client) -> dict[str, Any]:
    note: dict[str, Any] = client.get(f"{API}/audit", params={"limit": 1}).json()["items"][0]
    return note


def count_waiting(client: httpx.Client) -> int:
    return len(client.get(f"{API}/frontier/urls", params={"limit": 500}).json()["items"])


# --- the frontier ----------------------------------------------------------------------------------


def test_urls_that_are_added_wait_with_their_priority(admin: httpx.Client) -> None:
    urls = [f"{SHOP}/one", f"{SHOP}/two", f"{SHOP}/one#part"]
    answer = admin.post(f"{API}/frontier/add", json={"urls": urls, "priority": "low"})
    assert (answer.status_code, answer.json()) == (201, {"given": 2, "added": 2})
    waiting = admin.get(f"{API}/frontier/urls", params={"priority": "low"}).json()["items"]
    assert {f"{SHOP}/one", f"{SHOP}/two"} <= {url["url"] for url in waiting}
    assert last_note(admin)["detail"]["added"] == 2


def test_adding_twice_adds_once(admin: httpx.Client) -> None:
    for added in (1, 0):
        answer = admin.post(f"{API}/frontier/add", json={"urls": [f"{SHOP}/once"]})
        assert answer.json()["added"] == added


def test_a_seed_is_wanted_most(admin: httpx.Client) -> None:
    answer = admin.post(f"{API}/frontier/seed", json={"urls": ["https://new.example/"]})
    assert answer.status_code == 201
    assert admin.get(f"{API}/domains/new.example").json()["queued"] == 1
    waiting = admin.get(f"{API}/frontier/urls", params={"domain": "new.example"}).json()["items"]
    assert (waiting[0]["priority"], waiting[0]["is_seed"]) == ("high", True)


def test_a_frontier_that_is_cleared_is_empty_and_says_why(admin: httpx.Client) -> None:
    waited = [url["url"] for url in admin.get(f"{API}/frontier/urls").json()["items"]]
    assert admin.delete(f"{API}/frontier").status_code == 409
    answer = admin.delete(f"{API}/frontier", params={"confirm": True})
    assert answer.json()["urls"] == len(waited) > 0
    assert count_waiting(admin) == 0
    assert explain(admin, waited[0])["fate"] == "refused"
    admin.post(f"{API}/frontier/add", json={"urls": waited[:1]}).raise_for_status()
    assert count_waiting(admin) == 1


def test_one_domain_is_cleared_alone(admin: httpx.Client) -> None:
    admin.post(f"{API}/frontier/seed", json={"urls": ["https://new.example/"]})
    before = count_waiting(admin)
    assert admin.delete(f"{API}/frontier", params={"domain": "new.example"}).json() == {"urls": 1}
    assert count_waiting(admin) == before - 1
    assert admin.delete(f"{API}/frontier", params={"domain": "unknown.example"}).status_code == 404


def test_one_url_is_taken_out(admin: httpx.Client) -> None:
    url = admin.get(f"{API}/frontier/urls").json()["items"][0]
    assert admin.delete(f"{API}/frontier/urls/{url['id']}").status_code == 204
    assert admin.delete(f"{API}/frontier/{url['id']}").status_code == 409
    assert explain(admin, url["url"])["fate"] == "refused"


def test_domains_without_a_lease_need_no_recovery(admin: httpx.Client) -> None:
    answer = admin.post(f"{API}/frontier/recover")
    assert answer.status_code == 200
    assert admin.post(f"{API}/frontier/recover").json() == {"domains": 0, "urls": 0, "workers": 0}


FORBIDDEN = [
    "ftp://shop.example/",
    "javascript:alert(1)",
    "http://127.0.0.1/",
    "http://2130706433/",
    "http://[::1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://localhost:8060/",
    "http://printer.local/",
    "https://",
    "no url",
    f"{SHOP}/{'x' * 3000}",
]


@pytest.mark.parametrize("path", ["frontier/add", "frontier/seed", "runs"])
def test_addresses_that_lead_nowhere_good_are_refused(admin: httpx.Client, path: str) -> None:
    before = count_waiting(admin)
    for url in FORBIDDEN:
        answer = admin.post(f"{API}/{path}", json={"urls": [f"{SHOP}/fine", url]})
        assert answer.status_code == 422, url
        assert [fault["where"] for fault in answer.json()["faults"]] == ["body.urls.1"]
    assert count_waiting(admin) == before


# --- runs --------------------------------------------------------------------------------------------


def test_a_run_is_started_with_its_own_rules(admin: httpx.Client) -> None:
    order = {
        "urls": ["https://new.example/"],
        "limits": {"max_pages": 7},
        "delay_s": 3.5,
        "extract": {"only": ["article"]},
    }
    answer = admin.post(f"{API}/runs", json=order)
    assert answer.status_code == 201
    settings = admin.get(f"{API}/runs/{answer.json()['id']}").json()["settings"]
    assert settings["limits"]["max_pages"] == 7
    assert settings["limits"]["pages_per_domain"] == 0, "one limit is enough for one domain"
    assert settings["limits"]["max_depth"] == 10
    assert settings["politeness"]["delay_s"] == 3.5
    assert settings["extract"] == {
        "only": ["article"],
        "without": [],
        "response_headers": [],
        "article": "never",
        "detect_language": False,
        "markdown": False,
        "content_types": [],
        "pdf_pages": 500,
    }
    assert last_note(admin)["target"] == f"run {answer.json()['id']}"


def start(client: httpx.Client, **order: Any) -> httpx.Response:
    return client.post(f"{API}/runs", json=order)


def test_runs_of_different_crawls_go_side_by_side(admin: httpx.Client) -> None:
    first = start(admin, urls=["https://new.example/"], name="new").json()
    second = start(admin, urls=["https://other.example/"]).json()
    assert (first["source_name"], second["source_name"]) == ("new", "https://other.example/")
    going = admin.get(f"{API}/runs/under-way").json()["runs"]
    assert [(run["id"], run["source_name"], run["source_kind"]) for run in going] == [
        (second["id"], "https://other.example/", "crawl"),
        (first["id"], "new", "crawl"),
    ]
    answer = admin.get(f"{API}/runs", params={"source_id": first["source_id"]}).json()
    assert [run["id"] for run in answer["items"]] == [first["id"]]


def test_a_crawl_has_one_run_at_a_time(admin: httpx.Client) -> None:
    assert start(admin, name="shop").status_code == 201
    answer = start(admin, urls=["https://new.example/"], name="Shop")
    assert answer.status_code == 409
    assert "A run of the crawl shop is already running or paused" in answer.json()["detail"]
    assert admin.get(f"{API}/domains/new.example").status_code == 404
    assert last_note(admin)["outcome"] == "refused"


def test_a_domain_of_an_active_run_is_refused_with_names(admin: httpx.Client) -> None:
    run = start(admin, urls=["https://new.example/"], name="new").json()["id"]
    answer = start(admin, urls=["https://new.example/b"], name="other")
    assert answer.status_code == 409
    assert f"new.example is being crawled by run {run} of crawl new" in answer.json()["detail"]
    assert len(admin.get(f"{API}/runs/under-way").json()["runs"]) == 1, "nothing was begun"


def test_a_paused_run_leaves_its_domains_and_gets_them_back(admin: httpx.Client) -> None:
    first = start(admin, urls=["https://new.example/"], name="new").json()["id"]
    admin.post(f"{API}/runs/{first}/pause").raise_for_status()
    second = start(admin, urls=["https://new.example/b"], name="other").json()
    assert second["taken"] == [{"domain": "new.example", "owner": "crawl new", "urls": 1}]
    assert "It waits until crawl new continues" in explain(admin, "https://new.example/")["because"]
    answer = admin.post(f"{API}/runs/{first}/resume")
    assert (answer.status_code, "run " in answer.json()["detail"]) == (409, True)
    assert admin.get(f"{API}/runs/{first}").json()["state"] == "paused"
    admin.post(f"{API}/runs/{second['id']}/cancel").raise_for_status()
    resumed = admin.post(f"{API}/runs/{first}/resume").json()
    assert resumed["taken"] == [{"domain": "new.example", "owner": "crawl other", "urls": 1}]
    assert "It is queued for its first visit" in explain(admin, "https://new.example/")["because"]


def test_without_urls_the_crawl_that_waits_goes_on(admin: httpx.Client) -> None:
    assert start(admin, name="nowhere").status_code == 409
    run = start(admin).json()
    assert run["source_name"] == "shop", "the only one"
    admin.post(f"{API}/runs/{run['id']}/cancel").raise_for_status()
    start(admin, urls=["https://new.example/"], name="new").raise_for_status()
    answer = start(admin)
    assert answer.status_code == 409
    assert "Several crawls have waiting URLs (shop, new" in answer.json()["detail"]


def test_the_name_of_a_crawl_is_checked(admin: httpx.Client) -> None:
    for name in ("", " x", "x" * 201):
        answer = start(admin, urls=["https://new.example/"], name=name)
        assert answer.status_code == 422, name
        assert answer.json()["faults"][0]["where"] == "body.name"
    source = admin.get(f"{API}/sources").json()["items"][0]["name"]
    answer = start(admin, urls=["https://new.example/"], name=source)
    assert (answer.status_code, "is the name of a source" in answer.json()["detail"]) == (409, True)


def test_a_crawl_is_no_source(admin: httpx.Client) -> None:
    crawl = start(admin, urls=["https://new.example/"], name="new").json()["source_id"]
    assert admin.get(f"{API}/sources/{crawl}").status_code == 404
    assert crawl not in [each["id"] for each in admin.get(f"{API}/sources").json()["items"]]
    answer = admin.post(f"{API}/sources", json={"name": "New", "seeds": ["https://x.example/"]})
    assert (answer.status_code, answer.json()["detail"]) == (409, "A crawl named new already exists.")


def test_urls_are_added_to_the_owner_of_their_domain(admin: httpx.Client) -> None:
    start(admin, urls=["https://new.example/"], name="new").raise_for_status()
    start(admin, urls=["https://other.example/"], name="other").raise_for_status()
    for path in ("add", "seed"):
        urls = [f"https://new.example/{path}", f"{SHOP}/{path}", f"https://{path}.example/"]
        answer = admin.post(f"{API}/frontier/{path}", json={"urls": urls})
        assert (answer.status_code, answer.json()["added"]) == (201, 3)
        assert "belongs to crawl new" in str(explain(admin, urls[0])["facts"])
        assert "belongs to crawl shop" in str(explain(admin, urls[1])["facts"])
        assert "belongs to crawl default" in str(explain(admin, urls[2])["facts"]), "no single owner"
    admin.post(f"{API}/frontier/add", json={"urls": ["https://more.example/"], "name": "other"})
    assert "belongs to crawl other" in str(explain(admin, "https://more.example/")["facts"])


def test_a_pattern_that_is_none_is_refused(admin: httpx.Client) -> None:
    answer = admin.post(f"{API}/runs", json={"scope": {"include": ["(unclosed"]}})
    assert answer.status_code == 422
    assert "(unclosed" in answer.json()["detail"]


def test_a_selector_that_is_none_is_refused(admin: httpx.Client) -> None:
    answer = admin.post(f"{API}/runs", json={"extract": {"without": ["p:nth-child("]}})
    assert answer.status_code == 422
    assert "p:nth-child(" in answer.json()["detail"]


def test_an_action_on_an_unknown_run_is_refused(admin: httpx.Client) -> None:
    for verb in ("pause", "resume", "cancel"):
        assert admin.post(f"{API}/runs/999/{verb}").status_code == 404


# --- domains, links, pages ---------------------------------------------------------------------------


def test_a_domain_is_blocked_and_unblocked(admin: httpx.Client) -> None:
    path = f"{API}/domains/shop.example"
    assert admin.post(f"{path}/block", json={"reason": "a test"}).json()["status"] == "blocked"
    assert admin.get(path).json()["block_reason"] == "a test"
    assert admin.post(f"{path}/unblock", json={}).json()["was"] == "blocked"
    assert admin.post(f"{path}/unblock", json={}).status_code == 409
    assert last_note(admin)["action"] == "domain.unblock"


def test_what_waits_for_a_user_is_at_rest(admin: httpx.Client) -> None:
    admin.post(f"{API}/domains/shop.example/block", json={}).raise_for_status()
    queued = admin.get(f"{API}/domains/shop.example").json()["queued"]
    stats = admin.get(f"{API}/frontier/stats").json()
    assert stats["queued_at_rest"] >= queued > 0
    assert {each["domain"]: each["is_at_rest"] for each in stats["longest"]}["shop.example"]


def test_a_domain_that_is_reset_is_wanted_again(admin: httpx.Client) -> None:
    before = admin.get(f"{API}/domains/shop.example").json()["queued"]
    assert admin.post(f"{API}/admin/domains/shop.example/reset", json={}).status_code == 200
    assert admin.get(f"{API}/domains/shop.example").json()["queued"] > before


def test_a_link_out_of_scope_becomes_a_seed(admin: httpx.Client) -> None:
    link = admin.get(f"{API}/discovered-links").json()["items"][0]
    answer = admin.post(f"{API}/discovered-links/promote", json={"ids": [link["id"]]})
    assert answer.json() == {"urls": [link["url"]]}
    assert admin.get(f"{API}/discovered-links/{link['id']}").status_code == 404
    assert explain(admin, link["url"])["fate"] == "queued"


def test_a_link_that_is_deleted_does_not_come_back(admin: httpx.Client) -> None:
    first, second = admin.get(f"{API}/discovered-links").json()["items"][:2]
    assert admin.delete(f"{API}/discovered-links/{first['id']}").status_code == 204
    answer = admin.request("DELETE", f"{API}/discovered-links", params={"id": [first["id"], second["id"]]})
    assert answer.json() == {"hidden": 1}
    left = admin.get(f"{API}/discovered-links").json()["items"]
    assert not {first["id"], second["id"]} & {link["id"] for link in left}


def test_pages_are_deleted_and_their_urls_stay(admin: httpx.Client) -> None:
    page = admin.get(f"{API}/pages").json()["items"][0]
    assert admin.delete(f"{API}/admin/pages").status_code == 409
    assert admin.delete(f"{API}/admin/pages", params={"domain": "shop.example"}).json()["pages"] > 0
    assert admin.get(f"{API}/pages").json()["items"] == []
    assert explain(admin, page["url"])["fate"] == "fetched"


def test_the_settings_in_force_hide_what_is_secret(server: ApiServer, admin: httpx.Client) -> None:
    shown = admin.get(f"{API}/admin/settings").json()
    assert shown["settings"]["politeness"]["delay_s"] == 1.0
    assert shown["settings"]["server"]["jwt_secret"] is None


def test_the_doctor_names_what_holds_the_crawl_back(admin: httpx.Client) -> None:
    run = admin.post(f"{API}/runs", json={}).json()["id"]
    assert admin.get(f"{API}/doctor").json()["code"] == "no_worker"
    admin.post(f"{API}/runs/{run}/pause").raise_for_status()
    assert admin.get(f"{API}/doctor").json()["code"] == "paused"


def test_the_doctor_sees_a_locked_store_first(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    fill_store(folder)
    with (
        run_api(Place(folder=folder)) as server,
        server.client(Role.USER) as client,
        closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection,
    ):
        connection.execute("BEGIN IMMEDIATE")
        assert client.get(f"{API}/doctor", timeout=60).json()["code"] == "store"


# --- which urls are one ------------------------------------------------------------------------------


def test_a_url_is_found_whichever_parameters_its_crawl_keeps(admin: httpx.Client) -> None:
    tree = f"{SHOP}/tree?ref=main"
    order = {"urls": [tree], "scope": {"keep_parameters": ["ref"]}}
    assert admin.post(f"{API}/runs", json=order).status_code == 201
    for address in (tree, f"{tree}&utm_source=x", f"{SHOP}/tree?utm_source=x&ref=main"):
        (found,) = admin.get(f"{API}/urls", params={"url": address}).json()["items"]
        assert found["url"] == tree
        assert explain(admin, address)["fate"] == "queued"
    assert admin.get(f"{API}/urls", params={"url": f"{SHOP}/tree?ref=other"}).json()["items"] == []
    (old,) = admin.get(f"{API}/urls", params={"url": f"{SHOP}/old?ref=x"}).json()["items"]
    assert old["url"] == f"{SHOP}/old"


def test_a_run_is_started_with_merge_rules(admin: httpx.Client) -> None:
    rule = {"name": "sorting", "under": "shop.example/list", "ignore_parameters": ["sort"]}
    order = {"urls": [f"{SHOP}/"], "scope": {"merge_rules": [rule]}}
    run = admin.post(f"{API}/runs", json=order).raise_for_status().json()
    shown = admin.get(f"{API}/runs/{run['id']}").raise_for_status().json()
    (kept,) = shown["settings"]["scope"]["merge_rules"]
    assert kept.items() >= rule.items()


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"under": "/a"}, "must ignore something"),
        ({"under": "a b", "ignore_parameters": ["x"]}, "is not valid here. Write example.com"),
        ({"ignore_matching": ["("]}, "is not a valid RE2 pattern"),
        ({"ignore": ["x"]}, "merge_rules"),
    ],
)
def test_a_merge_rule_that_cannot_be_used_is_refused(
    admin: httpx.Client, rule: dict[str, Any], fault: str
) -> None:
    order = {"urls": [f"{SHOP}/"], "scope": {"merge_rules": [rule]}}
    answer = admin.post(f"{API}/runs", json=order)
    assert 400 <= answer.status_code < 500
    assert fault in answer.text
    source = {"name": "News", "seeds": [f"{SHOP}/"], "scope": {"merge_rules": [rule]}}
    answer = admin.post(f"{API}/sources", json=source)
    assert answer.status_code == 422
    assert fault in answer.text
    assert "scope.merge_rules" in answer.text


def test_merge_rules_of_a_source_come_back(admin: httpx.Client) -> None:
    rules = [{"name": "sorting", "ignore_parameters": ["sort"]}, {"ignore_trailing_slash": True}]
    source = {"name": "News", "seeds": [f"{SHOP}/"], "scope": {"merge_rules": rules}}
    added = admin.post(f"{API}/sources", json=source).raise_for_status().json()
    kept = added["definition"]["scope"]["merge_rules"]
    assert [each["ignore_parameters"] for each in kept] == [["sort"], []]
    exported = admin.get(f"{API}/sources/export").text
    assert "ignore_trailing_slash: true" in exported
