"""Crawled text is hostile: it is returned as data everywhere."""

import csv
import re
from collections.abc import Iterator
from io import StringIO

import httpx
import pytest

from tenax.accounts.permissions import Role
from tenax.stores.queries.export.rows import Noun
from tests.support.api import ApiServer, run_api
from tests.support.copying import KINDS, empty_store, long_ago
from tests.support.hostile_pages import TEXTS, fill_with_hostile_pages
from tests.support.routes import Route, list_routes

KNOWN = {"name": "evil.example", "noun": "links"}  # all else is a number
INERT = {
    "application/json",
    "application/problem+json",
    "application/yaml",
    "application/x-ndjson",
    "text/csv; charset=utf-8",
    "text/plain; charset=utf-8",
    "text/plain; version=0.0.4; charset=utf-8",
}
READS = [route for route in list_routes() if route.method == "GET" and not route.is_stream]
FORMULA = re.compile(r"[=+\-@\t\r]")


@pytest.fixture(scope="module", params=KINDS)
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ApiServer]:
    with empty_store(request.param, tmp_path_factory.mktemp("hostile") / "crawl") as store:
        with long_ago(store) as clock:
            fill_with_hostile_pages(store.place, clock)
        with run_api(store.place) as server:
            yield server


@pytest.fixture
def client(server: ApiServer) -> Iterator[httpx.Client]:
    with server.client(Role.ADMIN) as client:
        yield client


def fill_in(route: Route) -> str:
    return re.sub(r"{(\w+)}", lambda found: KNOWN.get(found[1], "1"), route.path)


@pytest.mark.parametrize("route", READS, ids=str)
def test_no_browser_takes_an_answer_for_a_page(client: httpx.Client, route: Route) -> None:
    answer = client.get(fill_in(route), params={"url": "https://evil.example/1"})
    assert answer.headers["content-type"] in INERT
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'; frame-ancestors 'none'")
    assert answer.headers["x-frame-options"] == "DENY"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    file_name = answer.headers.get("content-disposition", 'inline; filename="none"')
    assert re.fullmatch(r'(inline|attachment); filename="[a-z0-9.-]+"', file_name)


def test_what_was_crawled_comes_back_as_it_was(client: httpx.Client) -> None:
    titles = {page["title"] for page in client.get("/api/v1/pages").json()["items"]}
    assert {text for text in TEXTS if len(text) < 1000} <= titles


@pytest.mark.parametrize("noun", Noun)
def test_no_cell_of_a_table_is_a_formula(client: httpx.Client, noun: Noun) -> None:
    answer = client.get(f"/api/v1/export/{noun}", params={"format": "csv"})
    rows = list(csv.reader(StringIO(answer.text, newline="")))
    assert rows
    assert [cell for row in rows for cell in row if FORMULA.match(cell) and not is_number(cell)] == []


def is_number(cell: str) -> bool:
    return re.fullmatch(r"-?\d+(\.\d+)?", cell) is not None


def test_a_line_of_a_log_stays_one(client: httpx.Client) -> None:
    text = client.get("/api/v1/runs/1/log/download").text
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", text)
    assert all(re.match(r"\d{4}-\d\d-\d\dT", line) for line in text.splitlines())


def test_an_event_stays_one(server: ApiServer) -> None:
    with server.client() as client, client.stream("GET", "/api/v1/runs/1/log/stream") as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["x-content-type-options"] == "nosniff"
        heard = b""
        for part in answer.iter_raw():
            heard += part
            if heard.count(b"event: line") > len(TEXTS):
                break
    lines = heard.decode().split("\n")
    assert all(re.match(r"(retry|id|event|data): |: |$", line) for line in lines)
    assert "\r" not in heard.decode()


@pytest.mark.parametrize(
    "path",
    ["/api/v1/domains/%3Cscript%3E", "/api/v1/%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/api/v1/pages/x%22%3E"],
)
def test_hostile_queries_are_handled(client: httpx.Client, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["x-content-type-options"] == "nosniff"
