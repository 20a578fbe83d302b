"""Seeds over HTTP."""

from typing import Any

import httpx


def list_seeds(reader: httpx.Client, **parameters: Any) -> list[str]:
    return [seed["url"] for seed in reader.get("/api/v1/seeds", params=parameters).json()["items"]]


def test_seeds_come_as_they_were_given(reader: httpx.Client) -> None:
    assert list_seeds(reader) == ["https://shop.example/", *(f"https://{name}.example/" for name in "abc")]


def test_seeds_without_a_rank_come_last_by_rank(reader: httpx.Client) -> None:
    assert list_seeds(reader, sort="rank")[-1] == "https://shop.example/"


def test_filters_choose_seeds(reader: httpx.Client) -> None:
    assert len(list_seeds(reader, source="tranco")) == 3
    assert list_seeds(reader, cause="user") == ["https://shop.example/"]
    assert list_seeds(reader, q="B.EXAMPLE") == ["https://b.example/"]


def test_seeds_are_counted_by_source(reader: httpx.Client) -> None:
    sources = reader.get("/api/v1/seeds/sources").json()
    assert [(each["source"], each["seeds"]) for each in sources] == [("tranco", 3), (None, 1)]
    assert (sources[0]["best_rank"], sources[0]["last_rank"]) == (1, 3)
