"""Crawls into PostgreSQL: everything once, politely, also when workers die or sleep."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Crawler, Process, assert_sound, query, wait_until
from tests.support.invariants import assert_whole, list_held, list_visits
from tests.support.postgres import snapshot
from tests.support.web import TestWeb

SHARED = ("--concurrency", "2", "--delay", "0.1")
LEASE_S = 2.0
LEASE = {"TENAX_WORKER__LEASE_S": str(LEASE_S)}
# A worker may be stopped in the middle of a transaction: its rows must be free when its lease ends.
IMPATIENT = "idle_in_transaction_session_timeout=1s"
POLL_S = 0.5
BUSY_S = 10.0  # that a loaded machine may add to what is promised


def test_a_crawl_is_complete_and_asks_once(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=10, pages_per_host=10, cross_host=True) as web:
        crawler = make_crawler(web, "--store", url, "--delay", "0.02")
        assert crawler.run().code == 0
        assert_whole(url, web, delay_s=0.02)
        assert crawler.run().report["requests"] == 0, "everything is done"


def test_two_processes_fetch_every_page_once(url: str, make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=40, pages_per_host=6, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED, "--store", url)
        ends = [
            process.wait() for process in [crawler.start("--user-agent", name) for name in ("one", "two")]
        ]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert {request.user_agent for request in web.requests()} == {"one", "two"}, "only one of them worked"
        assert_whole(url, web, delay_s=0.1)


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
        wait_until(lambda: len(web.requests()) > asked, "the next one asks", 40)
        assert web.requests()[asked].started_at - heir.started_at < 30, "it waited for the lease to expire"
        assert heir.wait().code == 0


# --- kill -9, again and again --------------------------------------------------------------------


class Machine:
    """Runs the same command whenever it was killed. It cannot see the processes of another one."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self.process = crawler.start(**LEASE)

    def kill_all(self) -> list[int]:
        """Returns the processes that have died."""
        pids = [self.process.pid, *self.process.list_workers()]
        self.process.kill()
        self.process = self._crawler.start(**LEASE)
        return pids

    def kill_worker(self, dice: random.Random) -> list[int]:
        """One of those that its supervisor has forked."""
        workers = self.process.list_workers()
        if not workers:
            return self.kill_all()
        victim = dice.choice(workers)
        os.kill(victim, signal.SIGKILL)
        return [victim]


def is_over(url: str) -> bool:
    return query(url, "SELECT 1 FROM runs WHERE state <> 'running'") != []


def test_workers_killed_at_random_lose_nothing_and_are_replaced_when_their_leases_end(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    dice = random.Random(4)
    with TestWeb(hosts=16, pages_per_host=50, cross_host=True) as web:
        options = ("--store", url, "--delay", "0.25")
        near = Machine(make_crawler(web, *options, data=tmp_path / "near", workers=2))
        far = Machine(make_crawler(web, *options, data=tmp_path / "far"))
        acts: list[Callable[[], list[int]]] = [lambda: near.kill_worker(dice), near.kill_all, far.kill_all]
        deaths: list[float] = []
        # Each at least once, then as long as there is work.
        for act in [*acts, *dice.choices(acts, k=3)]:
            asked = len(web.requests())
            wait_until(lambda asked=asked: len(web.requests()) > asked + 10 or is_over(url), "they work")  # type: ignore[misc]
            if is_over(url):
                break
            time.sleep(dice.uniform(0.0, 0.5))
            dead = act()
            deaths.append(time.time())
            with snapshot(url) as rows:
                assert_sound(rows)
            promised_s = LEASE_S + POLL_S + BUSY_S
            wait_until(lambda dead=dead: not list_held(url, dead), "they are replaced", promised_s)  # type: ignore[misc]
        assert len(deaths) >= len(acts), "the web was too small"
        ends = [machine.process.wait() for machine in (near, far)]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert_whole(url, web, delay_s=0.25, losses=deaths)


# --- asleep --------------------------------------------------------------------------------------


def rests(web: TestWeb, agent: str, delay_s: float) -> bool:
    """Between two requests to each of its domains: one on its way could not be called back."""
    now = time.time()
    last = {request.host: request for request in web.requests() if request.user_agent == agent}
    # What it has not asked for two delays it holds no more.
    held = [request for request in last.values() if now - request.started_at < 2 * delay_s]
    return bool(held) and all(
        each.ended_at is not None and 0.03 < now - each.started_at < delay_s - 0.1 for each in held
    )


def has_unsettled(url: str, web: TestWeb, agent: str, pid: int) -> bool:
    asked = [request for request in web.requests() if request.user_agent == agent]
    return len(asked) > len(list_visits(url, pid, time.time()))


def stop_at_rest(process: Process, url: str, web: TestWeb, agent: str) -> None:
    """While it has something to write when it wakes up."""
    while True:
        wait_until(lambda: has_unsettled(url, web, agent, process.pid) and rests(web, agent, 0.5), "it rests")
        process.send(signal.SIGSTOP)
        # This process may have been asleep since it looked.
        if rests(web, agent, 0.5):
            return
        process.send(signal.SIGCONT)


def test_a_process_that_slept_for_two_leases_writes_nothing_stale(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=3, pages_per_host=15) as web:
        options = ("--store", f"{url}?{IMPATIENT}", "--delay", "0.5")
        sleeper, other = (
            make_crawler(web, *options, "--user-agent", name, data=tmp_path / name).start(**LEASE)
            for name in ("sleeper", "other")
        )
        wait_until(lambda: len({each.user_agent for each in web.requests()}) == 2, "both work")
        stop_at_rest(sleeper, url, web, "sleeper")
        stopped_at = time.time()
        time.sleep(2 * LEASE_S)
        wait_until(lambda: not list_held(url, [sleeper.pid]), "the other has taken over")
        settled = list_visits(url, sleeper.pid, stopped_at)
        sleeper.send(signal.SIGCONT)
        ends = [process.wait() for process in (sleeper, other)]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert list_visits(url, sleeper.pid, stopped_at) == settled, "it wrote after it had lost its leases"
        assert_whole(url, web, delay_s=0.5, losses=[stopped_at])
