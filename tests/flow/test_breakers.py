"""A service that fails while a crawl goes on: its breaker is seen to open, and to close when it is back."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from tenax.stores.layout import METRICS_NAME
from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import assert_asked_once, assert_complete, query, wait_until
from tests.support.redis_server import RedisServer
from tests.support.servers import PostgresServer
from tests.support.web import TestWeb

BACK_S = 10.0


def count_open(data: Path, service: str) -> float | None:
    """As the metrics say."""
    path = data / METRICS_NAME
    text = path.read_text() if path.exists() else ""
    found = re.search(rf'crawler_breakers_open{{service="{service}"}} (.+)', text)
    return float(found[1]) if found else None


def count_working(url: str) -> int:
    ((number,),) = query(url, "SELECT count(*) FROM workers WHERE ended_at IS NULL")
    return int(number)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_breaker_of_the_store_opens_and_closes(
    server: PostgresServer, make_crawler: MakeCrawler, workers: int
) -> None:
    with TestWeb(hosts=4, pages_per_host=25) as web:
        crawler = make_crawler(web, "--delay", "0.3", "--store", server.url, workers=workers)
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 20 and count_open(crawler.data, "store") == 0.0, "it works")
        wait_until(lambda: count_working(server.url) == workers, "all of them work")
        server.stop_at_once()
        wait_until(lambda: count_open(crawler.data, "store") == workers, "it is open", 40)
        assert "waiting: " in process.stderr
        ended = run_tenax("status", "--store", server.url, "--data", crawler.data)
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1)
        asked = len(web.requests())
        server.start()
        wait_until(lambda: len(web.requests()) > asked, "it goes on")
        wait_until(lambda: count_open(crawler.data, "store") == 0.0, "it is closed")
        assert process.wait().code == 0
        assert_asked_once(web.requests())
        assert_complete(server.url, web)


def test_a_worker_that_cannot_begin_while_the_store_is_away_begins_later(
    server: PostgresServer, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=4, pages_per_host=20) as web:
        crawler = make_crawler(web, "--delay", "0.3", "--store", server.url, workers=2)
        process = crawler.start()
        wait_until(lambda: count_working(server.url) == 2, "both work")
        server.stop_at_once()
        workers = process.list_workers()
        os.kill(workers[-1], signal.SIGKILL)
        wait_until(lambda: set(process.list_workers()) - set(workers), "another one takes over")
        wait_until(lambda: process.list_workers() == workers[:1], "it has failed")
        server.start()
        wait_until(lambda: len(process.list_workers()) == 2, "there are two again")
        assert process.wait().code == 0
        assert_complete(server.url, web)


def test_the_breaker_of_redis_opens_and_closes(make_crawler: MakeCrawler) -> None:
    with RedisServer() as redis, TestWeb(hosts=2, pages_per_host=60) as web:
        crawler = make_crawler(web, "--delay", "0.5", "--redis", redis.url, workers=2)
        process = crawler.start()
        wait_until(lambda: len(process.list_workers()) == 2, "there are two workers")
        redis.kill()
        wait_until(lambda: find_redis(crawler.data)["count"] == 2, "both say so")
        found = find_redis(crawler.data)
        assert (found["state"], found["retry_at"] is not None) == ("open", True)
        shown = run_tenax("workers", "--data", crawler.data).out
        assert shown.count(f"Redis at 127.0.0.1:{redis.port} does not answer") == 2
        redis.start()
        wait_until(lambda: find_redis(crawler.data)["state"] == "closed", "it is back", BACK_S + 2)


def find_redis(data: Path) -> dict[str, Any]:
    found = json.loads(run_tenax("status", "--data", data, "--json").out)["breakers"]
    return next(each for each in found if each["service"] == "redis")
