"""Accounts over HTTP: in a file, and in a database with a Redis beside it."""

import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest

from tenax.api.events import hub
from tenax.api.middleware import guarding
from tenax.stores.place import Place
from tests.support.accounts import PASSWORD, hash_fast
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.jwts import make_jwt
from tests.support.lists import API, ask, walk
from tests.support.postgres import fresh_database
from tests.support.redis_server import find_redis

JWT_SECRET = "a secret that two services share, long enough"
COOKIE = "tenax_session"


@pytest.fixture(autouse=True)
def fast_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    hash_fast(monkeypatch)


@dataclass
class Browser:
    """Keeps cookies, and sends the session's token with what it changes."""

    client: httpx.Client
    csrf_token: str = ""

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        headers = {"X-CSRF-Token": self.csrf_token, **options.pop("headers", {})}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **options)

    def enter(self, path: str, **body: str) -> httpx.Response:
        answer = self.ask("POST", path, json=body)
        if answer.is_success:
            self.csrf_token = answer.json()["csrf_token"]
        return answer

    def log_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.enter("/auth/login", name=name, password=password)


Open = Callable[[], Browser]


@pytest.fixture(params=["file", "servers"])
def api(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApiServer]:
    with ExitStack() as stack:
        place = Place(folder=tmp_path / "crawl")
        sections: dict[str, Any] = {"server": {"jwt_secret": JWT_SECRET}}
        if request.param == "servers":
            place = Place(folder=tmp_path / "crawl", url=stack.enter_context(fresh_database()))
            sections["redis"] = {"url": stack.enter_context(find_redis())}
        yield stack.enter_context(run_api(place, knows_users=True, **sections))


@pytest.fixture
def open_browser(api: ApiServer) -> Iterator[Open]:
    with ExitStack() as stack:
        yield lambda: Browser(stack.enter_context(httpx.Client(base_url=api.url, timeout=TIMEOUT_S)))


@pytest.fixture
def admin(api: ApiServer, open_browser: Open) -> Browser:
    browser = open_browser()
    assert api.service is not None
    token = api.service.accounts.logins.setup_token.text
    answer = browser.enter("/auth/setup", token=token, name="alice", password=PASSWORD)
    assert answer.status_code == 200, answer.text
    return browser


def add_user(admin: Browser, name: str = "bob", role: str = "user") -> int:
    answer = admin.ask("POST", "/users", json={"name": name, "password": PASSWORD, "role": role})
    assert answer.status_code == 201, answer.text
    number: int = answer.json()["id"]
    return number


def whoami(browser: Browser) -> str:
    name: str = browser.ask("GET", "/auth/session").json()["name"]
    return name


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def make_token(browser: Browser, *scopes: str, name: str = "ci") -> str:
    answer = browser.ask("POST", "/tokens", json={"name": name, "scopes": scopes})
    assert answer.status_code == 201, answer.text
    text: str = answer.json()["token"]
    return text


def test_the_first_administrator_is_set_up_once(admin: Browser, open_browser: Open, api: ApiServer) -> None:
    assert admin.ask("GET", "/auth/session").json() | {"csrf_token": ""} == {
        "name": "alice",
        "role": "admin",
        "proof": "session",
        "scopes": ["admin", "metrics", "read", "write"],
        "csrf_token": "",
        "expires_at": None,
        "needs_setup": False,
    }
    assert api.service is not None
    token = api.service.accounts.logins.setup_token.text
    again = open_browser().enter("/auth/setup", token=token, name="mallory", password=PASSWORD)
    assert again.status_code == 401


def test_before_that_no_user_is_logged_in(open_browser: Open) -> None:
    browser = open_browser()
    found = browser.ask("GET", "/auth/session").json()
    assert (found["role"], found["needs_setup"], found["csrf_token"]) == ("anonymous", True, None)
    wrong = browser.enter("/auth/setup", token="x" * 43, name="mallory", password=PASSWORD)
    assert (wrong.status_code, wrong.headers["content-type"]) == (401, "application/problem+json")


def test_the_cookie_is_kept_from_scripts_and_other_sites(admin: Browser, open_browser: Open) -> None:
    answer = open_browser().log_in("alice")
    for cookie, lifetime_s in zip(answer.headers.get_list("set-cookie"), (86_400, 180 * 86_400), strict=True):
        attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert attributes == {"httponly", f"max-age={lifetime_s}", "path=/", "samesite=strict"}
    assert answer.headers["cache-control"] == "no-store"


def test_a_wrong_password_and_an_unknown_user_get_the_same_answer(admin: Browser, open_browser: Open) -> None:
    wrong = open_browser().log_in("alice", "a wrong password")
    unknown = open_browser().log_in("nobody at all", "a wrong password")
    assert wrong.status_code == unknown.status_code == 401
    assert wrong.json() == unknown.json()
    assert "set-cookie" not in wrong.headers


def test_guessing_is_slowed_down(admin: Browser, open_browser: Open) -> None:
    browser = open_browser()
    answers = [browser.log_in("alice", f"guess number {number}") for number in range(7)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    assert 25 <= int(answers[-1].headers["retry-after"]) <= 30
    assert whoami(admin) == "alice"


def test_a_session_changes_nothing_without_its_token(admin: Browser) -> None:
    body = {"name": "bob", "password": PASSWORD}
    for token in ("", "x", "0" * 64):
        answer = admin.ask("POST", "/users", json=body, headers={"X-CSRF-Token": token})
        assert answer.status_code == 403
    assert admin.ask("POST", "/users", json=body).status_code == 201


def test_the_token_of_one_session_is_of_no_use_to_another(admin: Browser, open_browser: Open) -> None:
    other = open_browser()
    other.log_in("alice")
    headers = {"X-CSRF-Token": admin.csrf_token}
    assert other.ask("POST", "/auth/logout", headers=headers).status_code == 403


def test_logging_out_ends_the_session_not_only_the_cookie(admin: Browser, open_browser: Open) -> None:
    thief = open_browser()
    thief.client.cookies.set(COOKIE, admin.client.cookies[COOKIE])
    assert whoami(thief) == "alice"
    assert admin.ask("POST", "/auth/logout").status_code == 204
    assert COOKIE not in admin.client.cookies
    assert whoami(thief) == "anonymous"
    assert admin.ask("POST", "/auth/logout").status_code == 204


def test_logging_in_again_changes_the_cookie(admin: Browser, open_browser: Open) -> None:
    old = admin.client.cookies[COOKIE]
    admin.log_in("alice")
    assert admin.client.cookies[COOKIE] != old
    thief = open_browser()
    thief.client.cookies.set(COOKIE, old)
    assert whoami(thief) == "anonymous"


@pytest.mark.parametrize("path", ["/sse/crawler/events", "/sse/health/events"])
def test_streams_end_soon_after_their_listener_is_disabled(
    admin: Browser, open_browser: Open, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(guarding, "RECHECK_S", 0.1)
    monkeypatch.setattr(hub, "HEARTBEAT_S", 0.2)
    number = add_user(admin)
    bob = open_browser()
    bob.log_in("bob")
    until = time.monotonic() + TIMEOUT_S
    with bob.client.stream("GET", path) as answer:
        parts = answer.iter_bytes()
        next(parts)
        assert admin.ask("PATCH", f"/users/{number}", json={"disabled": True}).status_code == 200
        for _ in parts:
            assert time.monotonic() < until


def test_changing_ones_password_ends_the_other_sessions(admin: Browser, open_browser: Open) -> None:
    elsewhere = open_browser()
    elsewhere.log_in("alice")
    wrong = admin.enter("/auth/password", current="a wrong password", new="another password")
    assert wrong.status_code == 401
    assert admin.enter("/auth/password", current=PASSWORD, new="another password").status_code == 200
    assert (whoami(admin), whoami(elsewhere)) == ("alice", "anonymous")
    assert elsewhere.log_in("alice").status_code == 401
    assert elsewhere.log_in("alice", "another password").status_code == 200


def test_a_user_reads_and_an_administrator_changes(admin: Browser, open_browser: Open) -> None:
    add_user(admin)
    bob = open_browser()
    bob.log_in("bob")
    assert bob.ask("GET", "/domains").status_code == 200
    for method, path in (("GET", "/users"), ("GET", "/audit"), ("POST", "/users"), ("DELETE", "/users/1")):
        assert bob.ask(method, path, json={} if method == "POST" else None).status_code == 403, path
    assert open_browser().ask("GET", "/users").status_code == 401


def test_users_are_listed_found_changed_and_removed(admin: Browser) -> None:
    number = add_user(admin)
    names = [user["name"] for user in admin.ask("GET", "/users").json()["items"]]
    assert names == ["alice", "bob"]
    found = admin.ask("GET", "/users", params={"q": "BO", "role": "user"}).json()["items"]
    assert [user["name"] for user in found] == ["bob"]
    assert admin.ask("PATCH", f"/users/{number}", json={"role": "admin"}).json()["role"] == "admin"
    disabled = admin.ask("PATCH", f"/users/{number}", json={"disabled": True}).json()
    assert disabled["disabled_at"] is not None
    assert "password_hash" not in disabled
    assert admin.ask("PATCH", f"/users/{number}", json={"disabled": False}).json()["disabled_at"] is None
    assert admin.ask("DELETE", f"/users/{number}").status_code == 204
    assert admin.ask("GET", f"/users/{number}").status_code == 404
    assert admin.ask("DELETE", f"/users/{number}").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"role": "admin", "disabled": True},
        {"role": None},
        {"role": "anonymous"},
        {"password": "short"},
    ],
)
def test_a_change_that_makes_no_sense_is_refused(admin: Browser, body: dict[str, Any]) -> None:
    number = add_user(admin)
    assert admin.ask("PATCH", f"/users/{number}", json=body).status_code == 422


@pytest.mark.parametrize(
    ("name", "password"),
    [("bob", "short"), ("x" * 65, PASSWORD), (" bob", PASSWORD), ("bob of the moor", "Bob of the Moor")],
)
def test_a_user_that_cannot_be_is_refused(admin: Browser, name: str, password: str) -> None:
    answer = admin.ask("POST", "/users", json={"name": name, "password": password})
    assert answer.status_code == 422
    assert password not in answer.text


def test_a_name_that_is_taken_is_a_conflict(admin: Browser) -> None:
    assert admin.ask("POST", "/users", json={"name": "ALICE", "password": PASSWORD}).status_code == 409


def test_the_last_administrator_stays(admin: Browser) -> None:
    (alice,) = admin.ask("GET", "/users").json()["items"]
    path = f"/users/{alice['id']}"
    assert admin.ask("DELETE", path).status_code == 409
    assert admin.ask("PATCH", path, json={"role": "user"}).status_code == 409
    assert admin.ask("PATCH", path, json={"disabled": True}).status_code == 409
    assert whoami(admin) == "alice"


def test_an_administrator_ends_the_sessions_of_others(admin: Browser, open_browser: Open) -> None:
    number = add_user(admin)
    bob = open_browser()
    bob.log_in("bob")
    assert admin.ask("DELETE", f"/users/{number}/sessions").status_code == 204
    assert whoami(bob) == "anonymous"


def test_a_token_does_what_its_scopes_say(admin: Browser, open_browser: Open) -> None:
    token = make_token(admin, "read")
    program = open_browser()
    assert program.ask("GET", "/domains", headers=bearer(token)).status_code == 200
    refused = program.ask("GET", "/users", headers=bearer(token))
    assert (refused.status_code, "scope admin" in refused.json()["detail"]) == (403, True)
    order = program.ask("POST", "/domains/a.test/block", headers=bearer(token), json={})
    assert order.status_code == 403


def test_no_token_makes_another_one(admin: Browser, open_browser: Open) -> None:
    token = make_token(admin, "admin", "write", "read")
    answer = open_browser().ask(
        "POST", "/tokens", headers=bearer(token), json={"name": "two", "scopes": ["read"]}
    )
    assert answer.status_code == 403


def test_a_revoked_token_is_refused_at_once(admin: Browser, open_browser: Open) -> None:
    token = make_token(admin, "read")
    program = open_browser()
    assert program.ask("GET", "/domains", headers=bearer(token)).status_code == 200
    (listed,) = admin.ask("GET", "/tokens").json()["items"]
    assert listed["key"] in token
    assert admin.ask("DELETE", f"/tokens/{listed['id']}").status_code == 204
    answer = program.ask("GET", "/domains", headers=bearer(token))
    assert (answer.status_code, "Bearer" in answer.headers["www-authenticate"]) == (401, True)


def test_users_see_their_own_tokens_and_administrators_all(admin: Browser, open_browser: Open) -> None:
    add_user(admin)
    bob = open_browser()
    bob.log_in("bob")
    make_token(bob, "read", "metrics")
    make_token(admin, "read")
    assert [token["owner"] for token in bob.ask("GET", "/tokens").json()["items"]] == ["bob"]
    assert bob.ask("GET", "/tokens", params={"everybody": True}).status_code == 403
    everybodys = admin.ask("GET", "/tokens", params={"everybody": True}).json()["items"]
    assert [token["owner"] for token in everybodys] == ["bob", "alice"]
    assert bob.ask("DELETE", f"/tokens/{everybodys[1]['id']}").status_code == 404
    assert admin.ask("DELETE", f"/tokens/{everybodys[0]['id']}").status_code == 204


def test_no_user_grants_more_than_their_role(admin: Browser, open_browser: Open) -> None:
    add_user(admin)
    bob = open_browser()
    bob.log_in("bob")
    assert bob.ask("POST", "/tokens", json={"name": "ci", "scopes": ["write"]}).status_code == 403


def test_another_service_may_sign_for_a_user(open_browser: Open) -> None:
    program = open_browser()
    header = bearer(make_jwt(JWT_SECRET, sub="scheduler", role="admin"))
    found = program.ask("GET", "/auth/session", headers=header).json()
    assert (found["name"], found["role"], found["proof"]) == ("scheduler", "admin", "jwt")
    assert program.ask("GET", "/users", headers=header).status_code == 200
    forged = bearer(make_jwt("another secret that is long enough!!", sub="scheduler", role="admin"))
    assert program.ask("GET", "/users", headers=forged).status_code == 401


def test_every_change_is_in_the_audit_log_and_no_secret(admin: Browser, open_browser: Open) -> None:
    number = add_user(admin)
    token = make_token(admin, "read")
    open_browser().log_in("bob", "a wrong password")
    admin.ask("DELETE", f"/users/{number}")
    log = admin.ask("GET", "/audit", params={"limit": 100})
    shown = [
        (entry["actor"], entry["action"], entry["target"], entry["outcome"]) for entry in log.json()["items"]
    ]
    assert list(reversed(shown)) == [
        ("anonymous", "user.add", "alice", "done"),
        ("alice", "auth.login", "alice", "done"),
        ("alice", "user.add", "bob", "done"),
        ("alice", "token.add", "alice", "done"),
        ("anonymous", "auth.login", "bob", "refused"),
        ("alice", "user.remove", "bob", "done"),
    ]
    assert [secret for secret in (PASSWORD, "a wrong password", token[17:]) if secret in log.text] == []
    assert {entry["address"] for entry in log.json()["items"]} == {"127.0.0.1"}
    found = admin.ask("GET", "/audit", params={"action": "user", "actor": "alice"}).json()["items"]
    assert [entry["action"] for entry in found] == ["user.remove", "user.add"]


@pytest.mark.parametrize(
    "path",
    [
        "/users",
        "/users?sort=-created_at",
        "/tokens",
        "/tokens?sort=name&everybody=true",
        "/audit",
        "/audit?sort=at",
    ],
)
def test_lists_of_accounts_come_in_parts(admin: Browser, path: str) -> None:
    for number in range(5):
        add_user(admin, f"user{number}")
        make_token(admin, "read", name=f"ci{number}")
    whole = walk(admin.client, f"{API}{path}", limit=500)
    assert len(whole) >= 5
    assert walk(admin.client, f"{API}{path}", limit=2) == whole
    cursor = ask(admin.client, f"{API}{path}", limit=1).json()["next"]
    sort, value, number = orjson.loads(urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    for hostile in (1 << 62, -1, 1.5, "text", "a\0b", None, [1]):
        for made_up in ([sort, hostile, number], [sort, value, hostile]):
            answer = ask(
                admin.client, f"{API}{path}", cursor=urlsafe_b64encode(orjson.dumps(made_up)).decode()
            )
            assert answer.status_code in (200, 422), (made_up, answer.text)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None]
)
def test_a_page_of_another_site_cannot_log_a_user_in(
    admin: Browser, open_browser: Open, kind: str | None
) -> None:
    # These are the kinds that a browser sends anywhere without asking first.
    body = orjson.dumps({"name": "alice", "password": PASSWORD})
    headers = {} if kind is None else {"Content-Type": kind}
    answer = open_browser().ask("POST", "/auth/login", content=body, headers=headers)
    assert answer.status_code == 422
    assert "set-cookie" not in answer.headers


def test_behind_tls_only_the_cookie_counts_that_no_other_host_can_set(tmp_path: Path) -> None:
    settings = {"trusted_proxies": ["127.0.0.1"], "hosts": ["crawl.example"]}
    headers = {"X-Forwarded-Proto": "https", "Host": "crawl.example"}
    with (
        run_api(Place(folder=tmp_path / "crawl"), knows_users=True, server=settings) as api,
        httpx.Client(base_url=api.url, headers=headers, timeout=TIMEOUT_S) as client,
    ):
        assert api.service is not None
        token = api.service.accounts.logins.setup_token.text
        body = {"token": token, "name": "alice", "password": PASSWORD}
        answer = client.post("/api/v1/auth/setup", json=body)
        name, _, rest = answer.headers["set-cookie"].partition("=")
        cookie = rest.partition(";")[0]
        assert name == "__Host-tenax_session"
        assert "secure" in rest.lower()
        assert "domain" not in rest.lower()
        found = [
            client.get("/api/v1/auth/session", headers={"Cookie": f"{each}={cookie}"}).json()["name"]
            for each in ("__Host-tenax_session", "tenax_session")
        ]
    assert found == ["alice", "anonymous"]


@pytest.mark.parametrize(
    ("trusted", "scheme", "sent"),
    [
        (("127.0.0.1",), "https", "max-age=31536000"),
        (("127.0.0.1",), "http", None),
        ((), "https", None),  # any client could claim so
    ],
)
def test_strict_transport_security_is_only_sent_over_tls(
    tmp_path: Path, trusted: tuple[str, ...], scheme: str, sent: str | None
) -> None:
    with (
        run_api(Place(folder=tmp_path / "crawl"), server={"trusted_proxies": trusted}) as api,
        httpx.Client(base_url=api.url, headers={"X-Forwarded-Proto": scheme}, timeout=TIMEOUT_S) as client,
    ):
        for path in ("/health", "/api/v1/nothing", "/"):
            assert client.get(path).headers.get("strict-transport-security") == sent
