"""Every route × role × scope: nobody gets in who is not named, and no route is without a rule."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role, Scope
from tenax.api.guarding import SAFE_METHODS
from tenax.stores.place import Place
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.routes import list_routes
from tests.support.stores import fill_store

# Whoever may change something without being an administrator changes what is their own.
OWN_BUSINESS = {
    "POST /api/v1/auth/login",
    "POST /api/v1/auth/logout",
    "POST /api/v1/auth/setup",
    "POST /api/v1/auth/password",
    "POST /api/v1/tokens",
    "DELETE /api/v1/tokens/{token_id}",
}
PUBLIC = {
    "GET /health",
    "GET /ready",
    "GET /api/v1/openapi.json",
    "GET /api/v1/stats",
    "GET /api/v1/auth/session",
    "POST /api/v1/auth/login",
    "POST /api/v1/auth/logout",
    "POST /api/v1/auth/setup",
}


ALL = [(route.method, route.path, route.rule) for route in list_routes()]
CASES = [pytest.param(*route, id=f"{route[0]} {route[1]}") for route in ALL]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder: Path = tmp_path_factory.mktemp("permissions") / "crawl"
    fill_store(folder)
    with run_api(Place(folder=folder)) as running:
        yield running


def ask(server: ApiServer, method: str, path: str, token: str) -> int:
    """The status alone: some answers never end."""
    target = path.replace("{token_id}", "1").replace("{user_id}", "1").replace("{", "").replace("}", "")
    headers = {"Authorization": f"Bearer {token}"}
    with (
        httpx.Client(base_url=server.url, headers=headers, timeout=TIMEOUT_S) as client,
        client.stream(method, target, content=b"not json") as answer,
    ):
        return answer.status_code


@pytest.mark.parametrize(("method", "path", "rule"), CASES)
@pytest.mark.parametrize("role", Role)
def test_a_role_that_is_too_low_is_turned_away(
    server: ApiServer, method: str, path: str, rule: Any, role: Role
) -> None:
    status = ask(server, method, path, role)
    if role.allows(rule.role):
        assert status not in (401, 403) or f"{method} {path}" in OWN_BUSINESS
    else:
        assert status == (401 if role is Role.ANONYMOUS else 403)


@pytest.mark.parametrize(("method", "path", "rule"), CASES)
def test_a_token_without_the_scope_is_turned_away(
    server: ApiServer, method: str, path: str, rule: Any
) -> None:
    others = "+".join(scope for scope in Scope if scope is not rule.scope)
    status = ask(server, method, path, f"admin:{others}")
    if rule.role is Role.ANONYMOUS:
        assert status not in (401, 403) or f"{method} {path}" in OWN_BUSINESS
    else:
        assert status == 403


def test_what_strangers_may_is_written_down_here() -> None:
    found = {f"{method} {path}" for method, path, rule in ALL if rule.role is Role.ANONYMOUS}
    assert found == PUBLIC


def test_only_administrators_change_what_is_not_their_own() -> None:
    loose = {
        f"{method} {path}"
        for method, path, rule in ALL
        if method not in SAFE_METHODS and rule.role is not Role.ADMIN
    }
    assert loose <= OWN_BUSINESS


def test_no_token_for_reading_changes_anything() -> None:
    loose = [
        f"{method} {path}"
        for method, path, rule in ALL
        if method not in SAFE_METHODS and rule.scope not in (Scope.WRITE, Scope.ADMIN)
    ]
    assert loose == []
