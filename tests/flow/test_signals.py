"""Ctrl-C and SIGTERM: once drains, twice quits, and neither loses anything (F6)."""

import signal
import time
from pathlib import Path

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import (
    DEADLINE_S,
    Crawler,
    assert_asked_once,
    assert_at_rest,
    assert_complete,
    assert_sound,
    is_interrupted,
    query,
    read_pages,
    wait_until,
)
from tests.support.site import HostBehavior
from tests.support.web import TestWeb, assert_polite

SIGNALS = [signal.SIGINT, signal.SIGTERM]
SLOW = {f"h{number}.test": HostBehavior(delay_s=0.2) for number in range(4)}


@pytest.mark.parametrize("number", SIGNALS)
def test_first_signal_drains(make_crawler: MakeCrawler, number: signal.Signals) -> None:
    with TestWeb(hosts=4, pages_per_host=8, behaviors=SLOW) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) >= 14, "it works")
        process.send(number)
        ended = process.wait()
        assert (ended.code, ended.report["state"]) == (3, "stopped")
        assert "Stopping" in ended.stderr
        assert_at_rest(crawler.data)
        answered = {request.path for request in web.requests("h0.test") if request.status == 200}
        assert len(read_pages_of(crawler.data, "h0.test")) == len(answered - {"/robots.txt"})
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=0.1)
        assert_complete(crawler.data, web)


def read_pages_of(data: Path, host: str) -> list[str]:
    return [url for url in read_pages(data) if f"//{host}:" in url]


@pytest.mark.parametrize("number", SIGNALS)
def test_second_signal_quits_at_once(make_crawler: MakeCrawler, number: signal.Signals) -> None:
    stuck = HostBehavior(delay_s=20)
    with TestWeb(hosts=2, pages_per_host=10, behaviors={"h0.test": stuck}) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) >= 8, "it works")
        process.send(number)
        wait_until(lambda: "Stopping" in process.stderr, "it says that it stops")
        process.send(number)
        ended = process.wait()
        assert (ended.code, ended.stdout) == (130, "")
        assert "Traceback" not in ended.stderr
        web.set_behavior("h0.test", HostBehavior())
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("pause_s", [0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
def test_signal_during_the_start_loses_nothing(make_crawler: MakeCrawler, pause_s: float) -> None:
    with TestWeb(hosts=2, pages_per_host=40) as web:
        crawler = make_crawler(web, "--delay", "0.05")
        process = crawler.start()
        time.sleep(pause_s)
        process.send(signal.SIGINT)
        # Before Python runs any code of ours it dies of the signal; later it quits; later still it drains.
        assert is_interrupted(process.wait())
        assert crawler.run().code == 0
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)


def test_signal_ends_the_wait_for_a_resting_domain(make_crawler: MakeCrawler) -> None:
    # Longer, and the run would end by itself: nothing else is left.
    limited = HostBehavior(limited_requests=1, retry_after="60")
    with TestWeb(hosts=1, pages_per_host=5, behaviors={"h0.test": limited}) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start()
        wait_until(lambda: has_released(crawler), "the domain was given back to rest")
        process.send(signal.SIGTERM)
        assert process.wait().code == 3
        assert_sound(crawler.data)
        assert_at_rest(crawler.data)


def has_released(crawler: Crawler) -> bool:
    if not (crawler.data / "tenax.db").exists():
        return False
    rows = query(crawler.data, "SELECT 1 FROM sqlite_master WHERE name = 'runs'")
    return bool(rows) and bool(
        query(crawler.data, "SELECT 1 FROM domains WHERE claimed_by IS NULL AND backoff_until IS NOT NULL")
    )


def test_drain_does_not_wait_longer_than_its_grace(make_crawler: MakeCrawler) -> None:
    stuck = HostBehavior(delay_s=2 * DEADLINE_S)
    with TestWeb(hosts=1, pages_per_host=5, behaviors={"h0.test": stuck}) as web:
        crawler = make_crawler(web, "--delay", "0.1")
        process = crawler.start(TENAX_WORKER__DRAIN_S="0.5", TENAX_FETCH__TIMEOUT_S=str(2 * DEADLINE_S))
        wait_until(lambda: len(web.requests()) == 2, "a request is stuck")
        process.send(signal.SIGINT)
        assert process.wait().code == 3
        assert_at_rest(crawler.data)
        web.set_behavior("h0.test", HostBehavior())
        assert crawler.run().code == 0
        assert_complete(crawler.data, web)
