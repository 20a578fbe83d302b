"""Endless sites: the real pages are fetched all the same. Healthy sites: every page is fetched."""

import asyncio
import contextlib
from pathlib import Path

import pytest

from tenax.runtime.actions import write_in_steps
from tenax.stores.commands.traps import open_trap
from tenax.stores.place import Place
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_sound, wait_until
from tests.support.endless import ENDLESS, HEALTHY, REAL_PAGES, Calendar, GeneratedWeb, Sessions
from tests.support.postgres import Console
from tests.support.running import crawl, explain, query

HOST = "a.test"
BUDGET = {"max_pages": 1000, "max_depth": 200}
UNLIMITED = {"pages_per_domain": 0, "max_depth": 1000}


@pytest.mark.parametrize("name", ENDLESS)
def test_the_real_pages_of_an_endless_site_are_fetched(name: str, tmp_path: Path) -> None:
    with GeneratedWeb({HOST: ENDLESS[name]()}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], limits=BUDGET)
        assert web.count_real(HOST) >= 0.95 * REAL_PAGES
    assert crawled.tally.pages <= 1000
    assert query(tmp_path, "SELECT count(*) FROM traps WHERE state <> 'open'")[0][0] > 0


@pytest.mark.parametrize("name", HEALTHY)
def test_every_page_of_a_healthy_site_is_fetched(name: str, tmp_path: Path) -> None:
    site = HEALTHY[name]()
    with GeneratedWeb({HOST: site}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], limits=UNLIMITED)
        assert set(web.list_real(HOST)) == set(site.pages)
    assert set(crawled.fates) <= {"fetched", "duplicate"}
    assert query(tmp_path, "SELECT shape FROM traps WHERE state IN ('closed', 'merged')") == []


def test_switched_off_it_does_nothing(tmp_path: Path) -> None:
    with GeneratedWeb({HOST: Calendar()}) as web:
        crawl(tmp_path, [web.url(HOST)], limits=BUDGET, traps={"enabled": False})
        assert web.count_real(HOST) < 0.5 * REAL_PAGES
    assert query(tmp_path, "SELECT count(*) FROM traps") == [(0,)]


def test_an_endless_site_comes_to_an_end_and_says_why(tmp_path: Path) -> None:
    with GeneratedWeb({HOST: ENDLESS["query calendar"]()}) as web:
        crawled = crawl(tmp_path, [web.url(HOST)], limits=UNLIMITED, traps={"budget": 50})
        assert crawled.fates["queued"] == 0
        trapped = next(url for url in crawled.urls.values() if url.fate == "trapped")
        told = explain(crawled, trapped.url)
        assert told.because.startswith("It is not requested, because urls like /events?")

        shape = trapped.detail or ""
        decided = asyncio.run(
            write_in_steps(
                Place(folder=tmp_path),
                lambda access, clock: open_trap(access, clock, f"{HOST}:{web.port}", shape, "anna"),
            )
        )
        assert decided is not None
        assert decided.queued > 0
        asked = len(web.paths(HOST))
        crawl(tmp_path, [web.url(HOST)], limits={"max_pages": 20, "max_depth": 1000}, traps={"budget": 50})
        assert len([path for path in web.paths(HOST)[asked:] if path.startswith("/events?")]) >= 10


def test_what_is_known_survives_a_kill(make_crawler: MakeCrawler) -> None:
    with GeneratedWeb({HOST: Sessions()}) as web:
        options = ("--max-pages", "1000", "--max-depth", "200", "--delay", "0")
        crawler = make_crawler(web, *options, seeds=[web.url(HOST)])
        process = crawler.start()
        wait_until(lambda: web.count_real(HOST) >= 100, "a hundred pages")
        process.kill()
        crawler.run()
        assert web.count_real(HOST) >= 0.95 * REAL_PAGES
    assert_sound(crawler.data)


@pytest.mark.parametrize("name", ["calendar", "sessions", "facets"])
def test_the_same_in_postgresql(name: str, url: str, make_crawler: MakeCrawler) -> None:
    with GeneratedWeb({HOST: ENDLESS[name]()}) as web:
        options = ("--store", url, "--max-pages", "1000", "--max-depth", "200", "--delay", "0")
        make_crawler(web, *options, seeds=[web.url(HOST)]).run()
        assert web.count_real(HOST) >= 0.95 * REAL_PAGES
    with contextlib.closing(Console(url)) as console:
        assert console.query("SELECT count(*) FROM traps WHERE state <> 'open'")[0][0] > 0
