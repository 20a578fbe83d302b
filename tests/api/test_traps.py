"""Clusters of URLs over HTTP."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.runtime.actions import write_in_steps
from tenax.stores.commands.traps import close_trap
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, fill

PATH = "/api/v1/traps"
NAME, SHAPE = "shop.example", "/cal/{n}"


@pytest.fixture(params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    """Over a small crawl of this test's own, in which a user has closed a cluster."""
    with empty_store(request.param, tmp_path / "crawl") as store:
        fill(store)
        asyncio.run(
            write_in_steps(store.place, lambda access, clock: close_trap(access, clock, NAME, SHAPE, "anna"))
        )
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def admin(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def test_a_cluster_is_listed_opened_and_closed_again(admin: httpx.Client) -> None:
    (listed,) = admin.get(PATH, params={"domain": NAME}).json()["items"]
    assert (listed["shape"], listed["state"], listed["decided_by"]) == (SHAPE, "closed", "anna")
    one = f"{PATH}/{listed['id']}"
    assert admin.get(one).json() == listed
    opened = admin.post(f"{one}/open").json()
    assert opened["state"] == "open"
    assert opened["decided_by"] not in (None, "anna")
    assert admin.post(f"{one}/close").json()["state"] == "closed"
    note = admin.get("/api/v1/audit", params={"limit": 1}).json()["items"][0]
    assert (note["action"], note["target"], note["detail"]["shape"]) == ("trap.close", NAME, SHAPE)


def test_filters_select_by_state_and_domain(admin: httpx.Client) -> None:
    assert admin.get(PATH, params={"state": "slowed"}).json()["items"] == []
    assert admin.get(PATH, params={"domain": "unknown.example"}).json()["items"] == []
    assert len(admin.get(PATH, params={"state": "closed"}).json()["items"]) == 1


def test_an_unknown_cluster_is_not_found(admin: httpx.Client) -> None:
    assert admin.get(f"{PATH}/999").status_code == 404
    assert admin.post(f"{PATH}/999/open").status_code == 404
