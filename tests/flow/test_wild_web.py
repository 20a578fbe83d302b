"""One crawl of a web with everything that a crawl meets: endless, hidden, walled and lying sites beside
healthy ones. With every guard and every search on, each gets what it needs and none spoils another.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.flow.test_sitemaps import index, robots, urlset, xml
from tests.flow.test_validation import soft_site, wall
from tests.support.endless import ENDLESS, HEALTHY, REAL_PAGES, GeneratedWeb
from tests.support.hidden_sites import ARCHIVED, add_list, build_archive_site
from tests.support.running import Crawled, crawl
from tests.support.scripted import Script, page

TRAPS = ("calendar", "repeating", "facets", "sessions")
SOUND = ("blog", "wiki", "forum")
STYLES = {
    "/news": "/news?page={n}",
    "/forum": "/forum-seite-{n}.html",
    "/shop": "/shop/page/{n}/",
    "/node": "/node?p={n}",
}
SECTIONS: dict[str, Any] = {
    "limits": {"pages_per_domain": 1000, "max_depth": 200},
    "validation": {"soft_404": True},
    "similarity": {"enabled": True},
    "archives": {"enabled": True},
    "pagination": {"enabled": True},
}


@dataclass(frozen=True)
class WildWeb:
    web: GeneratedWeb
    crawled: Crawled
    listed: set[str]  # articles of lists that no link leads to


def list_hosts(listed: set[str]) -> dict[str, dict[str, Script]]:
    lists: dict[str, Script] = {}
    for path, pattern in STYLES.items():
        listed |= add_list(lists, path, pattern, [1, 2, 3, 4], linked=2)
    listed |= add_list(lists, "/list", "/list?offset={n}", [0, 10, 20, 30], linked=3, empties=True)
    lists["/"] = page("Home", *STYLES, "/list")
    mapped: dict[str, Script] = {f"/p{number}": page(f"Page {number}") for number in range(20)}
    maps: dict[str, Script] = {
        "/": page("Home"),
        "/robots.txt": robots("/index.xml", "/broken.xml"),
        "/index.xml": xml(index("/map.xml", "/index.xml")),
        "/map.xml": xml(urlset(*mapped)),
        "/broken.xml": xml(urlset("/kept", "/lost")[:-25]),
        "/kept": page("Kept"),
    }
    return {
        "lists.test": lists,
        "maps.test": maps | mapped,
        "archive.test": build_archive_site(),
        "wall.test": {"/": page("Home", "/a", "/b"), "*": wall("cloudflare_challenge")},
        "soft.test": soft_site(real=30, garbage=300),
    }


@pytest.fixture(scope="module")
def wild(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WildWeb]:
    listed: set[str] = set()
    sites = {f"{name}.test": (ENDLESS | HEALTHY)[name]() for name in (*TRAPS, *SOUND)}
    hosts = list_hosts(listed)
    with GeneratedWeb(sites, hosts) as web:
        seeds = [web.url(host) for host in (*sites, *hosts)]
        yield WildWeb(web, crawl(tmp_path_factory.mktemp("wild"), seeds, **SECTIONS), listed)


def list_fates(wild: WildWeb, host: str) -> dict[str, str]:
    start = wild.web.url(host, "")
    return {
        url.url.removeprefix(start): url.fate
        for url in wild.crawled.urls.values()
        if url.url.startswith(start + "/")
    }


@pytest.mark.parametrize("name", TRAPS)
def test_the_real_pages_beside_a_trap_are_fetched(wild: WildWeb, name: str) -> None:
    assert wild.web.count_real(f"{name}.test") >= 0.95 * REAL_PAGES


@pytest.mark.parametrize("name", SOUND)
def test_no_page_of_a_healthy_site_is_missed_or_given_up(wild: WildWeb, name: str) -> None:
    site = HEALTHY[name]()
    assert set(wild.web.list_real(f"{name}.test")) == set(site.pages)
    fates = list_fates(wild, f"{name}.test")
    assert {fates[path] for path in site.pages} <= {"fetched", "duplicate"}


def test_pages_that_only_a_sitemap_names_are_fetched_and_a_broken_one_gives_what_it_has(
    wild: WildWeb,
) -> None:
    fates = list_fates(wild, "maps.test")
    assert {fates[f"/p{number}"] for number in range(20)} == {"fetched"}
    assert fates["/kept"] == "fetched"


def test_articles_that_only_archives_list_are_fetched(wild: WildWeb) -> None:
    fates = list_fates(wild, "archive.test")
    assert {fates.get(path) for path in ARCHIVED} <= {"fetched", "duplicate"}


def test_lists_of_five_styles_are_followed_to_their_end(wild: WildWeb) -> None:
    fates = list_fates(wild, "lists.test")
    assert {fates.get(path) for path in wild.listed} <= {"fetched", "duplicate"}


def test_a_walled_site_rests_after_its_first_wall(wild: WildWeb) -> None:
    fates = list_fates(wild, "wall.test")
    assert sorted(fates.values()) == ["fetched", "queued", "rejected"]


def test_a_site_that_never_says_404_keeps_its_real_pages(wild: WildWeb) -> None:
    fates = list_fates(wild, "soft.test")
    assert {fates[f"/p{number}"] for number in range(30)} <= {"fetched", "duplicate"}
    assert "gone" in fates.values()
