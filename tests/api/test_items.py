"""Items over HTTP."""

from typing import Any

import httpx
import pytest

from tests.support.history import NEWS


def get_items(reader: httpx.Client, **filters: Any) -> dict[str, Any]:
    answer = reader.get("/api/v1/items", params=filters)
    assert answer.status_code == 200, answer.text
    return {each["key"]: each for each in answer.json()["items"]}


def test_items_are_listed_with_their_data(reader: httpx.Client) -> None:
    boat = get_items(reader)["boat"]
    assert (boat["kind"], boat["url"], boat["domain"]) == ("product", f"{NEWS}/boats", "news.example")
    assert boat["data"] == {"name": "Boat", "price": 12.5, "sku": "10", "sold": False}
    assert (boat["state"], boat["gone_at"], boat["confidence"]) == ("present", None, 0.9)
    assert (boat["parser"], boat["parser_version"], boat["changes"]) == ("shop", "2", 2)


@pytest.mark.parametrize(
    ("filters", "keys"),
    [
        ({"kind": "product", "state": "gone"}, ["car"]),
        ({"kind": "article"}, []),
        ({"where": ["price>10", "price<20"]}, ["boat"]),
        ({"where": ["price.amount>10"]}, []),
        ({"q": "LATE"}, ["late"]),
        ({"domain": "shop.example"}, []),
        ({"kind": "product", "key": "car"}, ["car"]),
        ({"sort": "-changed_at"}, ["boat", "car", "late"]),
    ],
)
def test_items_are_filtered_and_sorted(reader: httpx.Client, filters: Any, keys: list[str]) -> None:
    assert list(get_items(reader, **filters)) == keys


def test_only_the_fields_that_are_named_are_returned(reader: httpx.Client) -> None:
    boat = get_items(reader, field=["price", "unknown", "name"])["boat"]
    assert boat["data"] == {"price": 12.5, "name": "Boat"}
    assert reader.get("/api/v1/items", params={"field": ""}).status_code == 422
    assert reader.get("/api/v1/items", params={"field": ["name"] * 51}).status_code == 422


@pytest.mark.parametrize("where", ["price", "=1", "sold<true", "price>>3"])
def test_what_is_no_comparison_is_refused(reader: httpx.Client, where: str) -> None:
    answer = reader.get("/api/v1/items", params={"where": where})
    assert answer.status_code == 422
    assert "query.where" in answer.text


def test_an_item_has_the_urls_that_show_it(reader: httpx.Client) -> None:
    boat = reader.get(f"/api/v1/items/{get_items(reader)['boat']['id']}").json()
    assert boat["field_confidence"] == {"price": 0.8}
    assert boat["observations_count"] == 2
    assert [(each["url"], each["data"]) for each in boat["observations"]] == [
        (f"{NEWS}/boats", None),
        (f"{NEWS}/cars", {"name": "Boat", "price": 10}),
    ]


def test_the_items_of_a_url_are_listed(reader: httpx.Client) -> None:
    boat = get_items(reader)["boat"]
    assert list(get_items(reader, url_id=boat["url_id"])) == ["boat"]


def test_the_history_shows_old_and_new_values(reader: httpx.Client) -> None:
    history = reader.get(f"/api/v1/items/{get_items(reader)['boat']['id']}/history").json()["items"]
    assert [(each["change"], each["fields"]) for each in history] == [
        ("changed", {"price": [10, 12.5]}),
        ("new", {"price": [None, 10]}),
    ]


@pytest.mark.parametrize("path", ["items/999", "items/999/history"])
def test_an_unknown_item_is_not_found(reader: httpx.Client, path: str) -> None:
    assert reader.get(f"/api/v1/{path}").status_code == 404


def test_kinds_are_counted(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/items/kinds").json() == {"kinds": [{"kind": "product", "items": 3}]}


def test_the_feed_is_followed_in_parts(reader: httpx.Client) -> None:
    found, after = [], None
    while True:
        part = reader.get("/api/v1/items/changes", params={"limit": 3} | ({"after": after} if after else {}))
        after = part.json()["next"]
        found += [(each["key"], each["change"]) for each in part.json()["items"]]
        if part.json()["is_end"]:
            break
    assert found == [("boat", "new"), ("boat", "changed"), ("car", "new"), ("car", "gone")]


def test_a_feed_can_start_now(reader: httpx.Client) -> None:
    latest = reader.get("/api/v1/items/changes", params={"after": "latest"}).json()
    assert (latest["items"], latest["is_end"]) == ([], True)
    rest = reader.get("/api/v1/items/changes", params={"after": latest["next"]}).json()
    assert (rest["items"], rest["next"]) == ([], latest["next"])


@pytest.mark.parametrize("after", ["x", "1", "-1-2", "1-", "9" * 30 + "-1"])
def test_what_is_no_cursor_is_refused(reader: httpx.Client, after: str) -> None:
    assert reader.get("/api/v1/items/changes", params={"after": after}).status_code == 422


def test_invalid_items_have_their_faults(reader: httpx.Client) -> None:
    found = reader.get("/api/v1/invalid-items").json()["items"]
    assert [(each["key"], each["faults"]) for each in found] == [
        ("trike", ["price: is missing."]),
        ("bike", ["price: is not a number."]),
    ]


def test_the_urls_of_a_kind_can_be_visited_again(reader: httpx.Client) -> None:
    def retry(**items: Any) -> httpx.Response:
        return reader.post("/api/v1/frontier/retry", json={"items": items, "dry_run": True})

    assert retry(kind="product").json()["urls"] + retry(kind="product").json()["waiting"] == 2
    assert retry(kind="article").json()["urls"] == 0
    assert retry(is_invalid=True).json()["urls"] + retry(is_invalid=True).json()["waiting"] == 1
    assert retry(domain="news.example").json()["urls"] + retry(domain="news.example").json()["waiting"] == 2
    assert retry(domain="news.example", kind="article").json()["urls"] == 0
    assert retry(domain="typo.example").status_code == 404
    assert retry(domain="news.example", item_id=1).status_code == 422
    assert retry().status_code == 422
    assert retry(item_id=1, is_invalid=True).status_code == 422
    assert retry(kind="product", item_id=1).status_code == 422
    assert retry(kind="product", source="typo").status_code in (404, 422)


def test_items_are_audited(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/items/audit", params={"kind": "product"})
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert {each["kind"] for each in found["groups"]} == {"product"}
    assert found["is_complete"] is True
    assert "invalid" in {each["code"] for each in found["findings"]}
    assert reader.get("/api/v1/items/audit", params={"source": "unknown"}).status_code == 422
