"""Archives and pages of lists that nothing links to: guessed, bounded, learned, explained; on both stores."""

import contextlib
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tenax.failpoints import EXIT_CODE
from tenax.records.urls import FoundBy, Priority
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Crawler, Ended, Where, assert_sound, query
from tests.support.hidden_sites import ARCHIVED, add_calendar, add_list, build_archive_site
from tests.support.postgres import fresh_database
from tests.support.running import crawl, explain
from tests.support.scripted import Script, ScriptedWeb, moved, page, text

HOST = "a.test"
GUESSED = f"found_by IN ({FoundBy.ARCHIVE.value}, {FoundBy.PAGINATION.value})"

RunCrawl = Callable[..., tuple[Ended, Where]]


@pytest.fixture(params=["sqlite", "postgres"])
def run_crawl(
    request: pytest.FixtureRequest, make_crawler: MakeCrawler, tmp_path: Path
) -> Iterator[RunCrawl]:
    """run_crawl(web, *options) → how it ended, and its store"""
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(fresh_database()) if request.param == "postgres" else None
        store = () if url is None else ("--store", url)

        def run(web: ScriptedWeb, *options: str, **environment: str) -> tuple[Ended, Where]:
            crawler: Crawler = make_crawler(
                web, "--delay", "0", *store, *options, seeds=[web.url(HOST)], data=tmp_path / "data"
            )
            return crawler.run(**environment), url or tmp_path / "data"

        yield run


def list_fetched(where: Where) -> set[str]:
    rows = query(where, "SELECT url FROM urls WHERE fate IN ('fetched', 'duplicate')")
    return {url.partition(HOST)[2].partition("/")[2] for (url,) in rows}


def has_all(where: Where, paths: set[str]) -> bool:
    return {path[1:] for path in paths} <= list_fetched(where)


def list_rules(where: Where) -> dict[str, tuple[str, int, int, int]]:
    rows = query(where, "SELECT pattern, state, last_n, hits, misses FROM pagination_rules")
    return {pattern: (state, last_n, hits, misses) for pattern, state, last_n, hits, misses in rows}


def list_patterns(where: Where) -> dict[str, tuple[str, int]]:
    rows = query(where, "SELECT pattern, state, hits FROM archive_patterns")
    return {pattern: (state, hits) for pattern, state, hits in rows}


def test_articles_that_only_archives_list_are_found(run_crawl: RunCrawl) -> None:
    with ScriptedWeb({HOST: build_archive_site()}) as web:
        ended, where = run_crawl(web, "--archives")
        assert ended.code == 0
        assert has_all(where, ARCHIVED)
        assert list_patterns(where)["/{Y}/{MM}/"][1] >= 3
        guesses = query(where, f"SELECT url, priority FROM urls WHERE {GUESSED}")
        assert {priority for _, priority in guesses} == {Priority.DISCOVERY}
        assert len(guesses) <= 40, "it does not know when to stop"
        assert_sound(where)


def test_without_the_switch_nothing_is_guessed(run_crawl: RunCrawl) -> None:
    with ScriptedWeb({HOST: build_archive_site()}) as web:
        ended, where = run_crawl(web)
        assert ended.code == 0
        assert sorted(web.paths(HOST)) == sorted(
            ["/", "/robots.txt", *(f"/2024/07/shown-{number}" for number in range(4))]
        )
        assert list_patterns(where) == {}


def test_archives_that_robots_forbids_or_scope_excludes_are_never_asked_for(run_crawl: RunCrawl) -> None:
    paths = build_archive_site() | {"/robots.txt": text("User-agent: *\nDisallow: /2024/05/\n")}
    with ScriptedWeb({HOST: paths}) as web:
        _, where = run_crawl(web, "--archives", "--exclude", "/2024/06/$")
        asked = web.paths(HOST)
        assert "/2024/04/" in asked
        assert "/2024/05/" not in asked
        assert "/2024/06/" not in asked
        assert_sound(where)


def test_guesses_that_miss_do_not_count_against_the_domain(run_crawl: RunCrawl) -> None:
    shown = [f"/2024/07/shown-{number}" for number in range(4)]
    paths: dict[str, Script] = {path: page(path, "/") for path in shown}
    paths["/"] = page("Home", *shown)
    with ScriptedWeb({HOST: paths}) as web:
        _, where = run_crawl(web, "--archives")
        assert len(web.paths(HOST)) <= 6 + 10
        assert query(where, "SELECT total_errors, breaker_failures, status FROM domains") == [
            (0, 0, "exhausted")
        ]
        asked = len(web.paths(HOST))
        run_crawl(web, "--archives")
        assert len(web.paths(HOST)) == asked, "a second run on the same day asks again"


def test_lists_are_followed_beyond_their_links(run_crawl: RunCrawl) -> None:
    paths: dict[str, Script] = {}
    found = add_list(paths, "/news", "/news?page={n}", [1, 2, 3, 4, 5], linked=3)
    found |= add_list(paths, "/forum", "/forum-seite-{n}.html", [1, 2, 3], linked=2)
    found |= add_list(paths, "/shop", "/shop/page/{n}/", [1, 2, 3, 4], linked=2, repeats=True)
    found |= add_list(paths, "/list", "/list?offset={n}", [0, 10, 20, 30], linked=3, empties=True)
    found |= add_list(paths, "/node", "/node?p={n}", [1, 2, 3], linked=3)
    add_calendar(paths)
    paths["/"] = page("Home", "/news", "/forum", "/shop", "/list", "/node", "/calendar?month=1")
    with ScriptedWeb({HOST: paths}) as web:
        ended, where = run_crawl(web, "--pagination", "--max-depth", "3")
        assert ended.code == 0
        assert has_all(where, found)
        rules = list_rules(where)
        assert rules["/news?page={n}"] == ("ended", 5, 2, 1)
        assert rules["/forum-seite-{n}.html"] == ("ended", 3, 1, 1)
        assert rules["/shop/page/{n}/"] == ("ended", 4, 2, 1)
        assert rules["/list?offset={n}"] == ("ended", 30, 1, 1)
        assert rules["/node?p={n}"] == ("ended", 3, 0, 1)
        guesses = [url for (url,) in query(where, f"SELECT url FROM urls WHERE {GUESSED}")]
        assert len(guesses) == 2 + 1 + 2 + 1 + 5, sorted(guesses)
        assert not [url for url in guesses if "calendar" in url]
        assert_sound(where)


def test_a_list_that_links_to_no_other_pages_is_followed(run_crawl: RunCrawl) -> None:
    paths: dict[str, Script] = {}
    found = add_list(paths, "/blog", "/blog?page={n}", [1, 2, 3], linked=1)
    paths["/"] = page("Home", "/blog")
    with ScriptedWeb({HOST: paths}) as web:
        _, where = run_crawl(web, "--pagination")
        assert has_all(where, found)
        assert list_rules(where) == {"/blog?page={n}": ("ended", 3, 2, 1)}


def test_what_was_learned_is_used_by_the_next_run(run_crawl: RunCrawl) -> None:
    paths: dict[str, Script] = {}
    add_list(paths, "/news", "/news/page/{n}/", [1, 2, 3], linked=1)
    paths |= {"/": page("Home", "/news"), "/news?page=2": moved("/news/page/2/")}
    with ScriptedWeb({HOST: paths}) as web:
        _, where = run_crawl(web, "--pagination")
        assert list_rules(where)["/news?page={n}"][0] == "invalid"
        assert list_rules(where)["/news/page/{n}/"] == ("ended", 3, 2, 1)
        add_list(web.hosts[HOST], "/press", "/press/page/{n}/", [1, 2], linked=1)
        web.hosts[HOST]["/extra"] = page("Extra", "/press")
        crawled, _ = run_crawl(web, web.url(HOST, "/extra"), "--pagination")
        assert crawled.code == 0
        assert "/press/page/2/" in web.paths(HOST)
        assert "/press?page=2" not in web.paths(HOST), "the site's way of numbering is known"


def test_a_site_whose_lists_have_no_other_pages_is_left_alone(run_crawl: RunCrawl) -> None:
    paths: dict[str, Script] = {}
    names = [f"/list-{number}" for number in range(12)]
    for name in names:
        add_list(paths, name, name + "?page={n}", [1, 2], linked=1)
        del paths[f"{name}?page=2"]
    paths["/"] = page("Home", *names)
    with ScriptedWeb({HOST: paths}) as web:
        run_crawl(web, "--pagination")
        asked = [path for path in web.paths(HOST) if path.endswith("?page=2")]
        assert len(asked) == 3


@pytest.mark.parametrize("side", ["before", "after"])
def test_death_at_every_settling_leaves_a_true_state(run_crawl: RunCrawl, side: str) -> None:
    paths: dict[str, Script] = build_archive_site()
    found = ARCHIVED | add_list(paths, "/news", "/news?page={n}", [1, 2, 3], linked=1)
    paths["/"] = page("Home", "/news", *(f"/2024/07/shown-{number}" for number in range(4)))
    small = {"TENAX_WORKER__BATCH_PAGES": "8"}
    with ScriptedWeb({HOST: paths}) as web:
        options = ("--archives", "--pagination")
        for time in count(1):
            ended, where = run_crawl(web, *options, **small, TENAX_FAILPOINT=f"settle.{side}:2")
            assert_sound(where)
            if ended.code != EXIT_CODE or time > 40:
                break
        assert ended.code == 0
        assert has_all(where, found)
        assert list_rules(where)["/news?page={n}"] == ("ended", 3, 2, 1)
        hits = query(
            where, f"SELECT count(*) FROM urls WHERE found_by = {FoundBy.ARCHIVE.value} AND fate = 'fetched'"
        )
        assert sum(hit for _, hit in list_patterns(where).values()) <= hits[0][0], (
            "an answer was counted twice"
        )


def test_guesses_are_explained(tmp_path: Path) -> None:
    paths: dict[str, Script] = build_archive_site()
    add_list(paths, "/news", "/news?page={n}", [1, 2], linked=1)
    paths["/"] = page("Home", "/news", *(f"/2024/07/shown-{number}" for number in range(4)))
    with ScriptedWeb({HOST: paths}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], archives={"enabled": True}, pagination={"enabled": True})
        guess = explain(crawled, web.url(HOST, "/news?page=2")).facts[0]
        assert "as page 2 of the list" in guess
        assert guess.endswith(f"{web.url(HOST, '/news')}.")
        archive = explain(crawled, web.url(HOST, "/2024/05/")).facts[0]
        assert archive.endswith(f": an archive of {HOST}:{web.port}.")


def test_guesses_are_bounded_per_day(tmp_path: Path) -> None:
    paths: dict[str, Script] = {}
    add_list(paths, "/news", "/news?page={n}", list(range(1, 9)), linked=1)
    paths["/"] = page("Home", "/news")
    with ScriptedWeb({HOST: paths}) as web:
        crawl(tmp_path, [web.url(HOST)], pagination={"enabled": True, "per_day": 3})
        assert [path for path in web.paths(HOST) if "page=" in path] == [
            f"/news?page={number}" for number in (2, 3, 4)
        ]
