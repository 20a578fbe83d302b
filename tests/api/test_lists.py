"""Rules that apply to every list."""

import base64
import re
from typing import Any

import httpx
import orjson
import pytest

from tenax.stores import paging as listing
from tenax.stores.queries import urls as url_lists
from tests.support.api import ApiServer
from tests.support.lists import LISTS, ask, walk

SEARCHES = (
    "pages?q",
    "pages?domain",
    "pages?url",
    "pages?language",
    "pages?content_type",
    "urls?reason",
    "visits?error_kind",
    "frontier/urls?domain",
    "changes?domain",
    "seeds?source",
    "explain?url",
)
HOSTILE_NUMBERS = (1 << 40, -(1 << 40), (1 << 63) - 1, 1 << 63, 1.5, "text", "a\0b", True, None, [1], "1 2 3")


@pytest.mark.parametrize("path", LISTS)
def test_parts_of_one_entry_are_the_whole_list(reader: httpx.Client, path: str) -> None:
    whole = ask(reader, path, limit=500).json()
    parts = walk(reader, path, limit=1)
    now = ask(reader, path, limit=500).json()
    if now != whole:  # the server has just deleted old entries, as it does after its start
        whole, parts = now, walk(reader, path, limit=1)
    assert whole["next"] is None
    assert whole["items"]
    assert parts == whole["items"]


@pytest.mark.parametrize("path", LISTS)
def test_a_scan_that_ends_early_goes_on_where_it_was(
    reader: httpx.Client, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = walk(reader, path, limit=500)
    monkeypatch.setattr(listing, "FEWEST_ROWS", 2)
    monkeypatch.setattr(listing, "MOST_ROWS", 2)
    monkeypatch.setattr(listing, "SCAN_S", 0.0)
    monkeypatch.setattr(url_lists, "LARGE_DOMAIN", 0)
    assert walk(reader, path, limit=3) == whole


def test_every_list_is_walked_through(reader: httpx.Client) -> None:
    document = reader.get("/api/v1/openapi.json").json()
    paths = [path for path, methods in document["paths"].items() if is_list(methods.get("get"))]
    lists = {re.sub(r"\{\w+_id\}", "{id}", path) for path in paths}
    walked = {re.sub(r"/\d+(?=/|$)", "/{id}", path.partition("?")[0]) for path in LISTS}
    assert lists == walked


@pytest.mark.parametrize("path", LISTS)
def test_a_forged_cursor_is_refused_or_finds_something(reader: httpx.Client, path: str) -> None:
    cursor = find_cursor(reader, path)
    sort, value, number = decode(cursor)
    for hostile in HOSTILE_NUMBERS:
        for made_up in ([sort, hostile, number], [sort, value, hostile]):
            answer = ask(reader, path, cursor=encode(made_up))
            assert answer.status_code in (200, 422), (made_up, answer.text)


@pytest.mark.parametrize("path", LISTS)
def test_a_part_is_never_longer_than_allowed(reader: httpx.Client, path: str) -> None:
    assert ask(reader, path, limit=501).status_code == 422
    assert ask(reader, path, limit=0).status_code == 422


@pytest.mark.parametrize("name", ["q", "domain", "url", "cursor"])
def test_what_is_no_text_is_refused(reader: httpx.Client, name: str) -> None:
    answer = reader.get(f"/api/v1/urls?{name}=a%00b")
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", SEARCHES)
def test_broken_text_finds_nothing_or_is_refused(reader: httpx.Client, path: str) -> None:
    for broken in ("%ED%A0%80", "%FF%FE", "%25", "_", "%5C", "%27%22%3B--", "%E2%80%AE"):
        answer = reader.get(f"/api/v1/{path}={broken}")
        assert answer.status_code in (200, 422), answer.text


@pytest.mark.parametrize("made_up", ["", "x", "W10", "bnVsbA", "e30", "WzFd", "é", "=" * 4000])
def test_what_is_no_cursor_is_refused(reader: httpx.Client, made_up: str) -> None:
    assert ask(reader, "/api/v1/urls", cursor=made_up).status_code == (422 if made_up else 200)


@pytest.mark.parametrize(
    "path", ["/api/v1/pages/9223372036854775808", "/api/v1/urls/0", "/api/v1/runs/2147483648"]
)
def test_an_id_that_no_column_could_hold_is_refused(reader: httpx.Client, path: str) -> None:
    assert reader.get(path).status_code == 422


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2026-05-01"])
def test_any_time_may_be_requested(reader: httpx.Client, moment: str) -> None:
    for path in ("/api/v1/visits?since=", "/api/v1/changes?since=", "/api/v1/pages?changed_since="):
        assert reader.get(path + moment).status_code == 200


def test_nul_in_a_request_is_refused(filled: ApiServer) -> None:
    with filled.client() as client:
        for reason in (r"a\u0000b", r"\ud800"):
            answer = client.post(
                "/api/v1/domains/shop.example/block",
                content=f'{{"reason": "{reason}"}}',
                headers={"Content-Type": "application/json"},
            )
            assert answer.status_code == 422


def is_list(operation: dict[str, Any] | None) -> bool:
    """A log is none: it has no end while the run goes on."""
    if operation is None or operation["operationId"].endswith("_log"):
        return False
    return any(each["name"] == "cursor" for each in operation.get("parameters", ()))


def find_cursor(reader: httpx.Client, path: str) -> str:
    """Of a list that may have a single entry, the cursor that it would have with more."""
    part = ask(reader, path, limit=1).json()
    assert part["next"] is not None
    return str(part["next"])


def decode(cursor: str) -> list[Any]:
    entries: list[Any] = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    return entries


def encode(entries: list[Any]) -> str:
    return base64.urlsafe_b64encode(orjson.dumps(entries)).decode().rstrip("=")
