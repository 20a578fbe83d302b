"""Every route × role: only administrators see the addresses of internal services."""

import json
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import httpx
import pytest
from pydantic import BaseModel
from pysqlite3 import dbapi2 as sqlite

from tenax.accounts.permissions import Role
from tenax.api.middleware.field_access import ForAdmins, Rules, find_rules, remove_hidden
from tenax.api.middleware.guarding import SAFE_METHODS
from tenax.config.settings import Settings
from tenax.stores.place import Place
from tests.support.api import ApiServer, run_api
from tests.support.routes import Route, list_routes
from tests.support.service_rows import fill_service_rows
from tests.support.stores import fill_store

# Stands in everything that says where something is.
MARK = "somewhere-inside"
SETTINGS = Settings.model_validate(
    {
        "store": {"url": f"postgresql://me@{MARK}/crawl"},
        "redis": {"url": f"redis://{MARK}:6379"},
        "dispatch": {"broker": f"amqp://me@{MARK}/"},
        "tracing": {"url": f"http://{MARK}:4318"},
        "server": {"host": f"{MARK}.example", "trusted_proxies": [f"{MARK}-proxy"]},
        "fetch": {
            "resolve": [f"{MARK}.example:10.0.0.1"],
            "dns_servers": [f"{MARK}-dns"],
            "headers": [f"X-{MARK}: s3cret"],
            "header_origins": [f"https://{MARK}.example"],
        },
    }
)
TROUBLE = [
    {"service": "redis", "state": "open", "retry_at": None, "reason": f"{MARK}:6379 refuses the connection"}
]
ROUTES = [route for route in list_routes() if route.method in SAFE_METHODS and not route.is_stream]
IDS = {"domain": "shop.example", "url": "https://shop.example/", "noun": "pages"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder: Path = tmp_path_factory.mktemp(MARK) / "crawl"
    fill_store(folder, is_ended=False)
    fill_service_rows(Place(folder=folder))
    with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET settings = ?", (SETTINGS.model_dump_json(),))
        connection.execute("UPDATE workers SET trouble = ?", (json.dumps(TROUBLE),))
        stall = {"cause": "store", "sentence": f"{MARK} does not answer.", "began_at": time.time()}
        connection.execute("UPDATE workers SET stall = ?", (json.dumps(stall),))
        connection.execute("UPDATE workers SET heartbeat_at = ? WHERE ended_at IS NULL", (time.time(),))
        connection.execute("UPDATE executions SET traceback = ?", (f'File "/srv/{MARK}/app.py"',))
    folder.chmod(0o755)
    with run_api(Place(folder=folder)) as running:
        yield running


def fill_path(route: Route) -> str:
    parts = [
        IDS.get(part.strip("{}"), "1") if part.startswith("{") else part for part in route.path.split("/")
    ]
    return "/".join(parts)


def ask(server: ApiServer, route: Route, role: Role) -> httpx.Response:
    with server.client(role) as client:
        return client.request(route.method, fill_path(route), params={"url": IDS["url"]})


@pytest.mark.parametrize("route", ROUTES, ids=str)
@pytest.mark.parametrize("role", [Role.ANONYMOUS, Role.USER])
def test_only_administrators_see_internal_addresses(server: ApiServer, route: Route, role: Role) -> None:
    assert MARK not in ask(server, route, role).text


@pytest.mark.parametrize("route", [route for route in ROUTES if route.rules], ids=str)
@pytest.mark.parametrize("role", [Role.USER, Role.ADMIN])
def test_a_field_is_there_for_those_whom_it_is_for(server: ApiServer, route: Route, role: Role) -> None:
    answer = ask(server, route, role)
    if answer.status_code == 404:
        pytest.skip("nothing is there to be shown")
    assert answer.status_code == 200, answer.text
    present, absent = list_fields(answer.json(), route.rules, role)
    assert absent == []
    assert present or role is not Role.ADMIN


def list_fields(value: Any, rules: Rules, role: Role) -> tuple[list[str], list[str]]:
    """Restricted fields of an answer that are there, and those that should not, or should, be there."""
    present: list[str] = []
    wrong: list[str] = []
    for each in value if isinstance(value, list) else [value]:
        for name, rule in rules.items():
            if not isinstance(rule, Role):
                deeper = list_fields(each.get(name) or [], rule, role)
                present += deeper[0]
                wrong += deeper[1]
            elif name in each:
                present.append(name)
            if isinstance(rule, Role) and (name in each) is not role.allows(rule):
                wrong.append(name)
    return present, wrong


def test_administrators_see_it(server: ApiServer) -> None:
    with server.client(Role.ADMIN) as client:
        run = client.get("/api/v1/runs/1").json()
        assert MARK in run["service_settings"]["redis"]["url"]
        assert MARK in run["workers"][0]["breakers"][0]["reason"]
        assert MARK in client.get("/api/v1/executions/1").json()["stack_trace"]
        assert "chmod" in client.get("/api/v1/doctor").json()["warnings"][0]


def test_a_user_sees_what_a_run_does(server: ApiServer) -> None:
    with server.client(Role.USER) as client:
        settings = client.get("/api/v1/runs/1").json()["settings"]
    assert settings["politeness"]["delay_s"] == 1.0
    assert settings["fetch"]["timeout_s"] == 30.0
    assert settings["worker"] == {"lease_s": 60.0}
    assert not {"store", "redis", "server", "dispatch", "tracing"} & settings.keys()


# --- the mechanism -----------------------------------------------------------------------------------


class Inner(BaseModel):
    name: str
    address: Annotated[str | None, ForAdmins] = None


class Outer(BaseModel):
    all: list[Inner]
    one: Inner | None


def test_fields_are_found_however_deep_they_are() -> None:
    assert find_rules(list[Outer]) == {"all": {"address": Role.ADMIN}, "one": {"address": Role.ADMIN}}
    assert find_rules(None) == {}
    answer = [{"all": [{"name": "a", "address": "x"}], "one": None}]
    remove_hidden(answer, find_rules(list[Outer]), Role.USER)
    assert answer == [{"all": [{"name": "a"}], "one": None}]


def test_a_field_that_may_be_missing_has_a_default() -> None:
    class Wrong(BaseModel):
        address: Annotated[str, ForAdmins]

    with pytest.raises(TypeError, match=r"Wrong\.address .* needs a default"):
        find_rules(Wrong)
