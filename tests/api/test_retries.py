"""Retries of urls over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.api.routes import retries
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill

API = "/api/v1"
RETRY = f"{API}/frontier/retry"
SHOP, DOWN = "https://shop.example", "https://down.example/"
NOTHING = {
    "urls": 0,
    "before": {},
    "resting": 0,
    "resting_domains": [],
    "trapped": 0,
    "closed": [],
    "waiting": 0,
    "unknown": 0,
    "first_unknown": [],
    "is_complete": True,
    "run_ids": [],
}


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """Over a small crawl of this test's own: one url of it is dead."""
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def order(client: httpx.Client, **body: Any) -> dict[str, Any]:
    answer = client.post(RETRY, json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def find_url(client: httpx.Client, url: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(f"{API}/urls", params={"url": url}).json()["items"][0]
    return found


def list_notes(client: httpx.Client) -> list[dict[str, Any]]:
    notes: list[dict[str, Any]] = client.get(f"{API}/audit").json()["items"]
    return [note for note in notes if note["action"] == "frontier.retry"]


def test_all_that_is_dead_waits_again(admin: httpx.Client) -> None:
    expected = {"urls": 1, "before": {"no_such_host": 1}, "resting": 1, "resting_domains": ["down.example"]}
    assert order(admin, dead={}) == NOTHING | expected
    found = find_url(admin, DOWN)
    assert (found["fate"], found["reason"], found["attempts"]) == ("queued", "asked_again", 0)
    assert found["due_at"] is not None
    assert order(admin, dead={}) == NOTHING


def test_the_action_is_audited(admin: httpx.Client) -> None:
    order(admin, dead={"reasons": ["no_such_host"], "domain": "DOWN.example", "run_id": 1, "q": "down"})
    (note,) = list_notes(admin)
    assert (note["target"], note["outcome"]) == ("down.example", "done")
    assert note["detail"] == {"reasons": ["no_such_host"], "run_id": 1, "q": "down", "queued": 1}


def test_counting_changes_nothing_and_is_not_audited(admin: httpx.Client) -> None:
    assert order(admin, dead={}, dry_run=True)["urls"] == 1
    assert order(admin, urls=[f"{SHOP}/a"], dry_run=True)["before"] == {"fetched": 1}
    assert find_url(admin, DOWN)["fate"] == "dead"
    assert find_url(admin, f"{SHOP}/a")["due_at"] is None
    assert list_notes(admin) == []


@pytest.mark.parametrize(
    ("dead", "number"),
    [
        ({"reasons": ["no_such_host", "timeout"]}, 1),
        ({"reasons": ["timeout"]}, 0),
        ({"reasons": ["quarantined"]}, 0),
        ({"domain": "down.example"}, 1),
        ({"domain": "shop.example"}, 0),
        ({"run_id": 1}, 1),
        ({"q": "DOWN"}, 1),
        ({"q": "up"}, 0),
    ],
)
def test_filters_choose(admin: httpx.Client, dead: dict[str, Any], number: int) -> None:
    assert order(admin, dead=dead)["urls"] == number


def test_named_urls_are_visited_again(admin: httpx.Client) -> None:
    named = [f"{SHOP}/a", f"{SHOP}/a#part", f"{SHOP}/gone", f"{SHOP}/wait-1", f"{SHOP}/typo"]
    assert order(admin, urls=named) == NOTHING | {
        "urls": 2,
        "before": {"fetched": 1, "gone": 1},
        "waiting": 1,
        "unknown": 1,
        "first_unknown": [f"{SHOP}/typo"],
    }
    assert find_url(admin, f"{SHOP}/a")["fate"] == "fetched"
    pages = admin.get(f"{API}/pages", params={"url": f"{SHOP}/a"}).json()["items"]
    assert len(pages) == 1, "kept until the visit has ended"
    (note,) = list_notes(admin)
    assert (note["detail"]["count"], note["detail"]["queued"]) == (4, 2)


def test_the_run_that_visits_them_is_named(admin: httpx.Client) -> None:
    run_id = admin.post(f"{API}/runs", json={}).raise_for_status().json()["id"]
    assert order(admin, urls=[f"{SHOP}/a"])["run_ids"] == [run_id]


def test_not_one_known_url_is_not_found(admin: httpx.Client) -> None:
    answer = admin.post(RETRY, json={"urls": [f"{SHOP}/typo", "https://typo.example/"]})
    assert (answer.status_code, answer.json()["status"]) == (404, 404)
    assert answer.json()["detail"].startswith("None of the 2 URLs is known")
    assert list_notes(admin)[0]["outcome"] == "refused"
    answer = admin.post(RETRY, json={"urls": [f"{SHOP}/typo"], "dry_run": True})
    assert answer.status_code == 404


def test_a_large_retry_is_cut_off_and_can_be_repeated(
    admin: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retries, "MOST_AT_ONCE", 0)
    assert order(admin, dead={}, dry_run=True)["is_complete"] is False
    assert order(admin, dead={}) == NOTHING | {"is_complete": False}
    monkeypatch.undo()
    assert order(admin, dead={})["is_complete"] is True


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({}, "body"),
        ({"dry_run": True}, "body"),
        ({"urls": [f"{SHOP}/a"], "dead": {}}, "body"),
        ({"urls": []}, "body.urls"),
        ({"urls": [f"{SHOP}/{number}" for number in range(1001)]}, "body.urls"),
        ({"urls": [f"{SHOP}/a", "ftp://shop.example/"]}, "body.urls.1"),
        ({"urls": [f"{SHOP}/{'x' * 9000}"]}, "body.urls.0"),
        ({"dead": {"reasons": ["bad-luck"]}}, "body.dead.reasons.0"),
        ({"dead": {"reasons": ["dns"] * 100}}, "body.dead.reasons"),
        ({"dead": {"domain": "["}}, "body.dead.domain"),
        ({"dead": {"run_id": 0}}, "body.dead.run_id"),
        ({"dead": {"run_id": 1 << 40}}, "body.dead.run_id"),
        ({"dead": {"q": ""}}, "body.dead.q"),
        ({"dead": {"fate": "fetched"}}, "body.dead.fate"),
        ({"dead": {}, "limit": 5}, "body.limit"),
    ],
)
def test_what_cannot_be_used_is_named_and_nothing_done(
    admin: httpx.Client, body: dict[str, Any], where: str
) -> None:
    answer = admin.post(RETRY, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert [fault["where"] for fault in answer.json()["faults"]] == [where]
    assert find_url(admin, DOWN)["fate"] == "dead"


def test_text_that_no_database_can_hold_is_refused(admin: httpx.Client) -> None:
    assert admin.post(RETRY, json={"dead": {"q": "a\0b"}}).status_code == 422


def test_possible_reasons_are_listed(admin: httpx.Client) -> None:
    answer = admin.post(RETRY, json={"dead": {"reasons": ["bad-luck"]}})
    assert "'timeout'" in answer.json()["faults"][0]["message"]


@pytest.mark.parametrize("dead", [{"domain": "typo.example"}, {"run_id": 99}])
def test_what_is_not_there_is_not_found(admin: httpx.Client, dead: dict[str, Any]) -> None:
    assert admin.post(RETRY, json={"dead": dead}).status_code == 404
    assert list_notes(admin) == []


def test_it_takes_an_administrator(server: ApiServer, admin: httpx.Client) -> None:
    with server.client(Role.USER) as user:
        assert user.post(RETRY, json={"dead": {}}).status_code == 403
    with httpx.Client(base_url=server.url) as anonymous:
        assert anonymous.post(RETRY, json={"dead": {}}).status_code == 401
    assert find_url(admin, DOWN)["fate"] == "dead"
