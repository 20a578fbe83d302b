"""Patterns of links, as regular expressions of the scope."""

import pytest
import re2

from tenax.crawler.patterns import format_patterns
from tenax.errors import ConfigError
from tenax.web.url_patterns import matches

URLS = [
    "https://shop.example/",
    "https://shop.example/products",
    "https://shop.example/products/1",
    "https://shop.example/products/1/",
    "https://shop.example/products/1?ref=x",
    "https://shop.example/list?page=2",
    "https://shop.example/list?page=2&sort=a",
    "https://shop.example/a.html",
    "https://shop.example/axhtml",
    "https://other.example:8080/products/1",
    "http://shop.example/(x)/$y",
]


@pytest.mark.parametrize(
    "pattern",
    ["/", "*", "/products*", "/products/*", "/products/*/", "/list?page=*", "*?page=2", "/a.html", "*.html",
     "https://shop.example/*", "*://other.example*/products/*", "/(x)/*", "*$y", "/products/*?ref=x"],
)  # fmt: skip
def test_a_pattern_matches_the_same_links_as_pages(pattern: str) -> None:
    (expression,) = format_patterns([pattern])
    found = [url for url in URLS if re2.search(expression, url)]
    assert found == [url for url in URLS if matches([pattern], url)]


@pytest.mark.parametrize("pattern", ["", "products/*", "x" * 501])
def test_a_pattern_that_matches_nothing_is_refused(pattern: str) -> None:
    with pytest.raises(ConfigError, match="cannot choose links"):
        format_patterns([pattern])


def test_one_pattern_without_a_list_is_refused() -> None:
    with pytest.raises(ConfigError, match="Give a list of patterns"):
        format_patterns("/products/*")
