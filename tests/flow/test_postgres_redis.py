"""PostgreSQL keeps the crawl and Redis what may be lost: together they lose nothing either."""

import time
from collections.abc import Callable

from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import query, read_pages, wait_until
from tests.support.invariants import assert_whole
from tests.support.redis_server import RedisServer
from tests.support.web import TestWeb

BACK_S = 10.0
SHARED = ("--concurrency", "2", "--delay", "0.1", "--scope", "any")


def test_workers_whose_redis_is_killed_fetch_every_page_once(url: str, make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, TestWeb(hosts=30, pages_per_host=25, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED, "--store", url, "--redis", redis.url, workers=2)
        process = crawler.start()
        wait_until(lambda: redis.ask("KEYS", "tenax:*:seen:*"), "the filter is in use")
        wait_until(lambda: len(process.list_workers()) == 2, "there are two workers")
        redis.kill()
        assert len(read_pages(url)) < len(web.expected_urls()), "the web was too small"
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=0.1)


def test_a_redis_that_is_flushed_killed_silent_and_evicting_is_back_within_ten_seconds(
    url: str, make_crawler: MakeCrawler
) -> None:
    with RedisServer() as redis, TestWeb(hosts=12, pages_per_host=40, cross_host=True) as web:
        options = ("--delay", "0.25", "--scope", "any", "--store", url, "--redis", redis.url)
        process = make_crawler(web, *options, workers=2).start()
        wait_until(lambda: has_reports(redis), "they report")
        troubles: tuple[tuple[Callable[[], object], Callable[[], object]], ...] = (
            (lambda: redis.ask("FLUSHALL"), lambda: None),
            (redis.kill, redis.start),
            (redis.pause, redis.resume),
            (lambda: limit_memory(redis, "1mb"), lambda: limit_memory(redis, "0")),
        )
        for go, come in troubles:
            go()
            time.sleep(1.0)
            come()
            redis.ask("FLUSHALL")
            wait_until(lambda: has_reports(redis) or not process.is_running, "they report again", BACK_S)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=0.25)


def has_reports(redis: RedisServer) -> bool:
    return bool(redis.ask("KEYS", "tenax:*:run:*"))


def limit_memory(redis: RedisServer, limit: str) -> None:
    redis.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-random", "maxmemory", limit)


def test_status_finds_the_reports_of_the_workers(url: str, make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, TestWeb(hosts=30, pages_per_host=8) as web:
        crawler = make_crawler(web, "--delay", "1", "--store", url, "--redis", redis.url, workers=2)
        crawler.start()
        asked = ("status", "--store", url, "--data", crawler.data)
        wait_until(lambda: "reachable, 2 workers at" in run_tenax(*asked).out, "seen")


def test_a_filter_of_a_crawl_that_was_deleted_hides_nothing_from_the_next(
    url: str, make_crawler: MakeCrawler
) -> None:
    with RedisServer() as redis, TestWeb(hosts=5, pages_per_host=3, cross_host=True) as web:
        seeds = web.seeds()[:1]
        options = ("--delay", "0", "--scope", "any", "--store", url, "--redis", redis.url)
        crawler = make_crawler(web, *options, seeds=seeds)
        assert crawler.run().code == 0
        assert crawler.run("--fresh").code == 0
        assert set(read_pages(url)) == web.expected_urls(seeds)


def test_rebuild_seen_fills_the_filter_that_workers_use(url: str, make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, TestWeb(hosts=5, pages_per_host=3, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED, "--store", url, "--redis", redis.url)
        assert crawler.run().code == 0
        used = set(redis.ask("KEYS", "tenax:*:seen:*"))
        redis.ask("FLUSHALL")
        ended = run_tenax("rebuild-seen", "--store", url, "--redis", redis.url)
        ((known,),) = query(url, "SELECT count(*) FROM urls")
        assert (ended.code, ended.out) == (0, f"The seen filter knows {known} urls.\n")
        assert used <= set(redis.ask("KEYS", "tenax:*:seen:*"))
