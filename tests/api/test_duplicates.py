"""Duplicates over HTTP."""

import httpx
import pytest

from tests.support.history import NEWS


def test_clusters_are_listed_with_their_members(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/duplicates")
    assert answer.status_code == 200
    found = {each["url"]: each for each in answer.json()["items"]}
    assert set(found) == {f"{NEWS}/boats", f"{NEWS}/cars"}
    near = found[f"{NEWS}/cars"]
    assert (near["size"], near["exact"], near["near"], near["domain"]) == (2, 0, 1, "news.example")
    assert [(each["url"], each["likeness"], each["bits"]) for each in near["members"]] == [
        (f"{NEWS}/late", "near", 1)
    ]
    exact = found[f"{NEWS}/boats"]
    assert [(each["url"], each["likeness"]) for each in exact["members"]] == [(f"{NEWS}/boats?copy", "exact")]


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"kind": "near"}, ["cars"]),
        ({"kind": "exact"}, ["boats"]),
        ({"domain": "news.example", "kind": "near"}, ["cars"]),
        ({"domain": "shop.example"}, []),
        ({"source": "shop", "kind": "near"}, ["cars"]),
    ],
)
def test_clusters_are_filtered(reader: httpx.Client, filters: dict[str, str], paths: list[str]) -> None:
    items = reader.get("/api/v1/duplicates", params=filters).json()["items"]
    assert [each["url"] for each in items] == [f"{NEWS}/{path}" for path in paths]


def test_clusters_come_in_parts(reader: httpx.Client) -> None:
    first = reader.get("/api/v1/duplicates", params={"limit": 1}).json()
    second = reader.get("/api/v1/duplicates", params={"limit": 1, "cursor": first["next"]}).json()
    assert len(first["items"]) == len(second["items"]) == 1
    assert first["items"] != second["items"]


def test_an_unknown_kind_is_refused(reader: httpx.Client) -> None:
    assert reader.get("/api/v1/duplicates", params={"kind": "odd"}).status_code == 422


def test_a_page_names_the_one_that_it_nearly_repeats(reader: httpx.Client) -> None:
    pages = reader.get("/api/v1/pages", params={"domain": "news.example"}).json()["items"]
    ids = {page["url"]: page["id"] for page in pages}
    copy = reader.get(f"/api/v1/pages/{ids[f'{NEWS}/late']}").json()
    original = reader.get(f"/api/v1/pages/{ids[f'{NEWS}/cars']}").json()
    assert copy["near_duplicate_of"] == {"id": original["id"], "url": f"{NEWS}/cars", "bits": 1}
    assert original["near_duplicates"] == [{"id": copy["id"], "url": f"{NEWS}/late", "bits": 1}]
    assert (original["simhash"], original["near_duplicate_of"]) == ("0000000000000007", None)
