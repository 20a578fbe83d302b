import pytest

from tenax.discover.page_numbers import PageOfList, fill, match_number, read_page_number

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("path", "page"),
    [
        ("/news?page=3", PageOfList("/news", "/news?page={n}", 3)),
        ("/news?cat=1&page=3&x=y", PageOfList("/news?cat=1&x=y", "/news?cat=1&page={n}&x=y", 3)),
        ("/news?page%5Bnumber%5D=3", PageOfList("/news", "/news?page%5Bnumber%5D={n}", 3)),
        ("/list?offset=40", PageOfList("/list", "/list?offset={n}", 40, is_offset=True)),
        ("/news/page/3/", PageOfList("/news", "/news/page/{n}/", 3)),
        ("/page/3", PageOfList("/", "/page/{n}", 3)),
        ("/news/seite-3.html", PageOfList("/news", "/news/seite-{n}.html", 3)),
        ("/?p=3", PageOfList("/", "/?p={n}", 3)),
    ],
)
def test_number_is_read(path: str, page: PageOfList) -> None:
    assert read_page_number(SITE + path) == page
    assert fill(page.pattern, page.number) == path
    assert match_number(page.pattern, SITE + path) == page.number


@pytest.mark.parametrize(
    "path",
    [
        "/news",
        "/?p=12345",
        "/news?page=last",
        "/news?page=1234567",
        "/news?month=3",
        "/title/comment-page-2",
        "/homepage2x",
        "/news?page=٣",
    ],
)
def test_other_addresses_have_none(path: str) -> None:
    assert read_page_number(SITE + path) is None


def test_pattern_matches_whole_addresses_only() -> None:
    assert match_number("/news?page={n}", SITE + "/news?page=3&x=1") is None
    assert match_number("/news?page={n}", SITE + "/news?page=") is None
    assert match_number("/news", SITE + "/news") is None
