"""Runs that a person pauses, resumes and cancels from elsewhere, with real processes."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.clock import SystemClock
from tenax.config.crawl import PolitenessSettings
from tenax.config.fetch import FetchSettings
from tenax.config.settings import Settings
from tenax.crawl.run.opening import Opened
from tenax.runtime.backends import find_backend
from tenax.runtime.runs import start_run
from tenax.stores.place import Place
from tests.flow.conftest import MakeCrawler, MakeMachine
from tests.support.command import run_tenax
from tests.support.crawler import (
    Process,
    assert_asked_once,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    count_fates,
    query,
    read_pages,
    wait_until,
)
from tests.support.postgres import fresh_database
from tests.support.web import TestWeb, assert_polite

DELAY_S = 0.2
POLITE = ("--delay", str(DELAY_S))
STOPPED = 3
HEARD_S = 12.0  # two seconds are promised; whoever hears of it with the next heartbeat takes twenty
QUIET_S = 1.5


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Path | str]:
    """The store of a crawl: a data directory, or a database."""
    if request.param == "sqlite":
        yield tmp_path / "data"
    else:
        with fresh_database() as url:
            yield url


def options_of(where: Path | str) -> tuple[str, ...]:
    return () if isinstance(where, Path) else ("--store", where)


def order(verb: str, where: Path | str, tmp_path: Path) -> None:
    ended = run_tenax("runs", verb, "--data", tmp_path / "data", *options_of(where))
    assert ended.code == 0, ended.err


def assert_quiet(web: TestWeb) -> None:
    """Nobody asks for anything any more."""
    before = len(web.requests())
    time.sleep(QUIET_S)
    assert len(web.requests()) == before


def wait_for_end(process: Process, since: float) -> dict[str, object]:
    ended = process.wait()
    assert time.monotonic() - since < HEARD_S
    assert ended.code == STOPPED, ended.stderr
    return ended.report


def test_a_paused_crawl_goes_on_with_the_same_command(
    where: Path | str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE, *options_of(where), workers=2)
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 12, "it asks")
        order("pause", where, tmp_path)
        assert wait_for_end(process, time.monotonic())["state"] == "paused"
        assert query(where, "SELECT count(*) FROM domains WHERE claimed_by IS NOT NULL") == [(0,)]
        assert_sound(where)
        assert_quiet(web)
        assert crawler.run().code == 0
        assert query(where, "SELECT state FROM runs") == [("done",)]
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_complete(where, web)


def test_a_worker_that_waits_for_politeness_hears_of_a_pause(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=1, pages_per_host=5) as web:
        crawler = make_crawler(web, "--delay", "60")
        process = crawler.start()
        wait_until(lambda: web.requests(), "it asks for robots.txt")
        wait_until(lambda: query(crawler.data, "SELECT 1 FROM visits"), "it rests")
        order("pause", crawler.data, tmp_path)
        assert wait_for_end(process, time.monotonic())["state"] == "paused"


def test_waiting_workers_leave_a_paused_run_and_join_it_when_it_is_resumed(
    where: Path | str, make_crawler: MakeCrawler, make_machine: MakeMachine, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        starter = make_crawler(web, *POLITE, *options_of(where)).start()
        wait_until(lambda: len(web.requests()) > 4, "it asks")
        starter.kill()
        url = where if isinstance(where, str) else None
        machine = make_machine("data", url).start()
        wait_until(lambda: len(web.requests()) > 16, "the machine asks")
        order("pause", where, tmp_path)
        wait_until(lambda: "is paused; waiting" in machine.stdout, "the machine has left", HEARD_S)
        assert_quiet(web)
        order("resume", where, tmp_path)
        wait_until(lambda: query(where, "SELECT state FROM runs") == [("done",)], "the run is done", 60)
        assert machine.stdout.count("Joining run 1") == 2
        wait_until(
            lambda: query(where, "SELECT count(*) FROM workers WHERE ended_at IS NULL") == [(0,)], "all left"
        )
        assert_polite(web.requests(), delay_s=DELAY_S)
        machine.kill()
        assert_sound(where)
        assert set(read_pages(where)) == web.expected_urls()


def test_a_process_that_is_killed_while_the_run_is_paused_loses_nothing(
    where: Path | str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE, *options_of(where), workers=2)
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 12, "it asks")
        order("pause", where, tmp_path)
        died_at = process.kill()
        assert query(where, "SELECT state FROM runs") == [("paused",)]
        assert crawler.run().code == 0
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_repeats_are_recent(web.requests(), [died_at])
        assert_complete(where, web)


def test_a_worker_that_dies_while_the_run_is_being_paused_does_not_bring_it_back(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE, workers=2)
        process = crawler.start()
        wait_until(lambda: len(process.list_workers()) == 2 and len(web.requests()) > 12, "both ask")
        victim = process.list_workers()[0]
        order("pause", crawler.data, tmp_path)
        os.kill(victim, signal.SIGKILL)
        assert wait_for_end(process, time.monotonic())["state"] == "paused"
        assert query(crawler.data, "SELECT state FROM runs") == [("paused",)]


def test_a_cancelled_run_is_over_and_the_next_one_does_the_rest(
    where: Path | str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE, *options_of(where), workers=2)
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 12, "it asks")
        order("cancel", where, tmp_path)
        assert wait_for_end(process, time.monotonic())["state"] == "stopped"
        assert_quiet(web)
        assert count_fates(where)["queued"]
        assert crawler.run().code == 0
        assert query(where, "SELECT state FROM runs ORDER BY id") == [("stopped",), ("done",)]
        assert_asked_once(web.requests())
        assert_complete(where, web)


def test_a_worker_until_idle_ends_when_the_run_is_paused(
    make_crawler: MakeCrawler, make_machine: MakeMachine, tmp_path: Path
) -> None:
    with TestWeb(hosts=2, pages_per_host=15) as web:
        crawler = make_crawler(web, *POLITE)
        starter = crawler.start()
        wait_until(lambda: len(web.requests()) > 4, "it asks")
        starter.kill()
        order("pause", crawler.data, tmp_path)
        ended = make_machine("data").start("--until-idle").wait()
        assert (ended.code, query(crawler.data, "SELECT state FROM runs")) == (0, [("paused",)])


async def start(place: Place, settings: Settings, seeds: list[str]) -> Opened | None:
    async with find_backend(place).open_stores(place, SystemClock()) as stores:
        return await start_run(place, stores, settings, seeds)


def test_a_run_that_somebody_opens_is_done_by_those_who_wait(
    where: Path | str, make_machine: MakeMachine, tmp_path: Path
) -> None:
    url = where if isinstance(where, str) else None
    with TestWeb(hosts=3, pages_per_host=6) as web:
        place = Place(folder=tmp_path / "data", url=url)
        settings = Settings(
            fetch=FetchSettings(resolve=["*:127.0.0.1"], allow_private=True),
            politeness=PolitenessSettings(delay_s=0.05),
        )
        waiting = make_machine("data", url).start()
        wait_until(lambda: "Waiting for a run" in waiting.stdout, "it waits")
        run = asyncio.run(start(place, settings, web.seeds()))
        assert run is not None
        assert asyncio.run(start(place, settings, web.seeds())) is None, "it is under way"
        wait_until(lambda: query(where, "SELECT state FROM runs") == [("done",)], "the run is done", 40)
        assert set(read_pages(where)) == web.expected_urls()
        assert_asked_once(web.requests())
