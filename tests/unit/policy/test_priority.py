"""Priority: listings low, shallow high, deep low, the rest medium."""

import pytest

from tenax.policy.priority import plan_priority
from tenax.records.urls import Priority

HOST = "https://example.com"

LISTINGS = [
    "/blog/page/3",
    "/blog/page/3/",
    "/blog?page=2",
    "/search?q=x&page=2",
    "/forum?p=4",
    "/forum?p=4&s=1",
    "/list?offset=20",
    "/list?start=40",
    "/archive/",
    "/archives",
    "/news/archive/old",
    "/2024/05/",
    "/blog/2024/05",
    "/blog/2024/05/17/",
    "/tag/cats",
    "/category/pets/",
    "/author/jo",
    "/?paged=2",
]
CONTENT = [
    "/2024/05/17/a-post",
    "/2024/05/a-post/",
    "/products/2024",
    "/page/about",
    "/pages/3",
    "/?p=12345",
    "/archived-post",
    "/my-tag/cats",
    "/item?tag/cats",
    "/item?homepage=2",
    "/about",
    "/contact",
]


@pytest.mark.parametrize("path", LISTINGS)
def test_listings_are_low_even_when_shallow(path: str) -> None:
    assert plan_priority(HOST + path, 1) is Priority.LOW


@pytest.mark.parametrize("path", CONTENT)
def test_content_in_the_middle_is_medium(path: str) -> None:
    assert plan_priority(HOST + path, 3) is Priority.MEDIUM


@pytest.mark.parametrize(
    ("depth", "priority"),
    [
        (0, Priority.HIGH),
        (2, Priority.HIGH),
        (3, Priority.MEDIUM),
        (5, Priority.MEDIUM),
        (6, Priority.LOW),
    ],
)
def test_depth_decides_for_content(depth: int, priority: Priority) -> None:
    assert plan_priority(f"{HOST}/about", depth) is priority


def test_a_seed_is_high_whatever_it_looks_like() -> None:
    assert plan_priority(f"{HOST}/tag/cats?page=9", 9, is_seed=True) is Priority.HIGH


def test_a_home_page_is_high_at_any_depth() -> None:
    assert plan_priority(f"{HOST}/", 9) is Priority.HIGH


def test_a_home_page_with_a_query_is_no_home_page() -> None:
    assert plan_priority(f"{HOST}/?view=/", 9) is Priority.LOW


@pytest.mark.parametrize("host", ["http://tag/", "https://tag/", "https://archive/x/y"])
def test_a_host_is_not_read_as_a_path(host: str) -> None:
    assert plan_priority(host, 1) is Priority.HIGH
