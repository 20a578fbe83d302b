"""The network from a worker to its store, its Redis or its web is cut or slow: nothing is lost or hurried."""

import time
from pathlib import Path

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import UNCOMMITTED_S, wait_until
from tests.support.invariants import assert_whole, list_held, list_visits
from tests.support.network import Network, lead
from tests.support.redis_server import RedisServer
from tests.support.site import HostBehavior
from tests.support.web import TestWeb

LEASE_S = 2.0
LEASE = {"TENAX_WORKER__LEASE_S": str(LEASE_S)}
# A worker may be cut off in the middle of a transaction: its rows must be free when its lease ends. The other
# one sees to it if that was in the middle of a statement.
IMPATIENT = "idle_in_transaction_session_timeout=1s"
DELAY_S = 0.25


def test_a_worker_that_was_cut_off_from_its_store_for_two_leases_writes_nothing_stale(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    """What it sends meanwhile arrives late, when others have its domains."""
    with Network() as network, TestWeb(hosts=4, pages_per_host=30, cross_host=True) as web:
        cut_off, other = (
            make_crawler(
                web, "--delay", str(DELAY_S), "--store", store, "--user-agent", name, data=tmp_path / name
            ).start(**LEASE)
            for name, store in (
                ("cut off", f"{lead(url, network)}?{IMPATIENT}"),
                ("other", f"{url}?{IMPATIENT}"),
            )
        )
        wait_until(lambda: len({each.user_agent for each in web.requests()}) == 2, "both work")
        network.hold()
        held_at = time.time()
        time.sleep(2 * LEASE_S)
        wait_until(lambda: not list_held(url, [cut_off.pid]), "the other has taken over")
        stored = list_visits(url, cut_off.pid, held_at + LEASE_S)
        network.resume()
        ends = [process.wait() for process in (cut_off, other)]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert list_visits(url, cut_off.pid, held_at + LEASE_S) == stored, "it wrote without a lease"
        assert_whole(
            url, web, delay_s=DELAY_S, losses=[held_at + LEASE_S], uncommitted_s=LEASE_S + UNCOMMITTED_S
        )


def test_a_store_that_is_far_away_makes_a_crawl_slow_and_nothing_else(
    url: str, make_crawler: MakeCrawler
) -> None:
    with Network(latency_s=0.02) as network, TestWeb(hosts=4, pages_per_host=6, cross_host=True) as web:
        crawler = make_crawler(web, "--delay", "0.1", "--store", lead(url, network), workers=2)
        ended = crawler.run()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=0.1)


def test_a_redis_that_is_cut_off_and_comes_back_costs_nothing(url: str, make_crawler: MakeCrawler) -> None:
    """One host keeps the crawl busy until Redis is back for good."""
    with (
        RedisServer() as redis,
        Network(redis.port) as network,
        TestWeb(
            hosts=6, pages_per_host=15, cross_host=True, behaviors={"h0.test": HostBehavior(delay_s=2)}
        ) as web,
    ):
        way = f"redis://127.0.0.1:{network.port}/0"
        options = ("--delay", str(DELAY_S), "--store", url, "--redis", way, "--scope", "any")
        process = make_crawler(web, *options, workers=2).start()
        wait_until(lambda: redis.ask("KEYS", "tenax:*:seen:*"), "the filter is in use")
        for lose, bring_back in ((network.cut, network.mend), (network.hold, network.resume)):
            lose()
            time.sleep(1.5)
            redis.ask("FLUSHALL")
            bring_back()
            wait_until(lambda: redis.ask("KEYS", "tenax:*:run:*"), "they report again")
        web.set_behavior("h0.test", HostBehavior())
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=DELAY_S)


def test_a_web_that_is_cut_off_past_the_lease_is_asked_again(url: str, make_crawler: MakeCrawler) -> None:
    patient = {"TENAX_RETRY__ATTEMPTS": "9", "TENAX_BREAKER__OPEN_S": "1", "TENAX_BREAKER__TRIPS": "9"}
    with (
        Network() as network,
        TestWeb(hosts=4, pages_per_host=15, cross_host=True, network=network) as web,
    ):
        crawler = make_crawler(web, "--delay", str(DELAY_S), "--store", url, workers=2)
        process = crawler.start(**LEASE, **patient, TENAX_FETCH__TIMEOUT_S="1")
        wait_until(lambda: len(web.requests()) > 15, "it works")
        network.cut()
        cut_at = time.time()
        time.sleep(1.5 * LEASE_S)
        network.mend()
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=DELAY_S, losses=[cut_at])
