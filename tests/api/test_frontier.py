"""The frontier over HTTP."""

from typing import Any

import httpx

from tests.support.stores import SHOP


def list_urls(reader: httpx.Client, **parameters: Any) -> list[str]:
    return [url["url"] for url in reader.get("/api/v1/frontier/urls", params=parameters).json()["items"]]


def test_the_frontier_is_counted(reader: httpx.Client) -> None:
    stats = reader.get("/api/v1/frontier/stats").json()
    waiting = reader.get("/api/v1/frontier/urls").json()["items"]
    assert stats["queued"] == len(waiting)
    assert stats["due"] == len(waiting)
    assert stats["retrying"] == 1
    ranked = {"high": 3, "medium": len(waiting) - 3}
    assert stats["priorities"] == {**ranked, "low": 0, "discovery": 0, "slowed": 0}
    assert sum(stats["domains"].values()) == len(waiting)
    assert stats["longest"][0]["domain"] in ("shop.example", "news.example")


def test_urls_of_a_domain_come_in_the_order_in_which_they_are_fetched(reader: httpx.Client) -> None:
    found = list_urls(reader, domain="shop.example")
    assert sorted(found[:2]) == [f"{SHOP}/wait-1", f"{SHOP}/wait-2"]
    assert found[2:] == [f"{SHOP}/flaky"]


def test_filters_choose_urls_that_wait(reader: httpx.Client) -> None:
    assert list_urls(reader, priority="high") == [f"https://{name}.example/" for name in "abc"]
    assert list_urls(reader, fate="retrying") == [f"{SHOP}/flaky"]
    assert list_urls(reader, domain="unknown.example") == []
    assert reader.get("/api/v1/frontier/urls", params={"priority": "urgent"}).status_code == 422


def test_one_url_says_how_many_are_before_it(reader: httpx.Client) -> None:
    last = reader.get("/api/v1/frontier/urls", params={"domain": "shop.example"}).json()["items"][-1]
    found = reader.get(f"/api/v1/frontier/urls/{last['id']}").json()
    assert found["ahead"] == 2
    assert found["avail_at"] is not None
    assert found["lease_expires_at"] is None
    assert found.items() >= last.items()


def test_a_url_that_does_not_wait_is_not_found(reader: httpx.Client) -> None:
    fetched = reader.get("/api/v1/urls", params={"url": f"{SHOP}/a"}).json()["items"][0]
    assert reader.get(f"/api/v1/frontier/urls/{fetched['id']}").status_code == 404
