"""`tenax worker`: machines that belong to a store wait for runs, share them and outlive each other."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.flow.conftest import MakeCrawler, MakeMachine
from tests.support.command import run_tenax
from tests.support.crawler import (
    Process,
    assert_asked_once,
    assert_at_rest,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    query,
    read_pages,
    wait_until,
)
from tests.support.postgres import fresh_database
from tests.support.servers import PostgresServer
from tests.support.web import TestWeb, assert_polite

DELAY_S = 0.3  # with twenty pages a host, slow enough for a machine to notice the run while it lasts
POLITE = ("--delay", str(DELAY_S))
STOPPED = 3


@pytest.fixture
def url() -> Iterator[str]:
    with fresh_database() as url:
        yield url


def count_active_hosts(where: Path | str) -> int:
    """How many workers have fetched something."""
    return len(query(where, "SELECT DISTINCT worker_id FROM visits WHERE outcome = 'fetched'"))


def stop(process: Process) -> str:
    process.send(signal.SIGTERM)
    ended = process.wait()
    assert ended.code == STOPPED, ended.stderr
    return ended.stdout


def list_workers(url: str, folder: Path, *options: str) -> list[dict[str, Any]]:
    ended = run_tenax("workers", "--store", url, "--data", folder, "--json", *options)
    assert ended.code == 0, ended.err
    return [json.loads(line) for line in ended.out.splitlines()]


def test_two_machines_and_a_crawl_fetch_every_page_once(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    with TestWeb(hosts=20, pages_per_host=20, cross_host=True) as web:
        # They come before the run: they have to wait for it.
        machines = [make_machine(name, url).start() for name in ("one", "two")]
        for machine in machines:
            wait_until(lambda machine=machine: "Waiting for a run" in machine.stdout, "it waits")  # type: ignore[misc]
        crawler = make_crawler(web, *POLITE, "--store", url)
        assert crawler.run().code == 0
        wait_until(lambda: query(url, "SELECT state FROM runs") == [("done",)], "the run is over")
        for machine in machines:
            wait_until(lambda machine=machine: machine.stdout.count("Waiting for a run") == 2, "again")  # type: ignore[misc]
            assert stop(machine).count("Joining run 1") == 1
        assert_asked_once(web.requests())
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_complete(url, web)
        assert count_active_hosts(url) >= 3, "somebody only looked on"


def test_a_machine_works_on_one_run_after_the_other(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    with TestWeb(hosts=4, pages_per_host=20) as web:
        machine = make_machine("one", url).start()
        seeds = web.seeds()
        for part in (seeds[:2], seeds[2:]):
            crawler = make_crawler(web, *POLITE, "--store", url, seeds=part)
            assert crawler.run().code == 0
            wait_until(lambda: query(url, "SELECT 1 FROM runs WHERE state = 'running'") == [], "it is over")
        said = stop(machine)
        assert "Joining run 1" in said
        assert "Joining run 2" in said
        assert_asked_once(web.requests())
        assert_complete(url, web)


def test_a_run_that_lost_its_crawl_is_ended_by_a_machine(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine, tmp_path: Path
) -> None:
    with TestWeb(hosts=6, pages_per_host=10) as web:
        crawler = make_crawler(web, *POLITE, "--store", url, data=tmp_path / "shared")
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 10, "it asks")
        died_at = process.kill()
        # The same machine: it sees that the process is gone.
        machine = make_machine("shared", url)
        ended = machine.start("--until-idle").wait()
        assert ended.code == 0, ended.stderr
        assert_complete(url, web)
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_repeats_are_recent(web.requests(), [died_at])


def test_a_run_whose_crawl_is_stopped_is_ended_by_those_who_are_at_it(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    with TestWeb(hosts=6, pages_per_host=20) as web:
        process = make_crawler(web, *POLITE, "--store", url).start()
        wait_until(lambda: web.requests(), "it asks")
        machine = make_machine("one", url).start("--until-idle")
        wait_until(lambda: count_active_hosts(url) > 1, "the machine works")
        process.send(signal.SIGTERM)
        assert process.wait().code == STOPPED
        assert query(url, "SELECT state FROM runs") == [("running",)]
        assert machine.wait().code == 0
        assert_asked_once(web.requests())
        assert_complete(url, web)


def test_the_settings_of_the_run_hold_on_every_machine(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    with TestWeb(hosts=6, pages_per_host=20) as web:
        options = ("--delay", "0.5", "--store", url, "--max-pages", "60", "--user-agent", "ordered/1")
        process = make_crawler(web, *options).start()
        wait_until(lambda: web.requests(), "it asks")
        # What its own environment says of politeness, limits and names is not this machine's to decide.
        others = {
            "TENAX_POLITENESS__DELAY_S": "0",
            "TENAX_LIMITS__MAX_PAGES": "1000",
            "TENAX_FETCH__USER_AGENT": "other/1",
            "TENAX_FETCH__ALLOW_PRIVATE": "false",
        }
        machine = make_machine("one", url).start("--until-idle", **others)
        assert process.wait().code == 0
        ended = machine.wait()
        assert ended.code == 0, ended.stderr
        assert "Joining run 1" in ended.stdout
        assert {request.user_agent for request in web.requests()} == {"ordered/1"}
        assert_polite(web.requests(), delay_s=0.5)
        assert len(read_pages(url)) == 60
        assert query(url, "SELECT state, pages FROM runs") == [("budget", 60)]


def test_a_crawl_without_seeds_joins_with_the_settings_of_the_run(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=6, pages_per_host=15) as web:
        process = make_crawler(web, "--delay", "0.5", "--store", url, "--user-agent", "ordered/1").start()
        wait_until(lambda: web.requests(), "it asks")
        arguments = ["--store", url, "--data", str(tmp_path / "other"), "--workers", "1", "--json"]
        joined = Process(arguments, {"TENAX_POLITENESS__DELAY_S": "0"}, tmp_path / "outputs")
        assert [each.wait().code for each in (process, joined)] == [0, 0]
        assert {request.user_agent for request in web.requests()} == {"ordered/1"}
        assert_polite(web.requests(), delay_s=0.5)
        assert_complete(url, web)
        ((settings,),) = query(url, "SELECT settings FROM runs")
        assert json.loads(settings)["politeness"]["delay_s"] == 0.5


def test_a_machine_that_is_killed_is_shown_silent_and_others_take_over(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine, tmp_path: Path
) -> None:
    lease = {"TENAX_WORKER__LEASE_S": "3"}
    with TestWeb(hosts=12, pages_per_host=30) as web:
        crawler = make_crawler(web, *POLITE, "--store", url)
        process = crawler.start(**lease)
        wait_until(lambda: len(web.requests()) > 10, "the crawl asks")
        victim = make_machine("victim", url, workers=2).start()
        near = tmp_path / "near"
        wait_until(
            lambda: sum(each["state"] == "working" for each in list_workers(url, near)) == 3,
            "all three are at work",
        )
        found = list_workers(url, near)
        assert all(each["domains"] and each["names"] for each in found)
        assert all(each["heartbeat_age_s"] < 10 for each in found)
        victims = set(victim.list_workers())
        died_at = victim.kill()
        wait_until(
            lambda: {each["pid"] for each in list_workers(url, near) if each["state"] == "silent"} == victims,
            "they are silent",
        )
        assert "leases end in " in run_tenax("workers", "--store", url, "--data", near).out
        assert process.wait().code == 0
        assert set(read_pages(url)) == web.expected_urls()
        assert_sound(url)
        assert_polite(web.requests(), delay_s=DELAY_S)
        assert_repeats_are_recent(web.requests(), [died_at])


def test_pages_and_rates_are_shown(url: str, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    with TestWeb(hosts=5, pages_per_host=10) as web:
        crawler = make_crawler(web, *POLITE, "--store", url)
        process = crawler.start()
        wait_until(lambda: any(each["pages"] > 15 for each in list_workers(url, tmp_path)), "some pages")
        (worker,) = list_workers(url, tmp_path)
        assert worker["pages_per_min"] > 60
        assert process.wait().code == 0
        assert list_workers(url, tmp_path) == []
        (ended,) = list_workers(url, tmp_path, "--all")
        assert (ended["state"], ended["pages"]) == ("ended", 50)


def test_a_data_directory_has_machines_too(make_crawler: MakeCrawler, make_machine: MakeMachine) -> None:
    with TestWeb(hosts=8, pages_per_host=25) as web:
        machine = make_machine("data", workers=2).start()
        wait_until(lambda: "Waiting for a run" in machine.stdout, "it waits")
        crawler = make_crawler(web, *POLITE)
        assert not (crawler.data / "tenax.db").exists(), "whoever waits makes nothing"
        assert crawler.run().code == 0
        wait_until(lambda: query(crawler.data, "SELECT state FROM runs") == [("done",)], "the run is over")
        assert "Joining run 1" in stop(machine)
        assert_asked_once(web.requests())
        assert_complete(crawler.data, web)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_drains_a_machine_and_the_run_continues(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine, number: signal.Signals
) -> None:
    with TestWeb(hosts=12, pages_per_host=25) as web:
        process = make_crawler(web, *POLITE, "--store", url).start()
        wait_until(lambda: len(web.requests()) > 5, "it asks")
        machine = make_machine("one", url).start()
        wait_until(lambda: count_active_hosts(url) > 1, "the machine works")
        machine.send_to_group(number)
        ended = machine.wait()
        assert ended.code == STOPPED, ended.stderr
        assert "Left run 1" in ended.stdout
        assert process.wait().code == 0
        assert_asked_once(web.requests())
        assert_complete(url, web)


def test_a_second_signal_leaves_at_once(
    url: str, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    with TestWeb(hosts=4, pages_per_host=20) as web:
        process = make_crawler(web, "--delay", "0.5", "--store", url).start()
        wait_until(lambda: web.requests(), "it asks")
        machine = make_machine("one", url).start()
        wait_until(lambda: machine.list_workers(), "it works")
        machine.send(signal.SIGTERM)
        machine.send(signal.SIGINT)
        assert machine.wait().code in (130, STOPPED)
        process.send(signal.SIGTERM)
        process.wait()
        assert_sound(url)


# --- without a server ----------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[PostgresServer]:
    server = PostgresServer("fsync=off")
    yield server
    server.close()


def test_a_machine_waits_for_a_server_that_is_not_there(
    server: PostgresServer, make_crawler: MakeCrawler, make_machine: MakeMachine
) -> None:
    # Before: whoever finds a database without tables ends with a sentence.
    server.start()
    migrate(Place(folder=Path("/nowhere"), url=server.url))
    server.stop_at_once()
    machine = make_machine("one", server.url).start()
    wait_until(lambda: "does not answer" in machine.stdout, "it says so")
    server.start()
    wait_until(lambda: "Waiting for a run" in machine.stdout, "it has found it")
    server.stop_at_once()
    wait_until(lambda: machine.stdout.count("does not answer") == 2, "it says so again")
    server.start()
    with TestWeb(hosts=4, pages_per_host=30) as web:
        assert make_crawler(web, *POLITE, "--store", server.url).run().code == 0
        wait_until(lambda: "Joining run 1" in machine.stdout, "it joins")
        stop(machine)
        assert_complete(server.url, web)
        assert_at_rest(server.url)
