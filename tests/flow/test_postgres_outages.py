"""PostgreSQL crashes, ends sessions or hangs during a crawl: it says so, goes on and loses nothing."""

import signal
import time
from contextlib import closing

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import wait_until
from tests.support.invariants import assert_whole
from tests.support.postgres import Console
from tests.support.servers import PostgresServer
from tests.support.web import TestWeb

DELAY_S = 0.2
QUICK = ("--delay", str(DELAY_S))
BACK_S = 5.0
BUSY_S = 15.0  # that a loaded machine may add to what is promised
END_SESSIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name LIKE 'tenax %'"
)


def wait_until_back(web: TestWeb, back_at: float) -> None:
    """Until it asks again after that instant, which is promised to be soon."""
    wait_until(lambda: web.requests()[-1].started_at > back_at, "it goes on", BACK_S + BUSY_S)


def test_crashes_of_the_server_lose_and_double_nothing(
    server: PostgresServer, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=10, pages_per_host=30, cross_host=True) as web:
        process = make_crawler(web, *QUICK, "--store", server.url, workers=2).start()
        wait_until(lambda: len(web.requests()) > 20, "it works")
        for absent_s in (0.0, 0.5):
            server.stop_at_once()
            time.sleep(absent_s)
            server.start()
            wait_until_back(web, time.time())
            time.sleep(0.5)
        server.stop_at_once()
        wait_until(lambda: "does not answer" in process.stderr, "it says what it waits for", 10)
        server.start()
        wait_until_back(web, time.time())
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(server.url, web, delay_s=DELAY_S)


def test_sessions_that_are_ended_again_and_again_cost_nothing(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=10, pages_per_host=20, cross_host=True) as web, closing(Console(url)) as console:
        process = make_crawler(web, *QUICK, "--store", url, workers=2).start()
        wait_until(lambda: len(web.requests()) > 10, "it works")
        while process.is_running:
            console.query(END_SESSIONS)
            time.sleep(0.7)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=DELAY_S)


def test_a_server_that_hangs_is_waited_for_and_named(
    server: PostgresServer, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=6, pages_per_host=20, cross_host=True) as web:
        process = make_crawler(web, *QUICK, "--store", server.url).start()
        wait_until(lambda: len(web.requests()) > 20, "it works")
        server.send_all(signal.SIGSTOP)
        wait_until(lambda: "has not answered for" in process.stderr, "it says what it waits for", 15)
        server.send_all(signal.SIGCONT)
        wait_until_back(web, time.time())
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(server.url, web, delay_s=DELAY_S)


def test_transactions_of_others_are_survived_and_whoever_holds_the_crawl_up_is_named(
    url: str, make_crawler: MakeCrawler
) -> None:
    with (
        TestWeb(hosts=5, pages_per_host=20, cross_host=True) as web,
        closing(Console(url)) as idle,
        closing(Console(url)) as reader,
        closing(Console(url)) as locker,
    ):
        idle.execute("BEGIN")
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM urls")
        process = make_crawler(web, *QUICK, "--store", url, workers=2).start()
        wait_until(lambda: len(web.requests()) > 20, "it works")
        locker.execute("BEGIN")
        assert locker.query("SELECT 1 FROM domains WHERE name LIKE 'h0.%' FOR UPDATE") == [(1,)]
        wait_until(lambda: "has locked rows that the crawl must write" in process.stderr, "it says who", 20)
        locker.execute("ROLLBACK")
        wait_until_back(web, time.time())
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_whole(url, web, delay_s=DELAY_S)
