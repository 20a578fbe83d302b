"""A page that kills its reader is found out and set aside; everything else is crawled."""

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tenax.failpoints import EXIT_CODE
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    TENAX,
    Process,
    assert_at_rest,
    assert_complete,
    assert_sound,
    query,
    read_pages,
    wait_until,
)
from tests.support.processes import is_running
from tests.support.web import TestWeb

PATH = "/p/3.html"
DEADLY = {"TENAX_FAILPOINT": f"read@{PATH}"}
QUICK = ("--delay", "0")


def read_fate(data: Path, url: str) -> tuple[str, str | None, int]:
    ((fate, reason, crashes),) = query(data, f"SELECT fate, reason, crashes FROM urls WHERE url = '{url}'")
    return fate, reason, crashes


def test_page_that_kills_its_reader_twice_is_quarantined(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=20) as web:
        crawler = make_crawler(web, *QUICK)
        deadly = web.url("h0.test", PATH)
        assert crawler.run(**DEADLY).code == EXIT_CODE
        ended = crawler.run(**DEADLY)
        assert (ended.code, ended.report["state"]) == (0, "done")
        assert read_fate(crawler.data, deadly) == ("quarantined", "crash", 1)
        assert set(read_pages(crawler.data)) == web.expected_urls() - {deadly}
        assert_sound(crawler.data)
        assert_at_rest(crawler.data)


def test_every_deadly_page_costs_one_death(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=10) as web:
        crawler = make_crawler(web, *QUICK)
        codes = [crawler.run(**DEADLY).code for _ in range(3)]
        assert codes == [EXIT_CODE, EXIT_CODE, 0]
        assert {read_fate(crawler.data, web.url(host, PATH))[0] for host in web.hosts} == {"quarantined"}
        assert len(read_pages(crawler.data)) == 18


def test_other_process_takes_over_and_survives_the_page(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=10) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        first = crawler.start(**DEADLY)
        wait_until(lambda: bool(web.requests()), "the first one works")
        second = crawler.start(**DEADLY)
        assert first.wait().code == EXIT_CODE
        assert second.wait().code == 0
        assert read_fate(crawler.data, web.url("h0.test", PATH))[0] == "quarantined"
        assert_at_rest(crawler.data)


def test_page_that_was_read_when_the_process_was_killed_is_innocent(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=20) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(**DEADLY)
        assert crawler.run().code == 0
        assert read_fate(crawler.data, web.url("h0.test", PATH))[0] == "fetched"
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_to_the_whole_group_does_not_look_like_a_crash(
    make_crawler: MakeCrawler, number: signal.Signals
) -> None:
    with TestWeb(hosts=1, pages_per_host=10) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(**DEADLY)
        suspect = web.url("h0.test", PATH)
        process = crawler.start()
        wait_until(process.list_readers, "the suspect is read in a process of its own")
        process.send_to_group(number)
        assert process.wait().code == 3
        assert read_fate(crawler.data, suspect)[0] == "fetched"
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)


def test_readers_die_with_their_worker(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=10) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(**DEADLY)
        process = crawler.start()
        wait_until(process.list_readers, "the suspect is read in a process of its own")
        readers = process.list_readers()
        process.send(signal.SIGKILL)
        process.wait()
        wait_until(lambda: not any(map(is_running, readers)), "no reader is left")
        assert crawler.run().code == 0
        assert read_fate(crawler.data, web.url("h0.test", PATH)) == ("fetched", None, 0), "killed twice"


def kill_readers(process: Process, until: Callable[[], bool]) -> set[int]:
    killed: set[int] = set()

    def kill_more() -> bool:
        for reader in process.list_readers():
            os.kill(reader, signal.SIGKILL)
            killed.add(reader)
        return until()

    wait_until(kill_more, "readers have been killed")
    return killed


def test_a_page_whose_reader_is_killed_from_outside_is_read_once_more(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=10) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(**DEADLY)
        process = crawler.start()
        wait_until(process.list_readers, "the suspect is read in a process of its own")
        os.kill(process.list_readers()[0], signal.SIGKILL)
        assert process.wait().code == 0
        assert read_fate(crawler.data, web.url("h0.test", PATH)) == ("fetched", None, 0)
        assert_complete(crawler.data, web)


def test_a_page_whose_readers_are_all_killed_from_outside_is_put_off(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=10) as web:
        crawler = make_crawler(web, *QUICK)
        crawler.run(**DEADLY)
        suspect = web.url("h0.test", PATH)
        process = crawler.start()
        killed = kill_readers(process, lambda: read_fate(crawler.data, suspect)[0] != "queued")
        assert read_fate(crawler.data, suspect) == ("retrying", "reader", 1)
        assert len(killed) == 2
        explained = subprocess.run(
            [TENAX, "explain", suspect, "--data", str(crawler.data)],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "which says nothing about the page" in explained.stdout
        assert "A worker died while reading it" in explained.stdout
        process.send(signal.SIGTERM)
        process.wait()
        assert_sound(crawler.data)
