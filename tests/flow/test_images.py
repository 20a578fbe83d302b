"""Images of a small web: every one is kept once, and the counters are true, whatever was killed meanwhile."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import KILLED, Process, Where, assert_complete, assert_sound, query, wait_until
from tests.support.days import Calendar, open_calendar
from tests.support.postgres import fresh_database
from tests.support.scripted import ScriptedWeb, page
from tests.support.site import HostBehavior
from tests.support.store import find_wrong_counters
from tests.support.web import TestWeb

SEED = 31
HOSTS = [f"h{number}.test" for number in range(6)]
PAGES = 20


@pytest.fixture(params=["sqlite", "postgres"])
def calendar(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Calendar]:
    with open_calendar(request.param, tmp_path) as calendar:
        yield calendar
        assert find_wrong_counters(calendar.query) == []


@pytest.fixture
def url() -> Iterator[str]:
    with fresh_database() as url:
        yield url


def slow_web() -> TestWeb:
    slow = HostBehavior(delay_s=0.1)
    return TestWeb(hosts=HOSTS, pages_per_host=PAGES, behaviors=dict.fromkeys(HOSTS, slow))


def wait_for_request(web: TestWeb, process: Process, asked: int) -> None:
    wait_until(lambda: web.count_requests() > asked or not process.is_running, "it crawls")


def assert_all_images(where: Where, web: TestWeb) -> None:
    """Each host has a logo, and each page an image of its own."""
    expected = {image for url in web.expected_urls() for image in web.expected_page(url).images}
    rows = query(where, "SELECT url, alt FROM images")
    assert Counter((row[0], row[1]) for row in rows) == Counter(expected)
    counts = query(where, "SELECT DISTINCT images_found, images_stored FROM domains")
    assert [tuple(row) for row in counts] == [(2 * PAGES, PAGES + 1)]
    wrong = query(
        where,
        "SELECT 1 FROM images i LEFT JOIN pages p ON p.url_id = i.url_id"
        " WHERE p.domain_id IS NULL OR p.domain_id <> i.domain_id",
    )
    assert wrong == [], "images of pages that are not there"


def test_kills_lose_no_image_and_count_none_twice(make_crawler: MakeCrawler) -> None:
    chance = random.Random(SEED)
    with slow_web() as web:
        crawler = make_crawler(web, "--delay", "0")
        for _ in range(4):
            asked = web.count_requests()
            process = crawler.start()
            wait_for_request(web, process, asked)
            time.sleep(chance.uniform(0, 0.7))
            process.kill()
            if process.wait().code != KILLED:
                break
            assert_sound(crawler.data)
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)
        assert_all_images(crawler.data, web)


def test_workers_share_the_images_of_a_server(url: str, make_crawler: MakeCrawler) -> None:
    with slow_web() as web:
        assert make_crawler(web, "--delay", "0", "--store", url, workers=2).run().code == 0
        assert_all_images(url, web)


def test_an_image_of_two_domains_belongs_to_one_and_shows_in_the_yield(calendar: Calendar) -> None:
    shared = "<img src='https://cdn.test/badge.png' alt=Badge>"
    with ScriptedWeb(
        {
            "a.test": {"/": page("A", "/b", head=shared), "/b": page("B", head="<img src=/b.jpg>")},
            "b.test": {"/": page("C", head=shared + "<meta property=og:image content=/card.png>")},
        }
    ) as web:
        calendar.crawl([web.url("a.test"), web.url("b.test")])
    rows = calendar.query("SELECT sum(images_found), sum(images_stored) FROM domains")
    assert rows == [(4, 3)]
    rates = calendar.query("SELECT image_yield_rate, images_stored * 1.0 / pages_crawled FROM domains")
    assert all(rate == pytest.approx(float(yield_)) for rate, yield_ in rates)


def test_domains_shows_images_and_yield(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=["a.test"], pages_per_host=4) as web:
        crawler = make_crawler(web, "--delay", "0")
        assert crawler.run().code == 0
        assert "5 of 8 found" in run_tenax("domains", "show", web.url("a.test"), "--data", crawler.data).out
