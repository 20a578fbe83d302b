"""The crawl log over HTTP."""

from typing import Any

import httpx
import pytest


def list_visits(reader: httpx.Client, **parameters: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = reader.get("/api/v1/visits", params=parameters).json()["items"]
    return items


def test_the_newest_visit_comes_first(reader: httpx.Client) -> None:
    visits = list_visits(reader)
    assert [visit["at"] for visit in visits] == sorted((visit["at"] for visit in visits), reverse=True)
    assert visits == list_visits(reader, sort="at")[::-1]


@pytest.mark.parametrize(
    ("filters", "count"),
    [
        ({"run": 1}, 7),
        ({"run": 3}, 0),
        ({"domain": "down.example"}, 1),
        ({"domain": "unknown.example"}, 0),
        ({"kind": "robots"}, 1),
        ({"kind": "page", "run": 1}, 6),
        ({"outcome": "failed"}, 2),
        ({"outcome": "gone", "status": 410}, 2),
        ({"error_kind": "no_such_host"}, 1),
        ({"domain": "shop.example", "error_kind": "no_such_host"}, 0),
        ({"since": "2025-10-01"}, 2),
        ({"until": "2025-06-16T00:00:00Z"}, 7),
        ({"domain": "news.example", "since": "2025-08-01", "until": "2025-09-01"}, 4),
    ],
)
def test_filters_choose_visits(reader: httpx.Client, filters: dict[str, Any], count: int) -> None:
    assert len(list_visits(reader, **filters)) == count


def test_a_cursor_of_all_visits_is_no_cursor_of_a_domain(reader: httpx.Client) -> None:
    cursor = reader.get("/api/v1/visits", params={"limit": 1}).json()["next"]
    answer = reader.get("/api/v1/visits", params={"domain": "shop.example", "cursor": cursor})
    assert answer.status_code == 422


def test_a_failed_visit_says_why(reader: httpx.Client) -> None:
    (visit,) = list_visits(reader, domain="down.example")
    assert (visit["outcome"], visit["error_kind"], visit["status"]) == ("failed", "no_such_host", None)
    assert visit["url"] == "https://down.example/"
