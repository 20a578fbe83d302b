"""Workers that watch themselves: a blocked loop, a request that hangs, too much memory, a crash loop. Nothing
is lost, and whoever is not at fault is left alone."""

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.exits import Exit
from tests.flow.conftest import MakeCrawler
from tests.support.command import run_tenax
from tests.support.crawler import (
    assert_complete,
    assert_sound,
    count_requests,
    query,
    wait_until,
)
from tests.support.web import TestWeb, assert_polite

DELAY_S = 0.05
POLITE = ("--delay", str(DELAY_S))
BLOCKED_S = "2"


def read_log(data: Path, event: str) -> list[dict[str, Any]]:
    lines = (data / "logs" / "tenax.log").read_text().splitlines()
    return [entry for line in lines if (entry := json.loads(line))["event"] == event]


def list_exit_codes(data: Path) -> list[int]:
    return [code for (code,) in query(data, "SELECT exit_code FROM workers WHERE exit_code IS NOT NULL")]


# --- a blocked loop ----------------------------------------------------------------------------


@pytest.mark.parametrize("how", ["BLOCK", "SPIN"])
def test_a_single_worker_whose_loop_is_blocked_ends_itself_and_the_next_one_continues(
    make_crawler: MakeCrawler, how: str
) -> None:
    with TestWeb(hosts=2, pages_per_host=10) as web:
        crawler = make_crawler(web, *POLITE)
        ended = crawler.run(TENAX_FAILPOINT=f"settle.before!{how}:2", TENAX_WATCHDOG__BLOCKED_S=BLOCKED_S)
        assert ended.code == Exit.BLOCKED, ended.stderr
        assert "The event loop has been blocked" in ended.stderr
        (entry,) = read_log(crawler.data, "worker_ends_itself")
        assert any("reach" in frame for frame in entry["stack"])
        assert crawler.run().code == 0
        assert list_exit_codes(crawler.data) == [Exit.BLOCKED]
        assert_complete(crawler.data, web)
        assert_polite(web.requests(), delay_s=DELAY_S)


def test_a_blocked_worker_is_replaced_by_its_supervisor(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        ended = crawler.run(
            TENAX_FAILPOINT=f"settle.before!BLOCK:2~{tmp_path / 'once'}",
            TENAX_WATCHDOG__BLOCKED_S=BLOCKED_S,
        )
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        assert "died (exit code 71: event loop blocked); starting a replacement." in ended.stderr
        assert list_exit_codes(crawler.data) == [Exit.BLOCKED]
        assert_complete(crawler.data, web)
        assert_polite(web.requests(), delay_s=DELAY_S)


def test_a_stopped_process_is_neither_blocked_nor_stalled(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=30) as web:
        crawler = make_crawler(web, *POLITE)
        process = crawler.start(
            TENAX_WATCHDOG__BLOCKED_S="2", TENAX_WATCHDOG__STALL_S="2", TENAX_WATCHDOG__TRANSFER_S="1"
        )
        wait_until(lambda: len(web.requests()) > 10, "it works")
        process.send(signal.SIGSTOP)
        time.sleep(6)
        process.send(signal.SIGCONT)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert read_log(crawler.data, "stall_detected") == []
        assert list_exit_codes(crawler.data) == []
        assert_complete(crawler.data, web)


def test_a_worker_that_waits_for_politeness_is_not_stalled(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=3) as web:
        crawler = make_crawler(web, "--delay", "4")
        assert crawler.run(TENAX_WATCHDOG__STALL_S="1").code == 0
        assert read_log(crawler.data, "stall_detected") == []


# --- a stall -----------------------------------------------------------------------------------


def test_a_worker_that_forgets_what_is_due_examines_itself_and_ends(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=40) as web:
        crawler = make_crawler(web, *POLITE)
        process = crawler.start(TENAX_FAILPOINT="schedule.lost:100", TENAX_WATCHDOG__STALL_S="3")
        wait_until(lambda: read_stalls(crawler.data), "it says so")
        verdict = json.loads(run_tenax("doctor", "--data", crawler.data, "--json").out)
        ended = process.wait()
        assert ended.code == Exit.INTERNAL, ended.stderr
        assert verdict["code"] == "stalled"
        first, second = read_log(crawler.data, "stall_detected")
        assert (first["cause"], first["action"], second["action"]) == ("worker", "wake", "restart")
        assert first["store_error"] is None
        assert query(crawler.data, "SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
        assert crawler.run().code == 0
        assert set(count_requests(web.requests()).values()) == {1}
        assert_complete(crawler.data, web)


def test_a_stalled_worker_is_replaced_by_its_supervisor(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=40) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        ended = crawler.run(TENAX_FAILPOINT="schedule.lost:100", TENAX_WATCHDOG__STALL_S="3")
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        assert "Stall detected (worker)" in ended.stderr
        assert "died (exit code 70: internal error); starting a replacement" in ended.stderr
        assert set(count_requests(web.requests()).values()) == {1}
        assert_complete(crawler.data, web)


def read_stalls(data: Path) -> list[str]:
    try:
        return [stall for (stall,) in query(data, "SELECT stall FROM workers WHERE stall IS NOT NULL")]
    except sqlite.OperationalError:  # there is no such store yet
        return []


# --- a request that hangs ----------------------------------------------------------------------


def test_a_request_that_never_ends_is_ended_and_made_again(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=2, pages_per_host=8) as web:
        crawler = make_crawler(web, *POLITE)
        ended = crawler.run(
            TENAX_FAILPOINT=f"fetch.lost@/p/3.html~{tmp_path / 'once'}",
            TENAX_FETCH__TIMEOUT_S="1",
            TENAX_ROBOTS__TIMEOUT_S="1",
            TENAX_WATCHDOG__TRANSFER_S="1",
            TENAX_RETRY__BASE_S="0.2",
            TENAX_RETRY__JITTER_S="0.01",
        )
        assert ended.code == 0, ended.stderr
        (entry,) = read_log(crawler.data, "transfer_hung")
        assert entry["url"].endswith("/p/3.html")
        assert query(crawler.data, "SELECT error_kind FROM visits WHERE outcome = 'failed'") == [
            ("internal",)
        ]
        assert query(crawler.data, "SELECT name FROM domains WHERE breaker_failures > 0") == []
        assert set(count_requests(web.requests()).values()) == {1}
        assert_complete(crawler.data, web)


# --- memory ------------------------------------------------------------------------------------

TINY = {"TENAX_WATCHDOG__MEMORY_PERCENT": "10"}  # no worker fits into that


def test_a_worker_over_its_memory_gives_everything_back_and_exits(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=2, pages_per_host=60) as web:
        crawler = make_crawler(web, "--delay", "0.5")
        ended = crawler.run(**TINY)
        assert ended.code == Exit.MEMORY, ended.stderr
        assert "worker.memory_mb" in ended.stderr
        assert "Traceback" not in ended.stderr
        assert list_exit_codes(crawler.data) == [Exit.MEMORY]
        assert query(crawler.data, "SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
        assert query(crawler.data, "SELECT state FROM runs") == [("running",)]
        assert_sound(crawler.data)
        assert crawler.run("--delay", "0").code == 0
        assert set(count_requests(web.requests()).values()) == {1}
        assert_complete(crawler.data, web)


def test_a_worker_over_its_memory_is_replaced_and_its_domains_are_free_at_once(
    make_crawler: MakeCrawler,
) -> None:
    with TestWeb(hosts=2, pages_per_host=30) as web:
        crawler = make_crawler(web, "--delay", "0.5", workers=2)
        ended = crawler.run(TENAX_WORKER__LEASE_S="3600", **TINY)
        assert (ended.code, ended.report["state"]) == (0, "done"), ended.stderr
        assert "died (exit code 72: too much memory); starting a replacement" in ended.stderr
        assert Exit.MEMORY in list_exit_codes(crawler.data)
        assert set(count_requests(web.requests()).values()) == {1}
        assert_complete(crawler.data, web)


# --- a crash loop ------------------------------------------------------------------------------


def test_a_crash_loop_backs_off_and_says_so(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=40) as web:
        crawler = make_crawler(web, "--delay", "0", workers=2)
        # Each worker settles something before it dies: there is progress, so none of them is given up.
        ended = crawler.run(TENAX_FAILPOINT="settle.after:2", TENAX_WORKER__BATCH_PAGES="8")
        assert ended.code == 0, ended.stderr
        pauses = [line for line in ended.stderr.splitlines() if "deaths in a row" in line]
        assert "starting a replacement in 0.5 s (2 deaths in a row)" in pauses[0]
        assert "starting a replacement in 1 s (3 deaths in a row)" in pauses[1]
        metrics = (crawler.data / "metrics.prom").read_text()
        assert 'crawler_worker_deaths_total{how="exit code 137"}' in metrics
        assert_complete(crawler.data, web)


def test_an_internal_error_that_repeats_ends_the_run_with_its_exit_code(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=5) as web:
        crawler = make_crawler(web, "--delay", "0", workers=2)
        ended = crawler.run(TENAX_FAILPOINT="claim.before!RAISE")
        assert ended.code == Exit.INTERNAL, ended.stderr
        assert "Traceback" not in ended.stderr
        assert query(crawler.data, "SELECT state FROM runs") == [("failed",)]
        assert set(list_exit_codes(crawler.data)) == {Exit.INTERNAL}
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)


def test_an_internal_error_of_a_single_worker_has_its_exit_code(make_crawler: MakeCrawler) -> None:
    with TestWeb(hosts=1, pages_per_host=5) as web:
        crawler = make_crawler(web, "--delay", "0")
        ended = crawler.run(TENAX_FAILPOINT="settle.before!RAISE")
        assert ended.code == Exit.INTERNAL, ended.stderr
        assert ended.stderr.splitlines()[-1].startswith("tenax: An internal error ended the worker (")
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)
