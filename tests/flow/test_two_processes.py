"""Two processes on one data directory: everything once, politely, also when one of them dies or sleeps."""

import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    Crawler,
    Ended,
    assert_asked_once,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    query,
    wait_until,
)
from tests.support.site import HostBehavior
from tests.support.web import LoggedRequest, TestWeb, assert_polite

# A worker leases ten domains per slot: with few slots, there are domains left for the other one.
SHARED = ("--concurrency", "2", "--delay", "0.1")
SHORT_LEASE = {"TENAX_WORKER__LEASE_S": "2"}


def agents(requests: Iterable[LoggedRequest]) -> set[str]:
    return {request.user_agent for request in requests}


def test_two_processes_fetch_every_page_once(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=40, pages_per_host=6, cross_host=True) as web:
        crawler = make_crawler(web, *SHARED)
        processes = [crawler.start("--user-agent", name) for name in ("one", "two")]
        ends = [process.wait() for process in processes]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.1)
        assert agents(web.requests()) == {"one", "two"}, "only one of them worked"
        assert_complete(crawler.data, web)


def test_run_of_two_processes_is_closed_once(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=6, pages_per_host=6) as web:
        crawler = make_crawler(web, "--delay", "0")
        ends = [process.wait() for process in [crawler.start(), crawler.start()]]
        assert [ended.code for ended in ends] == [0, 0], [ended.stderr for ended in ends]
        assert query(crawler.data, "SELECT DISTINCT state FROM runs") == [("done",)]
        assert_complete(crawler.data, web)


def test_survivor_takes_over_from_a_killed_process_at_once(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=40, pages_per_host=25) as web:
        crawler = make_crawler(web, *SHARED)
        victim = crawler.start("--user-agent", "victim")
        wait_until(lambda: len(web.requests()) > 60, "the victim works")
        survivor = crawler.start("--user-agent", "survivor")
        wait_until(lambda: "survivor" in agents(web.requests()), "the survivor works")
        held = {request.host for request in web.requests() if request.user_agent == "victim"}
        died_at = victim.kill()
        assert survivor.wait().code == 0
        taken_over = [
            request.started_at
            for request in web.requests()
            if request.host in held and request.user_agent == "survivor" and request.started_at > died_at
        ]
        assert min(taken_over) - died_at < 30, "it waited for the leases to expire"
        assert_polite(web.requests(), delay_s=0.1)
        assert_repeats_are_recent(web.requests(), [died_at])
        assert_complete(crawler.data, web)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """A process was stopped past its lease, another one took over, then it was woken up."""

    web: TestWeb
    data: Path
    taken_at: float
    ends: list[Ended]  # of the sleeper and of the other one


@pytest.fixture(scope="module")
def slept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slept]:
    data = tmp_path_factory.mktemp("slept") / "data"
    with TestWeb(hosts=1, pages_per_host=15) as web:
        crawler = Crawler(data, web, "--delay", "0.3")
        sleeper = crawler.start("--user-agent", "sleeper", **SHORT_LEASE)
        # Stopped between two requests: one that is on its way could not be called back.
        wait_until(lambda: len(web.requests()) >= 4 and has_just_answered(web), "the sleeper rests")
        sleeper.send(signal.SIGSTOP)
        other = crawler.start("--user-agent", "other", **SHORT_LEASE)
        wait_until(lambda: "other" in agents(web.requests()), "the other one takes over")
        sleeper.send(signal.SIGCONT)
        ends = [process.wait() for process in (sleeper, other)]
        taken_at = min(each.started_at for each in web.requests() if each.user_agent == "other")
        yield Slept(web=web, data=data, taken_at=taken_at, ends=ends)
        crawler.close()


def has_just_answered(web: TestWeb) -> bool:
    last = web.requests()[-1]
    return last.ended_at is not None and time.time() - last.ended_at < 0.1


class TestProcessThatSleptPastItsLease:
    def test_it_asks_for_nothing_it_lost(self, slept: Slept) -> None:
        late = [
            request.path
            for request in slept.web.requests()
            if request.user_agent == "sleeper" and request.started_at > slept.taken_at
        ]
        assert late == []

    def test_it_writes_nothing_stale(self, slept: Slept) -> None:
        stale = query(
            slept.data,
            "SELECT at FROM visits WHERE worker_id = (SELECT min(id) FROM workers)"
            f" AND at > {slept.taken_at}",
        )
        assert stale == []
        assert_sound(slept.data)

    def test_politeness_holds(self, slept: Slept) -> None:
        assert_polite(slept.web.requests(), delay_s=0.3)

    def test_both_end_cleanly_and_nothing_is_lost(self, slept: Slept) -> None:
        assert [ended.code for ended in slept.ends] == [0, 0], [ended.stderr for ended in slept.ends]
        assert_complete(slept.data, slept.web)


def test_process_that_slept_alone_goes_on_without_repeating(make_crawler: MakeCrawler) -> None:
    slow = HostBehavior(delay_s=0.2)
    with TestWeb(hosts=2, pages_per_host=12, behaviors={"h0.test": slow}) as web:
        crawler = make_crawler(web, "--delay", "0.2")
        process = crawler.start(TENAX_WORKER__LEASE_S="1", TENAX_WORKER__BATCH_S="0.9")
        wait_until(lambda: len(web.requests()) >= 8, "it works")
        process.send(signal.SIGSTOP)
        time.sleep(1.5)
        process.send(signal.SIGCONT)
        assert process.wait().code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_process_may_leave_while_the_other_goes_on(
    make_crawler: MakeCrawler, number: signal.Signals
) -> None:
    with TestWeb(hosts=30, pages_per_host=6) as web:
        crawler = make_crawler(web, *SHARED)
        leaver, stayer = crawler.start("--user-agent", "leaver"), crawler.start("--user-agent", "stayer")
        wait_until(lambda: len(agents(web.requests())) == 2, "both work")
        leaver.send(number)
        assert leaver.wait().code == 3
        assert stayer.wait().code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)
