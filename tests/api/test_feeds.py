"""Feeds over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tenax.accounts.permissions import Role
from tests.support.api import run_api
from tests.support.copying import KINDS, empty_store
from tests.support.service_rows import FEEDS_SOURCE, fill_service_rows

API = "/api/v1"


@pytest.fixture(params=KINDS)
def admin(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[httpx.Client]:
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill_service_rows(store.place)
        with run_api(store.place) as server, server.client(Role.ADMIN) as client:
            yield client


def test_feeds_are_listed_by_source_and_state(admin: httpx.Client) -> None:
    assert len(admin.get(f"{API}/feeds", params={"source_id": FEEDS_SOURCE}).json()["items"]) == 4
    assert admin.get(f"{API}/feeds", params={"source_id": 2}).json()["items"] == []
    assert admin.get(f"{API}/feeds", params={"state": "gone"}).json()["items"] == []


def test_a_feed_can_be_polled_now(admin: httpx.Client) -> None:
    feed = admin.get(f"{API}/feeds").json()["items"][0]
    assert feed["next_poll_at"] is None
    answer = admin.post(f"{API}/feeds/{feed['id']}/poll")
    assert (answer.status_code, answer.json()["next_poll_at"] is None) == (200, False)
    note = admin.get(f"{API}/audit", params={"limit": 1}).json()["items"][0]
    assert (note["action"], note["outcome"]) == ("feed.poll", "done")


def test_an_unknown_feed_is_not_found(admin: httpx.Client) -> None:
    assert admin.post(f"{API}/feeds/999/poll").status_code == 404
