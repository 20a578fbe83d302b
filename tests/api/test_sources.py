"""Sources over HTTP."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_store
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store

API = "/api/v1"
NEWS: dict[str, Any] = {
    "name": "News",
    "seeds": ["https://example.com/"],
    "headers": {"X-Key": "s3cret"},
    "schedule": {"interval_minutes": 6, "interval_type": "hours"},
}
FILE = """\
- name: News
  seeds: [https://example.com/]
- name: "Caf\\u00e9"
  enabled: false
  seeds: [https://cafe.example/]
  limits: {max_depth: 7}
"""


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    with empty_store(request.param, tmp_path / "crawl") as store, run_api(store.place) as server:
        yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def add(admin: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = admin.post(f"{API}/sources", json={**NEWS, **fields})
    assert answer.status_code == 201, answer.text
    added: dict[str, Any] = answer.json()
    return added


def send(admin: httpx.Client, text: str, **parameters: bool) -> httpx.Response:
    headers = {"Content-Type": "application/yaml"}
    return admin.post(f"{API}/sources/apply", content=text.encode(), headers=headers, params=parameters)


def last_note(admin: httpx.Client) -> dict[str, Any]:
    note: dict[str, Any] = admin.get(f"{API}/audit", params={"limit": 1}).json()["items"][0]
    return note


def test_a_source_is_added_with_its_job_and_shown_without_its_secrets(admin: httpx.Client) -> None:
    added = add(admin, limits={"max_depth": 7})
    assert (added["name"], added["enabled"], added["version"]) == ("News", True, 1)
    assert added["definition"]["headers"] == {"X-Key": "***"}
    assert added["definition"]["schedule"]["interval_type"] == "hours"
    assert added["job"]["state"] == "scheduled"
    assert "max_depth is 7" in added["warnings"][0]
    assert admin.get(f"{API}/sources/{added['id']}").json() == added
    assert admin.get(f"{API}/sources").json()["items"] == [added]
    assert (last_note(admin)["action"], last_note(admin)["target"]) == ("source.add", "News")
    for path in ("sources", "sources/export", "audit"):
        assert "s3cret" not in admin.get(f"{API}/{path}").text


def test_a_source_shows_the_last_execution_of_its_job(admin: httpx.Client) -> None:
    added, other = add(admin), add(admin, name="Other")
    assert added["job"]["last_execution"] is None
    admin.post(f"{API}/jobs/{added['job']['id']}/force-run")
    last = admin.get(f"{API}/sources/{added['id']}").json()["job"]["last_execution"]
    assert last["execution_number"] == 1
    listed = {
        each["name"]: each["job"]["last_execution"] for each in admin.get(f"{API}/sources").json()["items"]
    }
    assert listed["News"]["id"] == last["id"]
    assert listed[other["name"]] is None


def test_a_definition_with_faults_is_refused_with_all_of_them(admin: httpx.Client) -> None:
    body = {
        **NEWS,
        "seeds": ["x", "https://example.com/"],
        "scope": {"exclude": ["("]},
        "colour": "red",
        "headers": {"Host": "s3cret"},
    }
    answer = admin.post(f"{API}/sources", json=body)
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["faults"]] == [
        "body.seeds.0",
        "body.scope.exclude.0",
        "body.headers",
        "body.colour",
    ]
    assert "s3cret" not in answer.text
    assert answer.json()["faults"][1]["message"].startswith("'(' is not a valid RE2 pattern")


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://localhost:8060/", "http://[::1]/"])
def test_a_seed_inside_the_network_is_refused(admin: httpx.Client, url: str) -> None:
    answer = admin.post(f"{API}/sources", json={**NEWS, "seeds": ["https://example.com/", url]})
    assert [fault["where"] for fault in answer.json()["faults"]] == ["body.seeds.1"]
    answer = send(admin, f"- name: a\n  seeds:\n    - https://example.com/\n    - '{url}'\n")
    assert [fault["where"] for fault in answer.json()["faults"]] == ["line 4"]


def test_a_name_is_given_once(admin: httpx.Client) -> None:
    add(admin)
    answer = admin.post(f"{API}/sources", json={**NEWS, "name": "NEWS"})
    assert (answer.status_code, answer.json()["detail"]) == (409, "A source named News already exists.")


def test_a_source_is_changed_only_from_its_latest_version(admin: httpx.Client) -> None:
    path = f"{API}/sources/{add(admin)['id']}"
    definition = {**admin.get(path).json()["definition"], "delay_s": 3}
    changed = admin.put(path, json=definition, params={"version": 1})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["version"], changed.json()["definition"]["delay_s"]) == (2, 3.0)
    assert admin.put(path, json=definition, params={"version": 1}).status_code == 409
    assert admin.put(path, json=definition).status_code == 422
    assert last_note(admin)["outcome"] == "refused"


def test_a_source_is_disabled_and_enabled(admin: httpx.Client) -> None:
    path = f"{API}/sources/{add(admin)['id']}"
    for verb, enabled, state in (("disable", False, "paused"), ("enable", True, "scheduled")):
        answer = admin.post(f"{path}/{verb}").json()
        assert (answer["enabled"], answer["job"]["state"]) == (enabled, state)
        assert last_note(admin)["action"] == f"source.{verb}"
        assert len(admin.get(f"{API}/sources", params={"enabled": enabled}).json()["items"]) == 1


def test_a_source_is_removed(admin: httpx.Client) -> None:
    path = f"{API}/sources/{add(admin)['id']}"
    assert admin.delete(path).status_code == 204
    assert last_note(admin)["target"] == "News"
    for answer in (admin.get(path), admin.delete(path), admin.post(f"{path}/enable")):
        assert (answer.status_code, answer.json()["detail"]) == (404, "There is no such source.")


def test_a_file_is_applied_and_comes_back(admin: httpx.Client) -> None:
    planned = send(admin, FILE, dry_run=True).json()
    assert planned["is_done"] is False
    assert admin.get(f"{API}/sources").json()["items"] == []
    done = send(admin, FILE)
    assert done.status_code == 200, done.text
    assert done.json() == {**planned, "is_done": True}
    assert [each["kind"] for each in done.json()["changes"]] == ["added", "added"]
    assert done.json()["warnings"] == [
        "Café: max_depth is 7: beyond 5, a crawl rarely finds more than calendars and filters."
    ]
    exported = admin.get(f"{API}/sources/export")
    assert exported.headers["content-type"].startswith("application/yaml")
    again = send(admin, exported.text, prune=True).json()
    assert [each["kind"] for each in again["changes"]] == ["unchanged", "unchanged"]


def test_one_source_is_exported_by_itself(admin: httpx.Client) -> None:
    add(admin, name="old")
    added = add(admin)
    exported = admin.get(f"{API}/sources/export", params={"source_id": added["id"]}).text
    assert [each["name"] for each in send(admin, exported, dry_run=True).json()["changes"]] == ["News"]
    assert admin.get(f"{API}/sources/export", params={"source_id": 99}).status_code == 404


def test_a_file_removes_what_it_does_not_name_if_it_is_to(admin: httpx.Client) -> None:
    add(admin, name="old")
    kinds = [each["kind"] for each in send(admin, FILE, prune=True).json()["changes"]]
    assert kinds == ["added", "added", "removed"]
    assert last_note(admin)["detail"] == {"count": 2, "prune": True, "added": 2, "removed": 1}


def test_the_faults_of_a_file_name_its_lines_and_nothing_is_done(admin: httpx.Client) -> None:
    answer = send(admin, f"{FILE}- name: news\n  seeds: [ftp://example.com/]\n  seed: x\n")
    assert answer.status_code == 422
    assert [fault["where"] for fault in answer.json()["faults"]] == ["line 8", "line 9"]
    for text in ("", "{", "- &a [*a]", '- {name: "\\0", seeds: [https://a.example/]}'):
        assert send(admin, text).status_code == 422, text
    assert admin.post(f"{API}/sources/apply", content=b"\xff").status_code == 422
    assert admin.get(f"{API}/sources").json()["items"] == []


def test_all_jobs_are_reconciled(admin: httpx.Client) -> None:
    add(admin)
    report = admin.post(f"{API}/admin/sync-enabled-sources").json()
    counts = {"created": 0, "resumed": 0, "paused": 0, "changed": 0, "unchanged": 1, "unreadable": 0}
    assert report == {**counts, "sources": []}
    assert last_note(admin)["detail"] == counts


def test_who_may_only_read_changes_nothing(server: ApiServer, admin: httpx.Client) -> None:
    source_id = add(admin)["id"]
    with server.client(Role.USER) as user, server.client(Role.ANONYMOUS) as anonymous:
        for path in ("sources", f"sources/{source_id}", "sources/export"):
            assert user.get(f"{API}/{path}").status_code == 200
            assert anonymous.get(f"{API}/{path}").status_code == 401
        for method, path in (
            ("POST", "sources"),
            ("PUT", f"sources/{source_id}?version=1"),
            ("DELETE", f"sources/{source_id}"),
            ("POST", f"sources/{source_id}/enable"),
            ("POST", f"sources/{source_id}/disable"),
            ("POST", "sources/apply"),
            ("POST", "admin/sync-enabled-sources"),
        ):
            assert user.request(method, f"{API}/{path}", json=NEWS).status_code == 403
            assert anonymous.request(method, f"{API}/{path}", json=NEWS).status_code == 401


def test_a_source_that_cannot_be_read_is_shown_as_such_beside_the_others(
    server: ApiServer, admin: httpx.Client
) -> None:
    for name in ("News", "Old"):
        assert admin.post(f"{API}/sources", json={**NEWS, "name": name}).status_code == 201
    newer = """UPDATE sources SET definition = '{"name": "Old", "colour": 7}' WHERE name = 'Old'"""
    asyncio.run(write_store(server.place, lambda connection: connection.exec_driver_sql(newer).close()))
    news, old = admin.get(f"{API}/sources").json()["items"]
    assert (news["unreadable"], news["definition"]["name"]) == (None, "News")
    assert (old["definition"], old["warnings"]) == (None, [])
    assert "Unknown field colour" in old["unreadable"]
    assert admin.get(f"{API}/sources/{old['id']}").json() == old
    report = admin.post(f"{API}/admin/sync-enabled-sources").json()
    assert (report["unreadable"], report["unchanged"]) == (1, 1)
    assert report["sources"][0]["trouble"] == old["unreadable"]
    exported = admin.get(f"{API}/sources/export")
    assert exported.text.startswith("# Left out.")
    assert admin.delete(f"{API}/sources/{old['id']}").status_code == 204
