"""What was learned about lists and archives over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tenax.accounts.permissions import Role
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill

PATH = "/api/v1/domains/shop.example"
LIST = {"pattern": "/news?page={n}", "state": "off"}
ARCHIVE = {"pattern": "/{Y}/{MM}/", "state": "valid"}


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def test_patterns_are_set_shown_and_removed(admin: httpx.Client) -> None:
    assert admin.get(f"{PATH}/guesses").json() == {"pagination": [], "archives": []}
    found = admin.put(f"{PATH}/pagination", json=LIST).json()
    assert [(each["pattern"], each["path"], each["state"]) for each in found["pagination"]] == [
        ("/news?page={n}", "/news", "off")
    ]
    found = admin.put(f"{PATH}/archives", json=ARCHIVE).json()
    assert [(each["pattern"], each["state"]) for each in found["archives"]] == [("/{Y}/{MM}/", "valid")]
    assert admin.get(f"{PATH}/guesses").json() == found
    assert admin.get("/api/v1/audit", params={"limit": 1}).json()["items"][0]["action"] == "domain.archives"
    admin.delete(f"{PATH}/pagination", params={"pattern": LIST["pattern"]}).raise_for_status()
    left = admin.delete(f"{PATH}/archives", params={"pattern": ARCHIVE["pattern"]}).json()
    assert left == {"pagination": [], "archives": []}


def test_bad_patterns_are_refused_in_a_sentence(admin: httpx.Client) -> None:
    answer = admin.put(f"{PATH}/pagination", json={"pattern": "/news", "state": "off"})
    assert answer.status_code == 422
    assert "needs {n}" in answer.json()["detail"]
    assert admin.put(f"{PATH}/archives", json={"pattern": "/{D}/", "state": "off"}).status_code == 422
    assert admin.put(f"{PATH}/archives", json={"pattern": "/a", "state": "ended"}).status_code == 422


def test_unknown_domains_and_patterns_are_not_found(admin: httpx.Client) -> None:
    assert admin.get("/api/v1/domains/no.example/guesses").status_code == 404
    assert admin.put("/api/v1/domains/no.example/pagination", json=LIST).status_code == 404
    assert admin.delete(f"{PATH}/archives", params={"pattern": "/x"}).status_code == 404


def test_users_may_look_but_not_change(server: ApiServer) -> None:
    with server.client(Role.USER) as client:
        assert client.get(f"{PATH}/guesses").status_code == 200
        assert client.put(f"{PATH}/pagination", json=LIST).status_code == 403
