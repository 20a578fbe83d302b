import pytest

from tenax.discover.archives import ArchivePlace, fill_pattern, find_archives, find_pattern, list_archives
from tenax.records.guesses import KnownUrl

SITE = "https://a.example"


@pytest.mark.parametrize(
    ("path", "places"),
    [
        ("/2024/05/17/title", [ArchivePlace("/{Y}/", (2024, 0)), ArchivePlace("/{Y}/{MM}/", (2024, 5))]),
        ("/2024/5/title", [ArchivePlace("/{Y}/", (2024, 0)), ArchivePlace("/{Y}/{M}/", (2024, 5))]),
        ("/news/2024/title", [ArchivePlace("/news/{Y}/", (2024, 0))]),
        (
            "/en/blog/2024/11/",
            [ArchivePlace("/en/blog/{Y}/", (2024, 0)), ArchivePlace("/en/blog/{Y}/{MM}/", (2024, 11))],
        ),
        ("/archive/2024-05", [ArchivePlace("/archive/{Y}-{MM}", (2024, 5))]),
        ("/archive?year=2024&month=5", [ArchivePlace("/archive?year={Y}&month={M}", (2024, 5))]),
        ("/issues/37", [ArchivePlace("/issues/{n}", (37, 0))]),
        ("/news/2024-05-17-title", []),
        ("/product/20245", []),
        ("/about", []),
        ("/2024/13/title", [ArchivePlace("/{Y}/", (2024, 0))]),
    ],
)
def test_archives_of_an_address_are_listed(path: str, places: list[ArchivePlace]) -> None:
    assert list_archives(path) == places


@pytest.mark.parametrize(
    ("path", "pattern"),
    [
        ("/2024/05/", "/{Y}/{MM}/"),
        ("/2024/", "/{Y}/"),
        ("/archive", "/archive"),
        ("/issues/37", "/issues/{n}"),
        ("/2024/05/title", "/2024/05/title"),
    ],
)
def test_pattern_of_an_archive_is_found(path: str, pattern: str) -> None:
    assert find_pattern(SITE + path) == pattern


def test_patterns_are_filled() -> None:
    assert fill_pattern("/{Y}/{MM}/", (2024, 5)) == "/2024/05/"
    assert fill_pattern("/{Y}/{M}/", (2024, 5)) == "/2024/5/"
    assert fill_pattern("/issues/{n}", (37, 0)) == "/issues/37"


def test_evidence_is_collected_for_the_origin_of_most_urls() -> None:
    urls = ["http://a.example/x", f"{SITE}/2024/05/a", f"{SITE}/2024/06/b"]
    found = find_archives([KnownUrl(id=number, url=url) for number, url in enumerate(urls, 7)])
    assert found is not None
    assert (found.origin, found.url_id) == (SITE, 8)
    assert found.places["/{Y}/{MM}/"] == {(2024, 5), (2024, 6)}


def test_no_urls_are_no_evidence() -> None:
    assert find_archives([]) is None
