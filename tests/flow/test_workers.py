"""One crawl in several worker processes: everything once, politely, whoever of them dies."""

import json
import os
import signal
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import (
    Crawler,
    Ended,
    Process,
    assert_asked_once,
    assert_at_rest,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    is_interrupted,
    query,
    read_pages,
    wait_until,
)
from tests.support.processes import is_running
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

WORKERS = 3
DELAY_S = 0.1
POLITE = ("--delay", str(DELAY_S))
DEADLY_PATH = "/p/3.html"


def count_pages_by_worker(data: Path) -> Counter[int]:
    rows = query(data, "SELECT worker_id, count(*) FROM visits WHERE outcome = 'fetched' GROUP BY worker_id")
    return Counter(dict(rows))


def wait_for_workers(process: Process, count: int = WORKERS) -> list[int]:
    wait_until(lambda: len(process.list_workers()) == count, f"{count} workers are there")
    return process.list_workers()


def kill(pid: int) -> float:
    """kill -9 of a worker; returns when its supervisor has buried it."""
    os.kill(pid, signal.SIGKILL)
    wait_until_gone([pid])
    return time.time()


def wait_until_gone(pids: list[int]) -> None:
    wait_until(lambda: not any(map(is_running, pids)), "the workers are gone")


# --- a crawl without trouble ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    web: TestWeb
    data: Path
    ended: Ended


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    data = tmp_path_factory.mktemp("workers") / "data"
    with TestWeb(hosts=30, pages_per_host=12, cross_host=True) as web:
        crawler = Crawler(data, web, *POLITE, workers=WORKERS)
        yield Crawled(web=web, data=data, ended=crawler.run())
        crawler.close()


class TestThreeWorkers:
    def test_every_page_is_fetched_once(self, crawled: Crawled) -> None:
        assert crawled.ended.code == 0, crawled.ended.stderr
        assert_asked_once(crawled.web.requests())
        assert_complete(crawled.data, crawled.web)

    def test_politeness_holds_across_workers(self, crawled: Crawled) -> None:
        assert_polite(crawled.web.requests(), delay_s=DELAY_S)

    def test_each_does_a_fair_part(self, crawled: Crawled) -> None:
        parts = count_pages_by_worker(crawled.data)
        assert len(parts) == WORKERS
        assert min(parts.values()) > 0.5 * parts.total() / WORKERS, parts

    def test_the_report_adds_them_up(self, crawled: Crawled) -> None:
        report = crawled.ended.report
        assert (report["workers"], report["state"]) == (WORKERS, "done")
        assert report["pages"] == report["pages_stored"] == len(crawled.web.expected_urls())
        assert report["requests"] == len(crawled.web.requests())

    def test_they_are_one_run(self, crawled: Crawled) -> None:
        assert query(crawled.data, "SELECT state, pages FROM runs") == [
            ("done", len(crawled.web.expected_urls()))
        ]


def test_domains_found_later_bring_more_workers(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=6, pages_per_host=10, cross_host=True) as web:
        crawler = make_crawler(web, *POLITE, "--scope", "any", seeds=web.seeds()[:1], workers=2)
        ended = crawler.run()
        assert (ended.code, ended.report["workers"]) == (0, 2)
        assert_complete(crawler.data, web)


def test_domains_move_to_a_worker_that_has_none(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=8, pages_per_host=60) as web:
        crawler = make_crawler(web, *POLITE)
        first = crawler.start("--user-agent", "first")
        wait_until(lambda: len({request.host for request in web.requests()}) == 8, "the first has them all")
        second = crawler.start("--user-agent", "second")
        assert (first.wait().code, second.wait().code) == (0, 0)
        parts = Counter(request.user_agent for request in web.requests())
        assert parts["second"] > 0.25 * parts.total(), parts
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_complete(crawler.data, web)


def test_status_shows_active_workers(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=6, pages_per_host=40) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        workers = wait_for_workers(crawler.start(), 2)
        wait_until(lambda: len(web.requests()) > 20, "they work")
        found = json.loads(run_tenax("status", "--data", crawler.data, "--json").out)
        assert sorted(worker["pid"] for worker in found["workers"]) == workers
        assert [worker["domains"] for worker in found["workers"]] == [3, 3]


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 10, 57])
def test_the_page_limit_is_exact(make_crawler: MakeCrawler, limit: int) -> None:
    with TestWeb(hosts=12, pages_per_host=10) as web:
        crawler = make_crawler(web, "--delay", "0", "--max-pages", str(limit), workers=WORKERS)
        ended = crawler.run()
        assert (ended.code, ended.report["state"], ended.report["pages"]) == (0, "budget", limit)
        assert len(read_pages(crawler.data)) == limit
        assert query(crawler.data, "SELECT state, pages FROM runs") == [("budget", limit)]
        assert_at_rest(crawler.data)


def test_the_page_limit_is_exact_although_a_worker_dies(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=12, pages_per_host=20) as web:
        crawler = make_crawler(web, *POLITE, "--max-pages", "150", workers=WORKERS)
        process = crawler.start()
        victim = wait_for_workers(process)[1]
        wait_until(lambda: len(web.requests()) > 60, "they work")
        os.kill(victim, signal.SIGKILL)
        ended = process.wait()
        assert (ended.code, ended.report["state"]) == (0, "budget")
        assert len(read_pages(crawler.data)) == 150
        assert_sound(crawler.data)
        assert_at_rest(crawler.data)


def test_the_page_limit_is_exact_for_processes_of_their_own(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=12, pages_per_host=20) as web:
        # So slow that the second one comes before the first one is done.
        crawler = make_crawler(web, "--delay", "0.4", "--max-pages", "100")
        ends = [process.wait() for process in [crawler.start(), crawler.start()]]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert len(read_pages(crawler.data)) == 100


# --- deaths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(WORKERS))
def test_a_killed_worker_is_replaced_and_nothing_is_lost(make_crawler: MakeCrawler, number: int) -> None:
    with TestWeb(hosts=12, pages_per_host=25) as web:
        crawler = make_crawler(web, *POLITE, workers=WORKERS)
        process = crawler.start()
        victim = wait_for_workers(process)[number]
        wait_until(lambda: len(web.requests()) > 80, "they work")
        died_at = kill(victim)
        wait_until(lambda: len(set(process.list_workers()) - {victim}) == WORKERS, "it is replaced")
        ended = process.wait()
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        assert f"Worker process {victim} died (SIGKILL); starting a replacement." in ended.stderr
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_repeats_are_recent(web.requests(), [died_at])
        assert_complete(crawler.data, web)


def test_a_page_that_kills_its_reader_is_quarantined_while_the_crawl_continues(
    make_crawler: MakeCrawler,
) -> None:
    with TestWeb(hosts=2, pages_per_host=20) as web:
        crawler = make_crawler(web, "--delay", "0.02", workers=2)
        ended = crawler.run(TENAX_FAILPOINT=f"read@{DEADLY_PATH}")
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        deadly = {web.url(host, DEADLY_PATH) for host in web.hosts}
        fates = query(crawler.data, "SELECT url, reason FROM urls WHERE fate = 'quarantined'")
        assert {url for url, _ in fates} == deadly
        assert set(read_pages(crawler.data)) == web.expected_urls() - deadly
        assert_sound(crawler.data)
        assert_at_rest(crawler.data)


def test_workers_that_keep_dying_are_given_up(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=5) as web:
        crawler = make_crawler(web, workers=2)
        process = crawler.start(TENAX_FAILPOINT="claim.before")
        ended = process.wait()
        assert (ended.code, ended.stdout) == (1, "")
        last_words = ended.stderr.splitlines()[-1]
        assert last_words.startswith(
            "tenax: Workers died 5 times in a row before fetching a page, the last with exit code 137."
        )
        assert ended.stderr.count("starting a replacement") <= 8
        assert crawler.run("--delay", "0").code == 0
        assert_complete(crawler.data, web)


def test_a_death_while_the_run_is_opened_is_survived(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=4, pages_per_host=5) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        process = crawler.start()
        (first,) = wait_for_workers(process, 1)
        os.kill(first, signal.SIGKILL)
        assert process.wait().code == 0
        assert_complete(crawler.data, web)


def test_workers_end_when_their_supervisor_is_killed_and_the_run_waits(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=12, pages_per_host=40) as web:
        crawler = make_crawler(web, *POLITE, workers=WORKERS)
        process = crawler.start()
        workers = wait_for_workers(process)
        wait_until(lambda: len(web.requests()) > 60, "they work")
        process.send(signal.SIGKILL)
        wait_until_gone(workers)
        assert_sound(crawler.data)
        assert query(crawler.data, "SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
        assert query(crawler.data, "SELECT state FROM runs") == [("running",)]
        assert crawler.run().code == 0
        assert query(crawler.data, "SELECT state FROM runs") == [("done",)], "with its budgets as they were"
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_complete(crawler.data, web)


def test_kill_of_all_loses_nothing(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=12, pages_per_host=40) as web:
        crawler = make_crawler(web, *POLITE, workers=WORKERS)
        deaths = []
        for pause_s in (0.4, 0.7, 1.1, 1.6):
            process = crawler.start()
            time.sleep(pause_s)
            deaths.append(process.kill())
        asked, killed_at = len(web.requests()), time.time()
        ended = crawler.run()
        assert ended.code == 0, ended.stderr
        # Counted from when the first worker was there: how long an interpreter starts is not its business.
        ((joined_at,),) = query(
            crawler.data, f"SELECT min(started_at) FROM workers WHERE started_at > {killed_at}"
        )
        assert web.requests()[asked].started_at - joined_at < 20
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_repeats_are_recent(web.requests(), deaths)
        assert_complete(crawler.data, web)


# --- signals -------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("is_to_group", [True, False])
def test_a_signal_drains_all_of_them(
    make_crawler: MakeCrawler, number: signal.Signals, is_to_group: bool
) -> None:
    slow = {f"h{host}.test": HostBehavior(delay_s=0.2) for host in range(6)}
    with TestWeb(hosts=6, pages_per_host=10, behaviors=slow) as web:
        crawler = make_crawler(web, *POLITE, workers=WORKERS)
        process = crawler.start()
        workers = wait_for_workers(process)
        wait_until(lambda: len(web.requests()) >= 20, "they work")
        (process.send_to_group if is_to_group else process.send)(number)
        ended = process.wait()
        assert (ended.code, ended.report["state"]) == (3, "stopped")
        assert ended.stderr.count("Stopping") == 1
        assert "died" not in ended.stderr
        assert not any(map(is_running, workers))
        assert_at_rest(crawler.data)
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_quits_at_once(make_crawler: MakeCrawler, number: signal.Signals) -> None:
    stuck = HostBehavior(delay_s=20)
    with TestWeb(hosts=4, pages_per_host=10, behaviors={"h0.test": stuck, "h1.test": stuck}) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        process = crawler.start()
        workers = wait_for_workers(process, 2)
        wait_until(lambda: len(web.requests()) >= 8, "they work")
        process.send(number)
        wait_until(lambda: "Stopping" in process.stderr, "it says that it stops")
        process.send(number)
        ended = process.wait()
        assert (ended.code, ended.stdout) == (130, "")
        assert "Traceback" not in ended.stderr
        wait_until_gone(workers)
        for host in ("h0.test", "h1.test"):
            web.set_behavior(host, HostBehavior())
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("pause_s", [0.3, 0.4, 0.5, 0.6])
def test_a_signal_during_the_start_loses_nothing(make_crawler: MakeCrawler, pause_s: float) -> None:
    with TestWeb(hosts=4, pages_per_host=5) as web:
        crawler = make_crawler(web, "--delay", "0.05", workers=2)
        process = crawler.start()
        time.sleep(pause_s)
        process.send_to_group(signal.SIGINT)
        assert is_interrupted(process.wait())
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)
