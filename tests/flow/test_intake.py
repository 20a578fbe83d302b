"""A crawl that may only have so many new urls per second fetches everything, later."""

from pathlib import Path

from tenax.records.runs import RunState
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_complete, assert_sound, wait_until
from tests.support.running import crawl, explain, query
from tests.support.web import TestWeb

SETTING = {"TENAX_LIMITS__NEW_URLS_PER_S": "20"}


def count_postponed(data: Path) -> int:
    return int(query(data, "SELECT sum(postponed) FROM runs")[0][0])


def test_everything_is_fetched(tmp_path: Path) -> None:
    with TestWeb(hosts=3, pages_per_host=20, cross_host=True) as web:
        crawled = crawl(tmp_path, web.seeds(), limits={"new_urls_per_s": 20})
        assert crawled.fetched == web.expected_urls(web.seeds())
    assert crawled.ended.state is RunState.DONE
    assert crawled.summary.leftover.urls == 0
    assert 0 < count_postponed(tmp_path) <= len(crawled.urls)


def test_no_url_is_requested_before_its_turn(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=40) as web:
        crawl(tmp_path, web.seeds(), limits={"new_urls_per_s": 10})
        at = sorted(request.started_at for request in web.requests() if request.path != "/robots.txt")
    # The seed comes first. The others are due in whole seconds: up to one second early.
    turns = [at[0] + number / 10 - 1 for number in range(len(at) - 1)]
    assert all(each >= turn - 0.01 for each, turn in zip(at[1:], turns, strict=True))
    assert len(at) == 40


def test_nothing_is_lost_by_a_kill(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=3, pages_per_host=20, cross_host=True) as web:
        crawler = make_crawler(web, "--delay", "0")
        process = crawler.start(**SETTING)
        wait_until(lambda: web.count_requests() >= 15, "some pages")
        process.kill()
        crawler.run(**SETTING)
        assert_complete(crawler.data, web)
    assert_sound(crawler.data)
    assert count_postponed(crawler.data) > 0


def test_a_url_that_waits_says_why(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=40) as web:
        crawled = crawl(tmp_path, web.seeds(), limits={"new_urls_per_s": 1, "max_pages": 1})
        ((last,),) = query(
            tmp_path, "SELECT url FROM urls WHERE fate = 'queued' ORDER BY due_at DESC LIMIT 1"
        )
        facts = " ".join(explain(crawled, last).facts)
    assert "because its source found more than 1 new url per second (limits.new_urls_per_s)" in facts


def test_a_new_run_without_the_limit_does_not_wait(tmp_path: Path) -> None:
    with TestWeb(hosts=1, pages_per_host=40) as web:
        crawl(tmp_path, web.seeds(), limits={"new_urls_per_s": 1, "max_pages": 1})
        crawled = crawl(tmp_path, web.seeds())
        assert crawled.fetched == web.expected_urls(web.seeds())
    assert query(tmp_path, "SELECT count(*) FROM runs") == [(2,)]
