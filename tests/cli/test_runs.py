"""`tenax runs`: lists of runs, and actions on them."""

import asyncio
import json
from pathlib import Path

import pytest

from tenax.runtime.actions import write_store
from tenax.stores.place import Place
from tests.support.command import run_tenax
from tests.support.jobs import open_source_run
from tests.support.stores import SHOP, fill_store, make_empty_store

USAGE = 2
ERROR = 1
NOW = 1_750_000_100.0


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A run that lost its process."""
    fill_store(tmp_path / "crawl", is_ended=False)
    return tmp_path / "crawl"


def act(verb: str, crawl: Path, *arguments: str) -> str:
    ended = run_tenax("runs", verb, *arguments, "--data", crawl)
    assert ended.code == 0, ended.err
    return ended.out


def test_runs_are_listed_with_their_states(data: Path) -> None:
    ended = run_tenax("runs", "--data", data)
    header, row = ended.out.splitlines()
    assert header.split() == [
        "RUN",
        "CRAWL",
        "STATE",
        "STARTED",
        "DURATION",
        "PAGES",
        "REQUESTS",
        "BYTES",
        "LEFT",
    ]
    assert row.split()[:3] == ["1", "shop", "stopped"]


def test_a_program_gets_a_line_for_each_run(crawl: Path) -> None:
    act("pause", crawl)
    (line,) = run_tenax("runs", "--json", "--data", crawl).out.splitlines()
    run = json.loads(line)
    assert (run["id"], run["state"], run["ended_at"]) == (1, "paused", None)
    assert run["paused_at"].endswith("Z")


def test_what_an_ended_run_has_left_is_shown(data: Path) -> None:
    (run,) = map(json.loads, run_tenax("runs", "--json", "--data", data).out.splitlines())
    left = run["leftover"]
    assert list(left) == ["due", "held", "later", "resting", "capped", "inactive", "next_at", "aside"]
    urls = sum(count for name, count in left.items() if name != "next_at")
    assert run_tenax("runs", "--data", data).out.split()[-1] == str(urls)


def test_a_run_is_paused_resumed_and_cancelled(crawl: Path) -> None:
    assert act("pause", crawl) == "Run 1 is now paused.\n"
    assert act("resume", crawl, "1") == "Run 1 is now active.\n"
    assert act("cancel", crawl) == "Run 1 is now cancelled.\n"


def test_an_impossible_action_is_refused_with_the_state(crawl: Path) -> None:
    ended = run_tenax("runs", "resume", "--data", crawl)
    assert (ended.code, ended.err) == (
        USAGE,
        "tenax: Only a paused run can be resumed: run 1 is running.\n",
    )


def test_a_run_that_is_not_there_is_named(crawl: Path) -> None:
    ended = run_tenax("runs", "pause", "9", "--data", crawl)
    assert ended.code == ERROR
    assert "There is no run 9" in ended.err


def test_a_store_without_runs_gets_one_sentence(tmp_path: Path) -> None:
    make_empty_store(tmp_path / "empty")
    assert run_tenax("runs", "--data", tmp_path / "empty").out == "No runs.\n"
    assert "There is no active run" in run_tenax("runs", "pause", "--data", tmp_path / "empty").err
    assert "There are no runs" in run_tenax("runs", "log", "--data", tmp_path / "empty").err


@pytest.fixture
def several(crawl: Path) -> Path:
    """The run of a crawl, and one of a source."""
    asyncio.run(write_store(Place(folder=crawl), lambda connection: open_source_run(connection, NOW)))
    return crawl


@pytest.mark.parametrize("verb", ["pause", "resume", "cancel"])
def test_an_action_never_guesses_which_of_several_runs_is_meant(several: Path, verb: str) -> None:
    ended = run_tenax("runs", verb, "--data", several)
    sentence = "tenax: Several runs are active: choose 1 or 2.\n"
    assert (ended.code, ended.out, ended.err) == (USAGE, "", sentence)
    assert "2  news   running" in run_tenax("runs", "--data", several).out


def test_of_several_runs_one_is_chosen_by_its_number(several: Path) -> None:
    assert act("cancel", several, "1") == "Run 1 is now cancelled.\n"
    assert act("pause", several) == "Run 2 is now paused.\n"


def test_status_shows_all_active_runs(several: Path) -> None:
    act("pause", several, "1")
    out = run_tenax("status", "--data", several).out
    assert "  run 2     news, waiting for workers, 0 pages, started " in out
    assert "  run 1     shop, paused, 2 pages, started " in out
    assert "2 runs are active: 'tenax runs' can pause, resume or cancel one." in out
    found = json.loads(run_tenax("status", "--json", "--data", several).out)
    assert [(run["id"], run["source_name"]) for run in found["runs_under_way"]] == [(2, "news"), (1, "shop")]


def test_status_says_who_steers_a_run_of_a_source(several: Path) -> None:
    act("cancel", several, "1")
    assert (
        "The run is waiting for workers: start 'tenax serve' or" in run_tenax("status", "--data", several).out
    )


def test_status_says_that_the_run_is_paused_and_what_to_do(crawl: Path) -> None:
    act("pause", crawl)
    out = run_tenax("status", "--data", crawl).out
    assert "paused, 2 pages" in out
    assert "The run is paused: 'tenax runs resume 1' resumes it." in out


def test_explain_says_that_the_run_is_paused(crawl: Path) -> None:
    act("pause", crawl)
    out = run_tenax("explain", f"{SHOP}/wait-1", "--data", crawl).out
    assert "Run 1 is paused: 'tenax runs resume 1' resumes it." in out


def test_the_log_of_a_run_is_shown_line_by_line(data: Path) -> None:
    lines = run_tenax("runs", "log", "--data", data).out.splitlines()
    assert sum(" fetched 200 " in line for line in lines) == 2
    assert any("https://down.example/ (no_such_host: " in line for line in lines)
    assert all(line.isprintable() for line in lines)


def test_a_program_reads_the_log_as_json(data: Path) -> None:
    lines = [
        json.loads(line) for line in run_tenax("runs", "log", "1", "--json", "--data", data).out.splitlines()
    ]
    assert {line["kind"] for line in lines} >= {"visit", "worker", "run"}
