"""Filters of every list: each keeps what matches, in the same order, alone and combined."""

from collections.abc import Callable
from itertools import combinations
from typing import Any

import httpx
import pytest

from tests.support.lists import API, ask, walk

Row = dict[str, Any]
SINCE, UNTIL = "2025-06-17", "2025-08-17T12:00:00Z"  # history.py has entries before, between and after
# Every list that has filters, in its orders, with its date.
DATES = {
    "urls": "discovered_at",
    "urls?sort=-id": "discovered_at",
    "pages": "fetched_at",
    "pages?sort=-first_fetched_at": "fetched_at",
    "pages?sort=-changed_at&domain=news.example": "fetched_at",
    "frontier/urls": "due_at",
    "visits": "at",
    "visits?sort=at": "at",
    "visits?sort=at&domain=news.example": "at",
    "changes": "at",
    "runs": "started_at",
    "runs?sort=id": "started_at",
}
UNFIT = {
    "visits": ("fate",),
    "changes": ("fate",),
    "domains": ("fate", "domain"),
    "runs": ("run", "fate", "domain"),
    "workers": ("source", "domain", "fate", "since", "until"),
    "seeds": ("run", "fate", "since", "until"),
}


def has(name: str, value: object) -> Callable[[Row], bool]:
    return lambda row: row[name] == value


def list_filters(path: str) -> dict[tuple[str, str], Callable[[Row], bool]]:
    date = DATES[path]
    filters: dict[tuple[str, str], Callable[[Row], bool]] = {
        ("since", SINCE): lambda row: row[date] >= SINCE,
        ("until", UNTIL): lambda row: row[date] < UNTIL,
        ("source", "SHOP"): lambda row: True,
        ("source", "papers"): lambda row: False,
    }
    if not path.startswith(("runs", "changes")):
        filters |= {("run", run): has("run_id", int(run)) for run in "12"}
    if path.startswith(("urls", "pages", "frontier")):
        filters |= {("fate", fate): has("fate", fate) for fate in ("fetched", "duplicate", "queued", "dead")}
    if not path.startswith("runs") and "domain=" not in path:
        filters |= {("domain", name): has("domain", name) for name in ("news.example", "shop.example")}
    return filters


def with_runs(reader: httpx.Client, path: str, rows: list[Row]) -> list[Row]:
    """A page in a list does not say which run visited it last."""
    if not path.startswith("pages"):
        return rows
    return [row | {"run_id": reader.get(f"{API}/pages/{row['id']}").json()["run_id"]} for row in rows]


@pytest.mark.parametrize("path", DATES)
def test_filters_leave_what_fits_of_the_whole_list(reader: httpx.Client, path: str) -> None:
    filters = list_filters(path)
    whole = walk(reader, f"{API}/{path}", limit=500)
    known = with_runs(reader, path, whole)
    singles = [(each,) for each in filters]
    pairs = [pair for pair in combinations(filters, 2) if pair[0][0] != pair[1][0]]
    for chosen in (*singles, *pairs):
        fitting = [
            row
            for row, all_of_it in zip(whole, known, strict=True)
            if all(filters[each](all_of_it) for each in chosen)
        ]
        asked = str(httpx.URL(f"{API}/{path}").copy_merge_params(dict(chosen)))
        assert walk(reader, asked, limit=2) == fitting, chosen


def test_changes_of_one_run_are_listed(reader: httpx.Client) -> None:
    shown = {
        run: {row["domain"] for row in walk(reader, f"{API}/changes?run={run}", limit=1)} for run in (1, 2)
    }
    assert shown == {1: {"shop.example"}, 2: {"news.example"}}


def test_domains_of_one_run_are_those_that_it_visited_last(reader: httpx.Client) -> None:
    found = {
        run: [row["name"] for row in walk(reader, f"{API}/domains?sort=name&run={run}", limit=1)]
        for run in (1, 2)
    }
    assert found == {1: ["down.example", "shop.example"], 2: ["news.example"]}


@pytest.mark.parametrize(("noun", "name"), [(noun, name) for noun, names in UNFIT.items() for name in names])
def test_a_filter_that_a_list_does_not_have_is_refused(reader: httpx.Client, noun: str, name: str) -> None:
    answer = ask(reader, f"{API}/{noun}", **{name: "1"})
    assert answer.status_code == 422
    assert answer.json()["detail"] == f"This list cannot be filtered by {name}: omit it."


@pytest.mark.parametrize(
    "noun", ["urls", "pages", "frontier/urls", "visits", "changes", "domains", "export/urls"]
)
def test_what_is_not_known_is_said(reader: httpx.Client, noun: str) -> None:
    expected = {
        "run=99": "There is no run 99 in this store.",
        "source=typo": "There is no source or crawl 'typo' in this store: see 'tenax runs'.",
        "since=2025-01-02&until=2025-01-01": "This time span is empty: its end must be later than its start.",
    }
    for query, sentence in expected.items():
        answer = reader.get(f"{API}/{noun}?{query}")
        assert (answer.status_code, answer.json()["detail"]) == (422, sentence)


def test_a_fate_that_is_none_is_refused_with_those_that_are(reader: httpx.Client) -> None:
    answer = reader.get(f"{API}/urls?fate=lost")
    assert answer.status_code == 422
    assert "'queued', 'retrying', 'fetched'" in answer.json()["faults"][0]["message"]


def test_an_export_is_filtered_and_refuses_what_does_not_fit(reader: httpx.Client) -> None:
    lines = reader.get(f"{API}/export/urls?fate=gone&domain=shop.example&run=1").text.splitlines()
    assert len(lines) == 1
    unsupported = reader.get(f"{API}/export/visits?fate=gone")
    assert (unsupported.status_code, unsupported.json()["detail"]) == (
        422,
        "Visits cannot be filtered by fate; only pages, urls, links, placements, markdown, chunks can.",
    )
    unknown = reader.get(f"{API}/export/visits?domain=typo.example")
    assert unknown.status_code == 422


def test_inbound_links_are_listed_with_how_many_pages_were_searched(reader: httpx.Client) -> None:
    part = reader.get(f"{API}/urls/14/inbound").json()
    assert part["looked_at"] == part["pages"] == 5
    assert {row["anchor"] for row in part["items"]} == {"boats and more"}
    assert reader.get(f"{API}/urls/4711/inbound").status_code == 404
