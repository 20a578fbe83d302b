"""`tenax jobs`: lists of jobs, and actions on them."""

import asyncio
import json
import re
import time
from pathlib import Path

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.jobs import add_source
from tests.support.service_rows import fill_service_rows
from tests.support.stores import make_empty_store

USAGE = 2
ERROR = 1


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """With a source."""
    place = Place(folder=tmp_path / "crawl")
    make_empty_store(place.folder)
    asyncio.run(write_store(place, lambda connection: add_source(connection, time.time(), "news")))
    return place.folder


def run_jobs(crawl: Path, *arguments: str) -> str:
    ended = run_tenax("jobs", *arguments, "--data", crawl)
    assert ended.code == 0, ended.err
    return ended.out


def test_a_job_is_created_paused_resumed_forced_and_cancelled(crawl: Path) -> None:
    assert re.match(r"Job 1 is due at .+\.\n", run_jobs(crawl, "create", "1", "--every", "6h"))
    assert run_jobs(crawl, "pause", "1") == "Job 1 is now paused.\n"
    assert run_jobs(crawl, "resume", "1").startswith("Job 1 is now scheduled, due at ")
    assert run_jobs(crawl, "force-run", "1") == "Job 1 is now running.\n"
    assert run_jobs(crawl, "cancel", "1") == "Job 1 is now cancelled.\n"


def test_a_job_without_an_interval_runs_once(crawl: Path) -> None:
    assert run_jobs(crawl, "create", "1") == "Job 1 starts as soon as a server picks it up.\n"
    assert run_jobs(crawl).splitlines()[1].split()[:4] == ["1", "news", "pending", "once"]


def test_jobs_are_listed_and_filtered(crawl: Path) -> None:
    run_jobs(crawl, "create", "1", "--every", "30m")
    run_jobs(crawl, "create", "1")
    header, *rows = run_jobs(crawl).splitlines()
    assert header.split() == ["JOB", "SOURCE", "STATE", "EVERY", "NEXT", "RUN", "ERROR"]
    assert [row.split()[0] for row in rows] == ["2", "1"]
    (line,) = run_jobs(crawl, "--state", "scheduled", "--json").splitlines()
    assert json.loads(line)["interval_minutes"] == 30


def test_a_source_is_named_or_numbered(crawl: Path) -> None:
    run_jobs(crawl, "create", "NEWS")
    for source in ("news", "1"):
        assert len(run_jobs(crawl, "--source", source).splitlines()) == 2
    ended = run_tenax("jobs", "--source", "shop", "--data", crawl)
    assert (ended.code, "There is no source shop in" in ended.err) == (USAGE, True)


def test_all_options_of_a_job_are_kept(crawl: Path) -> None:
    options = ("--url", "HTTPS://news.example", "--fixed", "--timezone", "Europe/Vienna", "--priority", "2")
    run_jobs(crawl, "create", "1", "--every", "2d", "--hours", "08:00-18:00", "--days", "mon,fri", *options)
    job = json.loads(run_jobs(crawl, "show", "1"))
    assert (job["url"], job["interval_type"], job["priority"]) == ("https://news.example/", "days", 2)
    assert job["adaptive_scheduling"] is False
    assert json.loads(job["active_hours"]) == {"days": ["mon", "fri"], "from": "08:00", "until": "18:00"}
    assert "lock_token" not in job


def test_an_impossible_action_is_refused_with_the_state(crawl: Path) -> None:
    run_jobs(crawl, "create", "1")
    ended = run_tenax("jobs", "retry", "1", "--data", crawl)
    assert (ended.code, ended.err) == (
        ERROR,
        "tenax: Job 1 is pending: only a failed job can be retried.\n",
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("1", "--every", "often"), "write 30m, 6h or 1d"),
        (("1", "--every", "0m"), "The interval must be between one minute"),
        (("1", "--every", "9999d"), "and 366 days"),
        (("1", "--timezone", "Mars/Olympus"), "is not a known time zone"),
        (("1", "--days", "monday"), "the days are mon"),
        (("1", "--url", "ftp://news.example/"), "is not an http or https URL"),
        (("7",), "There is no source 7 in"),
        (("news2",), "There is no source news2 in"),
        (("-1",), "No such option"),
        (("9" * 30,), "There is no source 999"),
    ],
)
def test_what_cannot_be_is_refused(crawl: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = run_tenax("jobs", "create", *arguments, "--data", crawl)
    assert ended.code == USAGE
    assert said in ended.err


def test_a_job_that_is_not_there_is_named(crawl: Path) -> None:
    for verb in ("show", "executions", "pause"):
        ended = run_tenax("jobs", verb, "9", "--data", crawl)
        assert ended.code == ERROR
        assert "There is no job 9" in ended.err


def test_executions_are_listed_the_newest_first(tmp_path: Path) -> None:
    make_empty_store(tmp_path)
    fill_service_rows(Place(folder=tmp_path))
    header, *rows = run_jobs(tmp_path, "executions", "1").splitlines()
    assert header.split()[:3] == ["NUMBER", "STATE", "TRIGGER"]
    assert [row.split()[0] for row in rows] == ["4", "3", "2", "1"]
    first = json.loads(run_jobs(tmp_path, "executions", "1", "--limit", "1", "--json"))
    assert (first["number"], first["state"], first["run_id"]) == (4, "completed", 1)
    assert run_jobs(tmp_path, "executions", "2") == "Job 2 has not run yet.\n"
