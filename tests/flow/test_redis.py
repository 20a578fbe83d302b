"""Redis flushed, killed, silent or evicting in the middle of a crawl: it goes on and loses nothing."""

import asyncio
import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest
import uvloop

from tenax.crawl.engine import Engine
from tenax.failpoints import EXIT_CODE
from tenax.runtime.engine import open_engine
from tenax.stores.layout import METRICS_NAME
from tenax.stores.place import Place
from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import Crawler, assert_asked_once, assert_complete, read_pages, wait_until
from tests.support.invariants import assert_whole
from tests.support.redis_server import RedisServer
from tests.support.running import build_settings
from tests.support.web import TestWeb

DELAY_S = 0.1
# Few slots: a worker leaves domains to the other one.
SHARED = ("--concurrency", "2", "--delay", str(DELAY_S), "--scope", "any")
BACK_S = 10.0


def make_web(pages_per_host: int = 8) -> TestWeb:
    return TestWeb(hosts=30, pages_per_host=pages_per_host, cross_host=True)


@contextmanager
def in_background(act: Callable[[], object], every_s: float) -> Iterator[None]:
    over = Event()

    def repeat() -> None:
        while not over.wait(every_s):
            act()

    thread = Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def crawl_with_two(crawler: Crawler, web: TestWeb) -> None:
    ends = [process.wait() for process in [crawler.start(), crawler.start()]]
    assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
    assert_whole(crawler.data, web, delay_s=DELAY_S)


def count_reported_pages(redis: RedisServer) -> list[int]:
    """Of each worker."""
    (reports,) = redis.ask("KEYS", "tenax:*:run:1")
    return [json.loads(report)["pages"] for report in redis.ask("HVALS", reports.decode())]


def read_all(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_two_processes_with_a_redis_fetch_every_page_once(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, make_web() as web:
        crawl_with_two(make_crawler(web, *SHARED, "--redis", redis.url), web)
        counted = count_reported_pages(redis)
        assert (len(counted), sum(counted)) == (2, len(web.expected_urls()))
        assert redis.ask("KEYS", "tenax:*:events")
        assert redis.ask("KEYS", "tenax:*:seen:*")


@pytest.mark.parametrize("point", ["settle.before:2", "commit.before:5", "commit.after:5", "settle.after:2"])
def test_death_before_or_after_a_commit_leaves_no_url_behind(make_crawler: MakeCrawler, point: str) -> None:
    with RedisServer() as redis, make_web(3) as web:
        seeds = web.seeds()[:1]
        crawler = make_crawler(web, "--delay", "0", "--scope", "any", "--redis", redis.url, seeds=seeds)
        small = {"TENAX_WORKER__BATCH_PAGES": "4"}
        assert crawler.run(**small, TENAX_FAILPOINT=point).code == EXIT_CODE
        assert crawler.run(**small).code == 0
        assert set(read_pages(crawler.data)) == web.expected_urls(seeds)


def test_flushing_redis_again_and_again_loses_nothing(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, make_web() as web, in_background(lambda: redis.ask("FLUSHALL"), 0.2):
        crawl_with_two(make_crawler(web, *SHARED, "--redis", redis.url), web)


@pytest.mark.parametrize("policy", ["allkeys-random", "volatile-ttl", "noeviction"])
def test_a_redis_without_memory_loses_nothing(make_crawler: MakeCrawler, policy: str) -> None:
    limits = ("--maxmemory", "1100kb", "--maxmemory-policy", policy)
    with RedisServer(*limits) as redis, make_web(4) as web:
        crawl_with_two(make_crawler(web, *SHARED, "--redis", redis.url), web)


def test_a_crawl_without_the_redis_it_was_promised_says_so(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=8) as web:
        crawler = make_crawler(web, "--delay", "1", "--redis", "redis://:hush@127.0.0.1:1/0")
        ended = crawler.run()
        assert ended.code == 0
        assert "notice: Redis at 127.0.0.1:1 does not answer" in ended.stderr
        assert "hush" not in ended.stderr
        assert 'crawler_service_trouble{service="redis"} 1.0' in (crawler.data / METRICS_NAME).read_text()
        assert_complete(crawler.data, web)
        assert b"hush" not in read_all(crawler.data)


def test_the_robots_txt_of_an_earlier_crawl_spares_a_request(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with RedisServer() as redis, TestWeb(hosts=3, pages_per_host=2) as web:
        for name in ("first", "second"):
            crawler = make_crawler(web, "--delay", "0", "--redis", redis.url, data=tmp_path / name)
            assert crawler.run().code == 0
            assert_complete(crawler.data, web)
        assert [request.path for request in web.requests()].count("/robots.txt") == 3


def test_a_filter_of_a_store_that_is_gone_hides_nothing_from_the_next(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, make_web(3) as web:
        seeds = web.seeds()[:1]
        crawler = make_crawler(web, "--delay", "0", "--scope", "any", "--redis", redis.url, seeds=seeds)
        assert crawler.run().code == 0
        assert crawler.run("--fresh").code == 0
        assert set(read_pages(crawler.data)) == web.expected_urls(seeds)


def test_a_copy_of_a_store_goes_its_own_way(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with RedisServer() as redis, make_web(3) as web:
        seeds = web.seeds()[:1]
        options = ("--delay", "0", "--scope", "any", "--redis", redis.url)
        original = make_crawler(web, *options, seeds=seeds)
        assert original.run("--max-pages", "1").code == 0
        shutil.copytree(original.data, tmp_path / "copy")
        copy = make_crawler(web, *options, seeds=seeds, data=tmp_path / "copy")
        for crawler in (original, copy):
            assert crawler.run().code == 0
            assert set(read_pages(crawler.data)) == web.expected_urls(seeds)


# --- several workers under one supervisor ------------------------------------------------------------


def read_trouble(data: Path) -> str | None:
    """The value of the metric, as it was last written."""
    path = data / METRICS_NAME
    found = re.search(r'service_trouble{service="redis"} (.+)', path.read_text() if path.exists() else "")
    return found[1] if found else None


def test_each_worker_process_knows_the_password_and_reports_its_own_part(make_crawler: MakeCrawler) -> None:
    with RedisServer(password="hush") as redis, make_web() as web:
        crawler = make_crawler(web, *SHARED, workers=2)
        ended = crawler.run(TENAX_REDIS__URL=redis.url)
        assert ended.code == 0, ended.stderr
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)
        counted = count_reported_pages(redis)
        assert (len(counted), sum(counted)) == (2, len(web.expected_urls()))
        assert all(counted)
        assert b"hush" not in read_all(crawler.data)


def test_status_adds_up_what_worker_processes_report(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, make_web() as web:
        crawler = make_crawler(web, "--delay", "1", "--redis", redis.url, workers=2)
        crawler.start()
        wait_until(
            lambda: "reachable, 2 workers at" in run_tenax("status", "--data", crawler.data).out, "seen"
        )


def test_worker_processes_notice_that_redis_goes_and_comes(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, TestWeb(hosts=2, pages_per_host=60) as web:
        crawler = make_crawler(web, "--delay", "0.5", "--redis", redis.url, workers=2)
        process = crawler.start()
        wait_until(lambda: len(process.list_workers()) == 2, "there are two workers")
        redis.kill()
        wait_until(lambda: read_trouble(crawler.data) == "1.0", "the metric tells of it")
        wait_until(lambda: f"notice: Redis at 127.0.0.1:{redis.port}" in process.stderr, "it is shown")
        redis.start()
        # Metrics are written every 5 s.
        wait_until(lambda: read_trouble(crawler.data) == "0.0", "the metric tells of it", BACK_S + 6)
        process.send(signal.SIGTERM)
        process.wait()
        assert crawler.run("--delay", "0").code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)


# --- absent for a while ------------------------------------------------------------------------------


async def wait_for_notice(engine: Engine, is_wanted: bool, timeout_s: float) -> None:
    async with asyncio.timeout(timeout_s):
        while ((await engine.look(at_store=False)).notice is not None) is not is_wanted:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def crawl_through(
    data: Path, web: TestWeb, redis: RedisServer, go: Callable[[], None], come: Callable[[], None]
) -> None:
    """Crawl while Redis goes and comes back; the crawl is stopped when it has."""
    settings = build_settings(
        politeness={"delay_s": 0.2}, scope={"kind": "any"}, redis={"url": redis.url}, worker={"batch_s": 0.1}
    )
    async with open_engine(Place(folder=data), settings) as engine:
        crawl = asyncio.create_task(engine.crawl(web.seeds()))
        await asyncio.sleep(1)
        before = engine.tally.pages
        go()
        await wait_for_notice(engine, True, BACK_S)
        await asyncio.sleep(1)
        assert engine.tally.pages > before, "the crawl stood still"
        come()
        await wait_for_notice(engine, False, BACK_S)
        assert not crawl.done(), "the web was too small"
        await crawl


@pytest.mark.parametrize("fault", ["killed", "silent"])
def test_a_redis_that_goes_and_comes_is_noticed_within_ten_seconds(tmp_path: Path, fault: str) -> None:
    with RedisServer() as redis, TestWeb(hosts=5, pages_per_host=60, cross_host=True) as web:
        acts = {"killed": (redis.kill, redis.start), "silent": (redis.pause, redis.resume)}
        uvloop.run(crawl_through(tmp_path, web, redis, *acts[fault]))
        assert_whole(tmp_path, web, delay_s=0.2)
