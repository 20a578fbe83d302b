"""Changes of pages over HTTP."""

from typing import Any

import httpx

from tests.support.history import NEWS


def list_changes(reader: httpx.Client, **parameters: Any) -> list[tuple[str, str]]:
    items = reader.get("/api/v1/changes", params=parameters).json()["items"]
    return [(change["kind"], change["url"]) for change in items]


def test_the_newest_change_comes_first(reader: httpx.Client) -> None:
    found = list_changes(reader)
    assert found[:3] == [
        ("gone", f"{NEWS}/trains"),
        ("changed", f"{NEWS}/cars"),
        ("new", f"{NEWS}/late"),
    ]
    assert len(found) == 9


def test_filters_choose_changes(reader: httpx.Client) -> None:
    assert list_changes(reader, kind=["gone", "changed"]) == [
        ("gone", f"{NEWS}/trains"),
        ("changed", f"{NEWS}/cars"),
    ]
    assert len(list_changes(reader, domain="shop.example")) == 2
    assert list_changes(reader, domain="unknown.example") == []
    assert len(list_changes(reader, since="2025-08-01T00:00:00Z")) == 3


def test_a_change_has_both_hashes(reader: httpx.Client) -> None:
    (change,) = reader.get("/api/v1/changes", params={"kind": "changed"}).json()["items"]
    assert change["old_hash"] != change["new_hash"]
    assert {len(change["old_hash"]), len(change["new_hash"])} == {16}
