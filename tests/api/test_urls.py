"""Known urls and their fates over HTTP."""

from typing import Any

import httpx
import pytest

from tests.support.history import NEWS
from tests.support.stores import SHOP


def list_urls(reader: httpx.Client, **parameters: Any) -> list[str]:
    return [url["url"] for url in reader.get("/api/v1/urls", params=parameters).json()["items"]]


def test_every_known_url_is_listed_in_the_order_of_discovery(reader: httpx.Client) -> None:
    ids = [url["id"] for url in reader.get("/api/v1/urls").json()["items"]]
    assert ids == sorted(ids)
    assert len(ids) == 18


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"fate": "refused"}, [f"{SHOP}/secret/plans"]),
        ({"fate": "gone", "domain": "news.example"}, [f"{NEWS}/trains"]),
        ({"reason": "robots"}, [f"{SHOP}/secret/plans"]),
        ({"q": "SECRET/"}, [f"{SHOP}/secret/plans"]),
        ({"url": f"{SHOP}/old"}, [f"{SHOP}/old"]),
        ({"url": f"{SHOP}/old", "fate": "gone"}, []),
    ],
)
def test_filters_choose_urls(reader: httpx.Client, filters: dict[str, Any], found: list[str]) -> None:
    assert list_urls(reader, **filters) == found


def test_a_fate_that_does_not_exist_is_refused(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/urls", params={"fate": "lost"}).status_code == 422


def test_one_url_shows_its_fate(reader: httpx.Client) -> None:
    (listed,) = reader.get("/api/v1/urls", params={"url": f"{SHOP}/old"}).json()["items"]
    url = reader.get(f"/api/v1/urls/{listed['id']}").json()
    assert url == listed
    assert url["fate"] == "redirected"
    assert url["to_url"] == f"{SHOP}/a"


def test_an_unknown_url_is_not_found(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/urls/987654321").status_code == 404


@pytest.mark.parametrize("address", [f"{SHOP}/a", "shop.example/a", "HTTPS://shop.example:443/a"])
def test_a_url_is_explained_however_it_is_written(reader: httpx.Client, address: str) -> None:
    found = reader.get("/api/v1/explain", params={"url": address}).json()
    assert found["url"] == f"{SHOP}/a"
    assert found["fate"] == "fetched"
    assert "status 200" in found["because"]


def test_a_url_that_was_never_seen_is_explained_too(reader: httpx.Client) -> None:
    found = reader.get("/api/v1/explain", params={"url": f"{SHOP}/secret/more"}).json()
    assert (found["fate"], found["reason"]) == ("refused", "robots")


def test_what_is_no_address_is_explained_too(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/explain", params={"url": "mailto:me"}).json()["fate"] == "not crawlable"


def test_an_address_without_end_is_refused(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/explain", params={"url": "a" * 4001}).status_code == 422
