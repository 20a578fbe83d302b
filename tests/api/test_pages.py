"""Pages over HTTP."""

from typing import Any

import httpx
import pytest

from tests.support.history import NEWS
from tests.support.stores import ESCAPE_TITLE, FORMULA_ANCHOR, SHOP


def list_urls(reader: httpx.Client, **parameters: Any) -> list[str]:
    return [page["url"] for page in reader.get("/api/v1/pages", params=parameters).json()["items"]]


def get_page(reader: httpx.Client, url: str) -> dict[str, Any]:
    (page,) = reader.get("/api/v1/pages", params={"url": url}).json()["items"]
    found: dict[str, Any] = reader.get(f"/api/v1/pages/{page['id']}").json()
    return found


def test_pages_that_are_there_are_listed(reader: httpx.Client) -> None:
    paths = ("boats", "boats?copy", "cars", "late")
    assert sorted(list_urls(reader)) == sorted(
        [f"{SHOP}/", f"{SHOP}/a", *(f"{NEWS}/{path}" for path in paths)]
    )


def test_crawled_text_comes_back_as_it_is(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/pages", params={"url": f"{SHOP}/"})
    assert answer.json()["items"][0]["title"] == ESCAPE_TITLE
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"domain": "news.example", "q": "BOAT"}, ["boats", "boats?copy"]),
        ({"domain": "news.example", "q": "bikes"}, ["cars"]),
        ({"domain": "WWW.news.example."}, ["boats", "boats?copy", "cars", "late"]),
        ({"domain": "unknown.example"}, []),
        ({"domain": "news.example", "status": 200, "language": "EN", "content_type": "Text/"}, None),
        ({"language": "e"}, []),
        ({"content_type": "image/"}, []),
        ({"status": 404}, []),
        ({"q": "%"}, []),
        ({"q": "trains"}, []),
    ],
)
def test_filters_choose_pages(reader: httpx.Client, filters: dict[str, Any], paths: list[str] | None) -> None:
    if paths is None:
        paths = ["boats", "boats?copy", "cars", "late"]
    assert sorted(list_urls(reader, **filters)) == [f"{NEWS}/{path}" for path in paths]


def test_changes_since_a_moment_choose_pages(reader: httpx.Client) -> None:
    assert sorted(list_urls(reader, changed_since="2025-07-01")) == [f"{NEWS}/cars", f"{NEWS}/late"]
    assert len(list_urls(reader, fetched_since="2025-06-16T00:00:00Z")) == 4


def test_new_pages_come_first_on_request(reader: httpx.Client) -> None:
    assert list_urls(reader, sort="-first_fetched_at")[0] == f"{NEWS}/late"


def test_a_sort_order_that_needs_a_domain_says_so(reader: httpx.Client) -> None:
    answer = reader.get("/api/v1/pages", params={"sort": "-fetched_at"})
    assert answer.status_code == 422
    assert answer.json()["faults"][0]["where"] == "query.sort"


def test_a_page_is_found_by_its_address_however_it_is_written(reader: httpx.Client) -> None:
    assert list_urls(reader, url="HTTPS://SHOP.example:443/b/../a#part") == [f"{SHOP}/a"]
    assert list_urls(reader, url=f"{SHOP}/unknown") == []
    assert reader.get("/api/v1/pages", params={"url": "mailto:me"}).status_code == 422


def test_one_page_shows_where_it_comes_from(reader: httpx.Client) -> None:
    page = get_page(reader, f"{SHOP}/a")
    assert page["found_on"] == f"{SHOP}/"
    assert page["depth"] == 1
    assert page["priority"] == "medium"
    assert page["duplicate_of"] is None


def test_a_duplicate_names_its_original(reader: httpx.Client) -> None:
    page = get_page(reader, f"{NEWS}/boats?copy")
    assert page["fate"] == "duplicate"
    assert page["duplicate_of"] == f"{NEWS}/boats"
    assert page["content_hash"] == get_page(reader, f"{NEWS}/boats")["content_hash"]


def test_a_page_that_is_gone_is_still_kept(reader: httpx.Client) -> None:
    gone = reader.get("/api/v1/urls", params={"url": f"{NEWS}/trains"}).json()["items"][0]
    page = reader.get(f"/api/v1/pages/{gone['id']}").json()
    assert page["fate"] == "gone"
    assert page["title"] == "trains"


def test_the_text_is_plain_text_and_nothing_else(reader: httpx.Client) -> None:
    page = get_page(reader, f"{SHOP}/a")
    answer = reader.get(f"/api/v1/pages/{page['id']}/text")
    assert answer.text == "=1+1 says the first line\nand the second"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == f'inline; filename="page-{page["id"]}.txt"'
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_links_come_in_the_order_of_the_page(reader: httpx.Client) -> None:
    page = get_page(reader, f"{SHOP}/")
    links = reader.get(f"/api/v1/pages/{page['id']}/links").json()["items"]
    assert [(link["url"], link["rel"], link["anchor"]) for link in links] == [
        (f"{SHOP}/a", "", FORMULA_ANCHOR),
        (f"{SHOP}/gone", "nofollow", "gone"),
    ]


def test_the_history_of_a_page_is_every_visit_of_its_url(reader: httpx.Client) -> None:
    gone = reader.get("/api/v1/urls", params={"url": f"{NEWS}/trains"}).json()["items"][0]
    visits = reader.get(f"/api/v1/pages/{gone['id']}/visits").json()["items"]
    assert [visit["outcome"] for visit in visits] == ["gone", "gone", "fetched"]


@pytest.mark.parametrize("part", ["", "/text", "/links", "/visits"])
def test_an_unknown_page_is_not_found(reader: httpx.Client, part: str) -> None:
    assert reader.get(f"/api/v1/pages/987654321{part}").status_code == 404


def find_id(reader: httpx.Client, path: str) -> int:
    (page,) = reader.get("/api/v1/pages", params={"url": f"{NEWS}/{path}"}).json()["items"]
    return int(page["id"])


def test_markdown_is_sent_so_that_no_browser_runs_it(reader: httpx.Client) -> None:
    answer = reader.get(f"/api/v1/pages/{find_id(reader, 'late')}/markdown")
    assert answer.text == "# Late\n\nnews\n"
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_chunks_of_a_page_have_ids_and_headings(reader: httpx.Client) -> None:
    (chunk,) = reader.get(f"/api/v1/pages/{find_id(reader, 'late')}/chunks").json()
    assert (chunk["position"], chunk["headings"], chunk["text"]) == (0, ["Late"], "# Late\n\nnews")
    exported = reader.get("/api/v1/export/chunks").json()
    assert exported["id"] == chunk["id"]


@pytest.mark.parametrize("what", ["markdown", "chunks"])
def test_a_page_without_markdown_says_which_setting_keeps_it(reader: httpx.Client, what: str) -> None:
    answer = reader.get(f"/api/v1/pages/{find_id(reader, 'boats')}/{what}")
    assert answer.status_code == 404
    assert "set extract.markdown to true" in answer.json()["detail"]


@pytest.mark.parametrize("what", ["markdown", "chunks"])
def test_an_unknown_page_has_no_markdown(reader: httpx.Client, what: str) -> None:
    answer = reader.get(f"/api/v1/pages/999999/{what}")
    assert answer.status_code == 404
    assert "999999" in answer.json()["detail"]


def test_chunks_of_impossible_sizes_are_refused(reader: httpx.Client) -> None:
    page = find_id(reader, "late")
    answer = reader.get(f"/api/v1/pages/{page}/chunks", params={"target_chars": 5000, "max_chars": 300})
    assert answer.status_code == 422
    assert "Chunks of 5000 characters do not fit the maximum of 300." in answer.text
