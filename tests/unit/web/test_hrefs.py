"""The meaning of an href depends on its page; Hrefs must cache only what is valid there."""

import pytest

from tenax.web.hrefs import Hrefs
from tenax.web.identity import url_key

HOME = "http://a.test/"


def find(hrefs: Hrefs, base: str, href: str) -> str:
    """As the finder of links asks."""
    place = hrefs.for_page(base)
    url, key = place.rooted.get(href) or place.relative.get(href) or place.find(href)
    assert not url or key == url_key(url)
    return url


def find_on(href: str, *bases: str) -> list[str]:
    """What the href means on each of these pages; asked twice, so that the second answer is remembered."""
    hrefs = Hrefs()
    found = [find(hrefs, base, href) for base in bases]
    assert [find(hrefs, base, href) for base in bases] == found
    return found


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("/x", "http://a.test/x"),
        ("x?b=1#part", "http://a.test/x?b=1"),
        (" \n/x\t", "http://a.test/x"),
        ("//a.test/x", "http://a.test/x"),
        ("HTTP://A.TEST/x", "http://a.test/x"),
        ("https://a.test/x", "https://a.test/x"),
    ],
)
def test_hrefs_are_normalised(href: str, url: str) -> None:
    assert find_on(href, HOME) == [url]


@pytest.mark.parametrize(
    "href", ["", " ", "#top", "mailto:a@a.test", "javascript:void(0)", "http://[", "DATA:,x", "tel:1"]
)
def test_what_cannot_be_crawled_is_nowhere(href: str) -> None:
    assert find_on(href, HOME) == [""]


def test_the_same_href_with_another_fragment_is_the_same_url() -> None:
    hrefs = Hrefs()
    assert {find(hrefs, HOME, href) for href in ("x", "x#1", "x#2")} == {"http://a.test/x"}


def test_the_same_path_on_two_origins_are_two_urls() -> None:
    assert find_on("/x", HOME, "https://a.test/") == ["http://a.test/x", "https://a.test/x"]


def test_a_relative_link_means_something_else_on_every_page() -> None:
    bases = (HOME, "http://a.test/deep/?q=/", "http://a.test/deep/er/page")
    found = ["http://a.test/x", "http://a.test/deep/x", "http://a.test/deep/er/x"]
    assert find_on("x", *bases) == found


def test_a_relative_link_may_look_like_a_scheme() -> None:
    found = ["http://a.test/1/httpd.html", "http://a.test/2/httpd.html"]
    assert find_on("httpd.html", "http://a.test/1/", "http://a.test/2/") == found


def test_a_query_alone_belongs_to_its_page() -> None:
    assert find_on("?b", "http://a.test/1", "http://a.test/2") == [
        "http://a.test/1?b",
        "http://a.test/2?b",
    ]


def test_a_link_without_scheme_takes_that_of_its_page() -> None:
    found = ["http://b.test/x", "https://b.test/x"]
    assert find_on("//b.test/x", "http://a.test/", "https://a.test/") == found


def test_an_href_of_a_megabyte_is_nowhere() -> None:
    assert find_on("/" + "x" * 1_000_000, HOME) == [""]


def test_what_is_remembered_is_bounded() -> None:
    hrefs = Hrefs(memory_bytes=5_000)
    for number in range(20):
        assert find(hrefs, f"http://a.test/{number}/", "x") == f"http://a.test/{number}/x"
    assert len(hrefs._places) < 20


def test_a_long_href_is_not_remembered() -> None:
    hrefs = Hrefs()
    find(hrefs, HOME, "/" + "x" * 1000)
    assert hrefs.for_page(HOME).rooted == {}
