"""kill -9 at any moment, then the same command again: nothing lost, little repeated, politeness kept."""

import random
import time

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    KILLED,
    Crawler,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    count_fates,
    query,
    read_pages,
    wait_until,
)
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

SEED = 20
KILLS = 20


def kill_at_random_moments(crawler: Crawler, times: int, *, latest_s: float) -> list[float]:
    """Start and kill; returns when each process died. Ends early when a crawl is faster than its death."""
    chance = random.Random(SEED)
    deaths = []
    for turn in range(times):
        process = crawler.start()
        pause_s = chance.uniform(0.05, latest_s)
        print(f"turn {turn}: kill after {pause_s:.3f} s")
        time.sleep(pause_s)
        deaths.append(process.kill())
        if process.wait().code != KILLED:
            break
        if query_is_possible(crawler):
            assert_sound(crawler.data)
    return deaths


def query_is_possible(crawler: Crawler) -> bool:
    """The first deaths may come before the store is there."""
    return (crawler.data / "tenax.db").exists() and bool(
        query(crawler.data, "SELECT 1 FROM sqlite_master WHERE name = 'runs'")
    )


def test_twenty_kills_lose_nothing_and_repeat_little(make_crawler: MakeCrawler) -> None:
    slow = HostBehavior(delay_s=0.15)
    names = [f"h{number}.test" for number in range(20)]
    with TestWeb(
        hosts=names, pages_per_host=60, cross_host=True, behaviors=dict.fromkeys(names, slow)
    ) as web:
        crawler = make_crawler(web, "--delay", "0")
        deaths = kill_at_random_moments(crawler, KILLS, latest_s=1.7)
        assert len(deaths) == KILLS, "the crawl was over before all deaths: make it longer"
        assert count_fates(crawler.data)["queued"], "nothing was left after the last death: make it longer"
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)
        assert_repeats_are_recent(web.requests(), deaths)


def test_delay_holds_across_kills(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=4, pages_per_host=25) as web:
        crawler = make_crawler(web, "--delay", "0.25")
        deaths = kill_at_random_moments(crawler, 8, latest_s=2.0)
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)
        assert_polite(web.requests(), delay_s=0.25)
        assert_repeats_are_recent(web.requests(), deaths)


def test_successor_begins_within_two_seconds_and_not_before_the_delay(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=50) as web:
        crawler = make_crawler(web)
        waits = []
        for _ in range(4):
            asked = len(web.requests())
            process = crawler.start(TENAX_POLITENESS__JITTER="0")
            # Killed right after a request, which nobody has committed.
            wait_until(lambda asked=asked: len(web.requests()) > asked, "it asks")  # type: ignore[misc]
            waits.append(web.requests()[asked].started_at - process.started_at)
            process.kill()
        assert_polite(web.requests(), delay_s=1.0)
        assert min(waits[1:]) < 2.0, waits


def test_rest_that_a_server_asked_for_survives_a_kill(make_crawler: MakeCrawler) -> None:
    limited = HostBehavior(limited_requests=1, retry_after="4")
    with TestWeb(hosts=2, pages_per_host=20, behaviors={"h0.test": limited}) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: bool(read_backoffs(crawler)), "the rest is stored")
        process.kill()
        assert crawler.run().code == 0
        pages = [request for request in web.requests("h0.test") if request.path != "/robots.txt"]
        assert pages[1].started_at - pages[0].started_at >= 4.0
        assert_complete(crawler.data, web)


def test_long_rest_does_not_hold_up_the_end_after_a_kill(make_crawler: MakeCrawler) -> None:
    limited = HostBehavior(limited_requests=1, retry_after="3600")
    with TestWeb(hosts=2, pages_per_host=10, behaviors={"h0.test": limited}) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: bool(read_backoffs(crawler)), "the rest is stored")
        process.kill()
        ended = crawler.start().wait()
        assert (ended.code, ended.report["fates"]) == (0, {"fetched": 10, "retrying": 1})
        assert len(read_pages(crawler.data)) == 10


def read_backoffs(crawler: Crawler) -> list[tuple[float, ...]]:
    if not query_is_possible(crawler):
        return []
    return query(crawler.data, "SELECT backoff_until FROM domains WHERE backoff_until IS NOT NULL")
