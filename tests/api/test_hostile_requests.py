"""Malicious requests: each is refused with a message, and the server keeps running."""

import re
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import orjson
import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.accounts.permissions import Role
from tenax.stores.place import Place
from tests.support.accounts import PASSWORD, hash_fast
from tests.support.api import TIMEOUT_S, ApiServer, run_api
from tests.support.routes import list_routes
from tests.support.stores import fill_store

API = "/api/v1"
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    folder = tmp_path_factory.mktemp("requests") / "crawl"
    fill_store(folder)
    with run_api(Place(folder=folder)) as server:
        yield server


@pytest.fixture
def client(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def assert_problem(answer: httpx.Response, status: int) -> None:
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status


# --- size and shape ------------------------------------------------------------------------------


def test_a_body_that_says_it_is_too_large_is_refused(client: httpx.Client) -> None:
    body = orjson.dumps({"urls": ["https://example.com/" + "x" * 2_000_000]})
    assert_problem(client.post(f"{API}/frontier/add", content=body, headers=JSON), 413)


def test_a_body_that_does_not_say_it_is_refused_too(client: httpx.Client) -> None:
    def trickle() -> Iterator[bytes]:
        yield b'{"urls": ["'
        for _ in range(40):
            yield b"x" * 50_000

    assert_problem(client.post(f"{API}/frontier/add", content=trickle(), headers=JSON), 413)


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 100_000,
        b'{"urls":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"urls": ' + b"[" * 5000 + b"]" * 5000 + b"}",
        b"\xff\xfe",
        b'{"urls": ["https://example.com/\\ud800"]}',
        b'{"urls": ["https://example.com/"], "priority": NaN}',
        b'{"urls": ["https://example.com/"], "unknown": 1}',
        b'{"urls": [' + b",".join([b'"https://example.com/"'] * 1001) + b"]}",
        b'{"urls": {"0": "https://example.com/"}}',
        b'{"urls": []}',
        b"null",
        b"",
    ],
)
def test_an_invalid_request_is_refused(client: httpx.Client, body: bytes) -> None:
    assert_problem(client.post(f"{API}/frontier/add", content=body, headers=JSON), 422)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1", "9" * 400])
def test_what_is_no_number_is_refused(client: httpx.Client, number: str) -> None:
    body = f'{{"delay_s": {number}}}'.encode()
    assert_problem(client.post(f"{API}/runs", content=body, headers=JSON), 422)


def test_ten_thousand_parameters_take_no_time(client: httpx.Client) -> None:
    started_at = time.monotonic()
    answer = client.get(f"{API}/domains?" + "&".join(["q=1"] * 10_000))
    assert answer.status_code in (200, 422)
    assert time.monotonic() - started_at < 60


def test_a_pattern_that_would_take_forever_takes_no_time(client: httpx.Client) -> None:
    started_at = time.monotonic()
    assert client.get(f"{API}/pages", params={"q": "%_" * 90}).status_code == 200
    assert client.get(f"{API}/domains", params={"q": "*?[" * 60}).status_code == 200
    assert time.monotonic() - started_at < 60


# --- whose request it is ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::2]"]
)
def test_a_foreign_name_that_leads_here_is_refused(client: httpx.Client, host: str) -> None:
    for path in ("/", "/health", f"{API}/stats", "/sse/crawler/events"):
        assert_problem(client.get(path, headers={"Host": host}), 421)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8060", "LOCALHOST", "[::1]:8060"])
def test_its_own_names_are_taken(client: httpx.Client, host: str) -> None:
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", [f"{API}/frontier/add", f"{API}/auth/login", f"{API}/pages"])
def test_pages_of_other_sites_are_not_let_in(client: httpx.Client, path: str) -> None:
    asks = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,authorization",
    }
    answer = client.options(path, headers=asks)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "trick",
    [{"X-HTTP-Method-Override": "DELETE"}, {"X-HTTP-Method": "DELETE"}, {"X-Method-Override": "DELETE"}],
)
def test_a_method_is_what_it_is(client: httpx.Client, trick: dict[str, str]) -> None:
    before = client.get(f"{API}/frontier/stats").json()["queued"]
    for method in ("GET", "POST"):
        client.request(method, f"{API}/frontier?_method=DELETE&confirm=true", headers=trick)
    assert client.get(f"{API}/frontier/stats").json()["queued"] == before


def test_reading_changes_nothing(tmp_path: Path) -> None:
    fill_store(tmp_path / "crawl")
    with run_api(Place(folder=tmp_path / "crawl")) as server, server.client(Role.ADMIN) as client:
        client.get(f"{API}/stats")
        before = dump(tmp_path / "crawl")
        for route in list_routes():
            if route.method == "GET" and not route.is_stream:
                client.get(re.sub(r"{\w+}", "1", route.path), params={"url": "https://shop.example/"})
        assert dump(tmp_path / "crawl") == before


def dump(folder: Path) -> list[str]:
    """All but what the server itself writes: statistics, cursors, and old errors and log entries, which it
    deletes."""
    with closing(sqlite.connect(f"file:{folder}/tenax.db?mode=ro", uri=True)) as connection:
        tables = connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
            " AND name NOT IN ('stats', 'errors', 'error_groups', 'change_log', 'marks', 'sqlite_sequence')"
        ).fetchall()
        return [str(connection.execute(f"SELECT * FROM {name}").fetchall()) for (name,) in sorted(tables)]


# --- who sees what ---------------------------------------------------------------------------------


def test_an_error_reveals_no_internals(tmp_path: Path) -> None:
    folder = tmp_path / "crawl"
    fill_store(folder)
    with run_api(Place(folder=folder)) as server, server.client(Role.ADMIN) as client:
        with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
            connection.execute("ALTER TABLE pages RENAME TO gone")
        answer = client.get(f"{API}/pages")
    assert_problem(answer, 500)
    for inside in (str(tmp_path), "SELECT", "sqlite", "Traceback", "pages.", "no such table"):
        assert inside not in answer.text


@pytest.mark.parametrize("path", ["/", f"{API}/nothing", f"{API}/pages/0", f"{API}/pages?cursor=x"])
def test_a_refusal_reveals_no_internals(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert "server" not in answer.headers
    assert not re.search(r"Traceback|site-packages|\.py\b|pydantic", answer.text)


def test_secrets_are_not_among_the_settings(tmp_path: Path) -> None:
    secrets = ("a signing key that must stay secret, always", "hunter2")
    sections: dict[str, Any] = {
        "server": {"jwt_secret": secrets[0]},
        "redis": {"url": f"redis://user:{secrets[1]}@127.0.0.1:1/0"},
    }
    with run_api(Place(folder=tmp_path / "crawl"), **sections) as server, server.client() as client:
        answer = client.get(f"{API}/admin/settings")
    assert answer.status_code == 200
    assert [secret for secret in secrets if secret in answer.text] == []


@pytest.mark.parametrize(
    ("trusted", "address"),
    [((), "127.0.0.1"), (("10.0.0.1",), "127.0.0.1"), (("127.0.0.1",), "198.51.100.7")],
)
def test_only_a_trusted_proxy_sets_the_client_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: tuple[str, ...], address: str
) -> None:
    hash_fast(monkeypatch)
    forwarded = {"X-Forwarded-For": "203.0.113.9, 198.51.100.7"}
    place = Place(folder=tmp_path / "crawl")
    with (
        run_api(place, knows_users=True, server={"trusted_proxies": trusted}) as server,
        httpx.Client(base_url=server.url, timeout=TIMEOUT_S, headers=forwarded) as client,
    ):
        assert server.service is not None
        token = server.service.accounts.logins.setup_token.text
        body = {"token": token, "name": "alice", "password": PASSWORD}
        assert client.post(f"{API}/auth/setup", json=body).status_code == 200
        shown = {entry["address"] for entry in client.get(f"{API}/audit").json()["items"]}
    assert shown == {address}


def test_a_limit_reports_what_remains_and_when_to_try_again(tmp_path: Path) -> None:
    with (
        run_api(Place(folder=tmp_path / "crawl"), server={"anonymous_per_min": 3}) as server,
        server.client(Role.ANONYMOUS) as client,
    ):
        answers = [client.get(f"{API}/stats") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert [answer.headers["ratelimit-remaining"] for answer in answers] == ["2", "1", "0", "0"]
    assert {answer.headers["ratelimit-limit"] for answer in answers} == {"3"}
    assert 0 < int(answers[3].headers["retry-after"]) <= 60
    assert_problem(answers[3], 429)


# --- where the crawler is sent ----------------------------------------------------------------------

PRIVATE = [
    "http://127.0.0.1/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://a.localhost/",
    "http://printer.local/",
    "http://metadata.google.internal/",
    "http://169.254.169.254/latest/meta-data/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://0.0.0.0/",
    "http://0/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0177.0.0.1/",
    "http://127.1/",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://[::1]/",
    "http://[::]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://user:password@127.0.0.1/",
    "http://example.com@127.0.0.1/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_FLUSHALL",
    "javascript:alert(1)",
    "data:text/html,x",
    "//example.com/",
    "/etc/passwd",
    "http://",
    "http:///",
    "http://exa mple.com/",
]


@pytest.mark.parametrize("path", ["/frontier/add", "/frontier", "/frontier/seed", "/runs"])
def test_private_addresses_cannot_be_crawled(client: httpx.Client, path: str) -> None:
    taken = [url for url in PRIVATE if client.post(f"{API}{path}", json={"urls": [url]}).status_code != 422]
    assert taken == []


def test_an_address_is_read_once_and_as_browsers_read_it(client: httpx.Client) -> None:
    answer = client.post(f"{API}/frontier/add", json={"urls": ["http://fine.example\\@127.0.0.1/"]})
    assert answer.status_code == 201
    found = client.get(f"{API}/urls", params={"domain": "fine.example"}).json()["items"]
    assert [each["url"] for each in found] == ["http://fine.example/@127.0.0.1/"]


def test_one_invalid_url_rejects_the_whole_request(client: httpx.Client) -> None:
    answer = client.post(f"{API}/frontier/add", json={"urls": ["https://fine.example/", "http://127.0.0.1/"]})
    assert_problem(answer, 422)
    assert [fault["where"] for fault in answer.json()["faults"]] == ["body.urls.1"]
    assert client.get(f"{API}/urls", params={"url": "https://fine.example/"}).json()["items"] == []


def test_credentials_in_an_address_are_not_kept(client: httpx.Client) -> None:
    answer = client.post(f"{API}/frontier/add", json={"urls": ["https://user:hunter2@private.example/"]})
    assert answer.status_code in (201, 422)
    for path in ("/urls?limit=500", "/audit", "/domains?limit=500", "/frontier/urls?limit=500"):
        assert "hunter2" not in client.get(f"{API}{path}").text
