"""Lists and their next pages, measured on a corpus of documents in many shapes."""

import pytest

from tenax.discover.links import find_links
from tenax.discover.pagination import FoundList, find_list, has_pages
from tenax.records.pages import PageLink
from tenax.web.documents import parse_document
from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key
from tests.support.paged_lists import CASES, PagedList

SITE = "https://a.example"
LEAST_F1 = 0.9


def read_links(case: PagedList) -> dict[int, PageLink]:
    document = parse_document(case.html.encode(), url=case.url, content_type="text/html; charset=utf-8")
    return find_links(document, 1000, Hrefs())


def link(path: str, anchor: str, rel: str = "") -> PageLink:
    return (SITE + path, rel, anchor, "a")


def find(path: str, *links: PageLink) -> FoundList | None:
    return find_list(SITE + path, {url_key(each[0]): each for each in links})


def test_the_corpus_is_large_enough() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


def test_next_pages_are_found_on_nearly_all_lists_of_the_corpus() -> None:
    hits = wrong = missed = 0
    for case in CASES:
        found = find_list(case.url, read_links(case))
        next_url = None if found is None else found.next_url
        hits += next_url is not None and next_url == case.next_url
        wrong += next_url is not None and next_url != case.next_url
        missed += case.next_url is not None and next_url != case.next_url
    assert 2 * hits / (2 * hits + wrong + missed) >= LEAST_F1, (hits, wrong, missed)


def test_numbers_show_the_pattern_and_the_greatest_page() -> None:
    found = find("/news", link("/news?page=2", "2"), link("/news?page=9", "9"))
    assert found == FoundList("/news", "/news?page={n}", 1, 1, 9, SITE + "/news?page=2")


def test_offsets_show_their_step() -> None:
    found = find("/list?start=20", link("/list?start=0", "1"), link("/list?start=40", "3"))
    assert found == FoundList("/list", "/list?start={n}", 20, 20, 40, SITE + "/list?start=40")


def test_lists_that_count_from_zero_are_understood() -> None:
    found = find("/node", link("/node?page=1", "2"), link("/node?page=2", "3"))
    assert found is not None
    assert (found.number, found.last, found.next_url) == (0, 2, SITE + "/node?page=1")


def test_last_page_has_no_next_one() -> None:
    found = find("/news/page/7/", link("/news/page/5/", "5"), link("/news/page/6/", "6"))
    assert found == FoundList("/news", "/news/page/{n}/", 1, 7, 7, None)


def test_next_page_may_be_linked_in_any_words() -> None:
    found = find("/news?page=3", link("/news?page=4", "Continue reading the news of yesterday"))
    assert found is not None
    assert found.next_url == SITE + "/news?page=4"


@pytest.mark.parametrize(
    ("path", "other", "anchor"),
    [
        ("/events?month=6", "/events?month=7", "Next"),
        ("/2025/06/", "/2025/07/", "»"),
        ("/article/7", "/article/8", "Next"),
        ("/book/chapter-2", "/book/chapter-3", "Next"),
        ("/shoe", "/shoe?variant=2", "2"),
        ("/title", "/title/comment-page-2", "Older"),
    ],
)
def test_other_sequences_are_no_lists(path: str, other: str, anchor: str) -> None:
    assert find(path, link(other, anchor)) is None


def test_a_link_by_rel_alone_is_no_list() -> None:
    assert find("/title", link("/another-title", "", "next")) is None


def test_links_to_other_sites_do_not_count() -> None:
    assert find("/news", ("https://b.example/news?page=2", "", "2", "a")) is None


def test_pages_are_noticed_whatever_the_anchors_say() -> None:
    further = link("/news?page=2", "Something else")
    assert has_pages(SITE + "/news", {1: further})
    assert not has_pages(SITE + "/blog", {1: further})


def test_long_addresses_are_left_alone() -> None:
    assert find("/news?" + "a" * 600 + "&page=2", link("/news?" + "a" * 600 + "&page=3", "3")) is None
