"""Every route × role × scope: only the declared roles get access, and no route is without a rule."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tenax.accounts.permissions import Role, TokenScope
from tenax.api.app import new_app
from tenax.api.middleware.guarding import SAFE_METHODS, new_router
from tenax.stores.place import Place
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.routes import list_routes
from tests.support.stores import fill_store

# What users who are not administrators may change is their own.
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
    others = "+".join(scope for scope in TokenScope if scope is not rule.scope)
    status = ask(server, method, path, f"admin:{others}")
    if rule.role is Role.ANONYMOUS:
        assert status not in (401, 403) or f"{method} {path}" in OWN_BUSINESS
    else:
        assert status == 403


def test_anonymous_access_is_listed_here() -> None:
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
        if method not in SAFE_METHODS and rule.scope not in (TokenScope.WRITE, TokenScope.ADMIN)
    ]
    assert loose == []


OTHER_METHODS = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND")


@pytest.mark.parametrize(
    ("role", "refusals"), [(Role.ANONYMOUS, {400, 401, 405}), (Role.ADMIN, {400, 405, 422})]
)
def test_a_method_that_no_route_names_is_refused(server: ApiServer, role: Role, refusals: set[int]) -> None:
    # An address with a name in it may also be that of another route, which has its own rule.
    methods: dict[str, set[str]] = {}
    for method, path, _ in ALL:
        methods.setdefault(path, set()).add(method)
    with server.client(role) as client:
        wrong = [
            f"{method} {path}"
            for path, known in methods.items()
            for method in OTHER_METHODS
            if method not in known and client.request(method, path).status_code not in refusals
        ]
    assert wrong == []


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/redoc",
        "/openapi.json",
        "/sse",
        "/sse/",
        "/sse/crawler",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v1/users/",
        "/api/v1//users",
        "//api/v1/users",
        "/API/V1/users",
        "/api/v1/./users",
        "/api/v1/x/../users",
        "/api/v1/users%2f1",
        "/api/v1/users;a=b",
        "/api/v1/users%00",
        "/static/../../config.py",
        "/assets/..%2f..%2fapp.py",
        "/.env",
    ],
)
def test_there_is_no_way_around_the_routes(server: ApiServer, path: str) -> None:
    with httpx.Client(timeout=TIMEOUT_S) as client:
        # As it stands: the client would tidy it up.
        request = client.build_request("GET", server.url)
        request.url = httpx.URL(server.url).copy_with(raw_path=path.encode())
        answer = client.send(request)
        home = client.get(server.url)
    # Where the dashboard is built, its document answers for every screen.
    is_dashboard = home.status_code == 200 and answer.content == home.content
    assert is_dashboard or answer.status_code in (401, 404), answer.text
    assert '"items"' not in answer.text


def test_a_route_that_does_not_say_who_may_use_it_cannot_be_built() -> None:
    with pytest.raises(TypeError, match="does not declare who may use it"):
        new_router("anything").get("/anything")(lambda: None)


def test_a_route_past_the_guard_fails_these_tests() -> None:
    app = new_app()
    app.get("/anything")(lambda: None)
    with pytest.raises(AssertionError):
        list_routes(app)
