"""kill -9 of a refresh, then the same command again; on both stores, with one worker and with several."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    KILLED,
    Where,
    assert_at_rest,
    assert_repeats_are_recent,
    assert_sound,
    query,
)
from tests.support.postgres import Console, fresh_database
from tests.support.running import pass_time
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

SEED = 8
DAYS_S = 10 * 86_400.0
HOSTS = [f"h{number}.test" for number in range(8)]


@pytest.fixture
def url() -> Iterator[str]:
    with fresh_database() as url:
        yield url


def slow_web() -> TestWeb:
    slow = HostBehavior(delay_s=0.1, has_validators=True)
    return TestWeb(hosts=HOSTS, pages_per_host=30, behaviors=dict.fromkeys(HOSTS, slow))


def list_unplanned(where: Where) -> list[tuple[object, ...]]:
    return query(where, "SELECT url FROM urls WHERE revisit_at IS NULL OR due_at IS NOT NULL")


def test_kills_lose_no_revisit_and_repeat_little(make_crawler: MakeCrawler) -> None:
    chance = random.Random(SEED)
    with slow_web() as web:
        crawler = make_crawler(web, "--delay", "0")
        assert crawler.run().code == 0
        pass_time(crawler.data, DAYS_S)
        asked = len(web.requests())
        again = make_crawler(web, "--delay", "0", seeds=[], command="refresh")
        deaths = []
        for _ in range(5):
            process = again.start()
            time.sleep(chance.uniform(0.3, 1.5))
            deaths.append(process.kill())
            assert process.wait().code == KILLED, "it was over before its death: make it longer"
            assert_sound(crawler.data)
        assert again.run().code == 0
        requests = [each for each in web.requests()[asked:] if each.path != "/robots.txt"]
        assert len({(each.host, each.path) for each in requests}) == 240
        assert_repeats_are_recent(requests, deaths)
        assert list_unplanned(crawler.data) == []
        assert_sound(crawler.data)
        assert_at_rest(crawler.data)


def test_several_workers_share_a_refresh_on_a_server(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=HOSTS, pages_per_host=6) as web:
        options = ("--delay", "0.02", "--store", url)
        assert make_crawler(web, *options).run().code == 0
        with closing(Console(url)) as console:
            console.execute(f"UPDATE urls SET revisit_at = revisit_at - {DAYS_S}")
            console.execute(f"UPDATE domains SET revisit_at = revisit_at - {DAYS_S}")
        asked = len(web.requests())
        ended = make_crawler(web, *options, seeds=[], command="refresh", workers=2).run()
        assert (ended.code, ended.report["changes"]) == (0, {"unchanged": 48})
        requests = [each for each in web.requests()[asked:] if each.path != "/robots.txt"]
        assert set(Counter((each.host, each.path) for each in requests).values()) == {1}
        assert len(requests) == 48
        assert list_unplanned(url) == []
        assert_sound(url)
        assert_at_rest(url)
