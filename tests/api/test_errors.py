"""Errors of the crawl over HTTP."""

from typing import Any

import httpx
import pytest

from tests.support.history import NEWS
from tests.support.item_rows import STACK


def get_errors(reader: httpx.Client, **filters: Any) -> list[dict[str, Any]]:
    answer = reader.get("/api/v1/errors", params=filters)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


@pytest.mark.parametrize(
    ("filters", "types"),
    [
        ({"run": "2"}, ["timeout", "KeyError", "KeyError"]),
        ({"run": "2", "category": "network"}, ["timeout"]),
        ({"type": "KeyError", "parser": "shop"}, ["KeyError", "KeyError"]),
        ({"domain": "news.example", "run": "2"}, ["timeout", "KeyError", "KeyError"]),
        ({"domain": "shop.example", "run": "2"}, []),
        ({"fingerprint": "000000000000004d"}, ["KeyError", "KeyError"]),
        ({"fingerprint": "fffffffffffffffb"}, ["timeout"]),
    ],
)
def test_errors_are_filtered(reader: httpx.Client, filters: dict[str, str], types: list[str]) -> None:
    assert [each["type"] for each in get_errors(reader, **filters)] == types


def test_an_error_has_its_stack_trace_and_its_group(reader: httpx.Client) -> None:
    listed = get_errors(reader, category="handler")[0]
    error = reader.get(f"/api/v1/errors/{listed['id']}").json()
    assert (error["url"], error["message"], error["stack"]) == (f"{NEWS}/boats", "'price'", STACK)
    assert (error["group"]["count"], error["group"]["fingerprint"]) == (2, error["fingerprint"])


def test_an_unknown_error_is_not_found(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/errors/999").status_code == 404


def test_groups_have_counts_and_an_example(reader: httpx.Client) -> None:
    groups = reader.get("/api/v1/errors/groups", params={"sort": "-count", "parser": "shop"}).json()["items"]
    assert [(each["type"], each["count"], each["example_url"]) for each in groups] == [
        ("KeyError", 2, f"{NEWS}/boats")
    ]


@pytest.mark.parametrize("fingerprint", ["1", "x" * 16, "0f3a5c7e9b1d2f46a", "-f3a5c7e9b1d2f46"])
def test_what_is_no_fingerprint_is_refused(reader: httpx.Client, fingerprint: str) -> None:
    assert reader.get("/api/v1/errors", params={"fingerprint": fingerprint}).status_code == 422
