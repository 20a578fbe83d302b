"""Crawls into PostgreSQL: everything once, politely, also when workers, sessions or the server die."""

import random
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    KILLED,
    assert_asked_once,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    query,
    wait_until,
)
from tests.support.postgres import Console, fresh_database
from tests.support.servers import PostgresServer
from tests.support.web import TestWeb, assert_polite

SHARED = ("--concurrency", "2", "--delay", "0.1")
UNCOMMITTED_S = 2.0
END_SESSIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND application_name LIKE 'tenax %'"
)


@pytest.fixture
def url() -> Iterator[str]:
    with fresh_database() as url:
        yield url


def test_a_crawl_is_complete_and_asks_once(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=10, pages_per_host=10, cross_host=True) as web:
        crawler = make_crawler(web, "--store", url, "--delay", "0.02")
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_complete(url, web)
        assert crawler.run().report["requests"] == 0, "everything is done"


def test_two_processes_fetch_every_page_once(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=40, pages_per_host=6, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED, "--store", url)
        ends = [
            process.wait() for process in [crawler.start("--user-agent", name) for name in ("one", "two")]
        ]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.1)
        assert {request.user_agent for request in web.requests()} == {"one", "two"}, "only one of them worked"
        assert_complete(url, web)


def test_kills_lose_nothing_and_the_delay_holds(url: str, make_crawler: MakeCrawler) -> None:
    dice = random.Random(4)
    deaths = []
    with TestWeb(hosts=4, pages_per_host=25) as web:
        crawler = make_crawler(web, "--store", url, "--delay", "0.25")
        for _ in range(6):
            process = crawler.start()
            time.sleep(dice.uniform(0.3, 2.0))
            deaths.append(process.kill())
            if process.wait().code != KILLED:
                break
            assert_sound(url)
        assert crawler.run().code == 0
        assert_complete(url, web)
        assert_polite(web.requests(), delay_s=0.25)
        assert_repeats_are_recent(web.requests(), deaths, UNCOMMITTED_S)


def test_a_worker_of_this_machine_that_was_killed_is_replaced_at_once(
    url: str, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=1, pages_per_host=6) as web:
        crawler = make_crawler(web, "--store", url, "--delay", "0.2")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 2, "it asks")
        process.kill()
        asked = len(web.requests())
        heir = crawler.start()
        wait_until(lambda: len(web.requests()) > asked, "the next one asks", 10)
        assert web.requests()[asked].started_at - heir.started_at < 5, "it waited for the lease to expire"
        assert heir.wait().code == 0


def test_a_worker_of_another_machine_that_was_killed_is_replaced_when_its_lease_ends(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    lease = {"TENAX_WORKER__LEASE_S": "2"}
    with TestWeb(hosts=1, pages_per_host=6) as web:
        far = make_crawler(web, "--store", url, "--delay", "0.2", data=tmp_path / "far")
        near = make_crawler(web, "--store", url, "--delay", "0.2", data=tmp_path / "near")
        process = far.start(**lease)
        wait_until(lambda: len(web.requests()) > 2, "it asks")
        process.kill()
        assert near.start(**lease).wait(30).code == 0
        assert_polite(web.requests(), delay_s=0.2)
        assert_sound(url)


def test_a_process_that_slept_past_its_lease_writes_nothing_stale(
    url: str, make_crawler: MakeCrawler
) -> None:
    lease = {"TENAX_WORKER__LEASE_S": "2"}
    with TestWeb(hosts=1, pages_per_host=15) as web:
        crawler = make_crawler(web, "--store", url, "--delay", "0.3")
        sleeper = crawler.start("--user-agent", "sleeper", **lease)
        wait_until(lambda: len(web.requests()) >= 4 and has_just_answered(web), "the sleeper rests")
        sleeper.send(signal.SIGSTOP)
        other = crawler.start("--user-agent", "other", **lease)
        wait_until(lambda: "other" in {each.user_agent for each in web.requests()}, "the other takes over")
        sleeper.send(signal.SIGCONT)
        assert [process.wait().code for process in (sleeper, other)] == [0, 0]
        assert_polite(web.requests(), delay_s=0.3)
        assert_complete(url, web)


def has_just_answered(web: TestWeb) -> bool:
    last = web.requests()[-1]
    return last.ended_at is not None and time.time() - last.ended_at < 0.1


def test_sessions_that_are_ended_again_and_again_cost_nothing(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=10, pages_per_host=20) as web, closing(Console(url)) as console:
        crawler = make_crawler(web, "--store", url, "--delay", "0.2")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 10, "it works")
        while process.is_running:
            console.query(END_SESSIONS)
            time.sleep(0.7)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_asked_once(web.requests())
        assert_complete(url, web)


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    """One that keeps what it has committed when it crashes."""
    server = PostgresServer("fsync=off")
    server.start()
    migrate(Place(folder=Path("/nowhere"), url=server.url))
    yield server
    server.close()


def test_crashes_of_the_server_lose_and_double_nothing(
    server: PostgresServer, make_crawler: MakeCrawler
) -> None:
    with TestWeb(hosts=10, pages_per_host=30) as web:
        crawler = make_crawler(web, "--store", server.url, "--delay", "0.2")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 10, "it works")
        for _ in range(3):
            server.stop_at_once()
            time.sleep(0.5)
            server.start()
            asked = len(web.requests())
            wait_until(lambda asked=asked: len(web.requests()) > asked + 5, "it goes on", 10)  # type: ignore[misc]
            time.sleep(0.5)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.2)
        assert_complete(server.url, web)


def test_eight_processes_share_the_work(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=60, pages_per_host=5, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED, "--store", url)
        processes = [crawler.start("--user-agent", f"w{number}") for number in range(8)]
        assert [process.wait(120).code for process in processes] == [0] * 8
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.1)
        assert_complete(url, web)
        assert query(url, "SELECT DISTINCT state FROM runs") == [("done",)]
