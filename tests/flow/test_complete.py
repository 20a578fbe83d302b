"""Whole crawls without faults: everything once and right; and what running the same command again means."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    Crawler,
    Ended,
    assert_asked_once,
    assert_complete,
    assert_sound,
    query,
    read_pages,
)
from tests.support.web import LoggedRequest, TestWeb

QUICK = ("--delay", "0")
RSS_BYTES = 200 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class LargeCrawl:
    web: TestWeb
    data: Path
    ended: Ended
    requests: list[LoggedRequest]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LargeCrawl]:
    data = tmp_path_factory.mktemp("large") / "data"
    with TestWeb(hosts=40, pages_per_host=50, cross_host=True) as web:
        ended = Crawler(data, web, *QUICK).run()
        yield LargeCrawl(web=web, data=data, ended=ended, requests=web.requests())


def expected_depths(web: TestWeb) -> dict[str, int]:
    """The fewest links from a home page."""
    depths = dict.fromkeys(web.seeds(), 0)
    waiting = deque(depths)
    while waiting:
        url = waiting.popleft()
        for link in web.expected_page(url).links:
            if link.url not in depths:
                depths[link.url] = depths[url] + 1
                waiting.append(link.url)
    return depths


class TestTwoThousandPages:
    """One crawl, looked at from all sides."""

    def test_all_pages_are_stored(self, large: LargeCrawl) -> None:
        assert large.ended.code == 0
        assert len(large.web.expected_urls()) == 2000
        assert_complete(large.data, large.web)

    def test_every_page_is_asked_for_once(self, large: LargeCrawl) -> None:
        assert_asked_once(large.requests)
        assert len(large.requests) == 2000 + 40

    def test_titles_descriptions_and_texts_are_those_of_the_web(self, large: LargeCrawl) -> None:
        for url, page in read_pages(large.data).items():
            expected = large.web.expected_page(url)
            assert (page.title, page.description) == (expected.title, expected.description)
            missing = [each for each in expected.paragraphs if each not in page.text]
            assert not missing, f"{url} lacks {missing}"

    def test_links_are_those_of_the_web(self, large: LargeCrawl) -> None:
        for url, page in read_pages(large.data).items():
            expected = {link.url for link in large.web.expected_page(url).links}
            assert {link.url for link in page.links} == expected, url

    def test_depths_are_the_fewest_links_within_a_host(self, tmp_path: Path) -> None:
        # Between hosts the order is a race; within one, urls are asked for in the order of their depth.
        with TestWeb(hosts=2, pages_per_host=100) as web:
            Crawler(tmp_path / "data", web, *QUICK).run()
            pages = read_pages(tmp_path / "data").values()
            assert {page.url: page.depth for page in pages} == expected_depths(web)

    def test_memory_stays_below_200_megabytes(self, large: LargeCrawl) -> None:
        assert large.ended.report["peak_rss_bytes"] < RSS_BYTES

    def test_report_counts_what_is_stored(self, large: LargeCrawl) -> None:
        report = large.ended.report
        assert (report["state"], report["pages"], report["requests"]) == ("done", 2000, 2040)
        assert (report["pages_stored"], report["queued"]) == (2000, 0)


# --- the same command again ----------------------------------------------------------------------


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=3, pages_per_host=10) as running:
        yield running


def test_finished_crawl_makes_no_request_when_run_again(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web)
    assert crawler.run(*QUICK).code == 0
    asked = len(web.requests())
    again = crawler.start(*QUICK).wait()
    assert (again.code, again.report["requests"]) == (0, 0)
    assert len(web.requests()) == asked


def test_finished_crawl_ends_quickly_when_run_again(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web)
    crawler.run(*QUICK)
    assert crawler.run().report["duration_s"] < 30.0


def test_fresh_starts_over(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web, *QUICK)
    crawler.run()
    ended = crawler.run("--fresh")
    assert (ended.code, ended.report["run"], ended.report["pages"]) == (0, 1, 30)
    assert_complete(crawler.data, web)


@pytest.mark.parametrize("pages", [1, 7, 30])
def test_page_limit_is_exact(web: TestWeb, make_crawler: MakeCrawler, pages: int) -> None:
    crawler = make_crawler(web, *QUICK, "--max-pages", str(pages))
    ended = crawler.start().wait()
    assert (ended.code, ended.report["pages"], len(read_pages(crawler.data))) == (0, pages, pages)
    assert_sound(crawler.data)


def test_page_limit_is_exact_while_batches_are_settled(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=20, pages_per_host=20) as web:
        crawler = make_crawler(web, *QUICK, "--max-pages", "203")
        ended = crawler.start(TENAX_WORKER__BATCH_PAGES="5").wait()
        assert (ended.code, ended.report["state"]) == (0, "budget")
        assert len(read_pages(crawler.data)) == 203


def test_page_limit_counts_anew_in_every_run(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web, *QUICK, "--max-pages", "12")
    stored = []
    for _ in range(3):
        ended = crawler.start().wait()
        stored.append((ended.code, ended.report["state"], len(read_pages(crawler.data))))
    assert stored == [(0, "budget", 12), (0, "budget", 24), (0, "done", 30)]
    assert_asked_once(web.requests())
    assert_complete(crawler.data, web)


def test_domain_budget_parks_the_domain_until_the_next_run(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web, *QUICK)
    first = crawler.start(TENAX_LIMITS__PAGES_PER_DOMAIN="4").wait()
    # How many urls are known by then depends on which pages came first.
    due = "SELECT count(*) FROM urls WHERE due_at IS NOT NULL"
    ((waiting,),) = query(crawler.data, due)
    assert 3 * 4 <= waiting <= 3 * 6
    assert (first.code, first.report["pages"], first.report["leftover"]["capped"]) == (3, 12, waiting)
    second = crawler.start(TENAX_LIMITS__PAGES_PER_DOMAIN="4").wait()
    ((waiting,),) = query(crawler.data, due)
    assert 0 < waiting <= 3 * 2
    assert (second.code, second.report["pages"], second.report["leftover"]["capped"]) == (3, 12, waiting)
    last = crawler.run(TENAX_LIMITS__PAGES_PER_DOMAIN="4")
    assert (last.code, last.report["pages"], last.report["queued"]) == (0, 6, 0)
    assert_asked_once(web.requests())
    assert_complete(crawler.data, web)


def test_greater_depth_admits_what_was_too_deep(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web, *QUICK)
    crawler.run("--max-depth", "1")
    assert 3 < len(read_pages(crawler.data)) < 30
    assert crawler.run().code == 0
    assert_asked_once(web.requests())
    assert_complete(crawler.data, web)


def test_dropped_exclusion_admits_what_was_excluded(web: TestWeb, make_crawler: MakeCrawler) -> None:
    crawler = make_crawler(web, *QUICK)
    crawler.run("--exclude", r"/p/[5-9]\.html")
    assert len(read_pages(crawler.data)) == 15
    assert crawler.run().code == 0
    assert_asked_once(web.requests())
    assert_complete(crawler.data, web)


def test_wider_scope_admits_what_was_outside(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=3, pages_per_host=10, cross_host=True) as web:
        crawler = make_crawler(web, *QUICK, seeds=web.seeds()[:1])
        crawler.run()
        assert len(read_pages(crawler.data)) == 10
        assert crawler.run("--scope", "any").code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)


def test_narrower_scope_refuses_what_still_waits(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=3, pages_per_host=10, cross_host=True) as web:
        crawler = make_crawler(web, *QUICK, seeds=web.seeds()[:1])
        crawler.start("--scope", "any", "--max-pages", "5").wait()
        assert crawler.start().wait().code == 0
        refused = query(
            crawler.data, "SELECT DISTINCT fate, reason FROM urls WHERE url NOT LIKE 'http://h0.test:%'"
        )
        assert ("refused", "out_of_scope") in refused
        assert_sound(crawler.data)
