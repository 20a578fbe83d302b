"""`tenax crawl --profile`: the file, the table, bad input, and what the documentation says of them."""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tenax.runtime.profiled import COROUTINES, OPERATIONS, STAGES
from tests.support.command import COMMAND, Ended, run_tenax
from tests.support.scripted import Reply, Script, ScriptedWeb, page

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0")
SITE = {"/": page("Home", "/one"), "/one": page("One")}
GUIDE = Path(__file__).parents[2] / "docs" / "profiling.md"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test works in an empty directory, with one worker: a process with threads cannot fork more."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENAX_WORKER__PROCESSES", "1")
    return tmp_path


def crawl(*options: str) -> Ended:
    with ScriptedWeb({"a.test": SITE}) as web:
        return run_tenax("crawl", web.url("a.test"), *QUICK, *options)


def read_profile(folder: Path) -> dict[str, Any]:
    profile: dict[str, Any] = json.loads((folder / "p.json").read_text())
    return profile


# --- what is written -------------------------------------------------------------------------------


def test_every_stage_of_a_page_is_counted_and_all_of_them_are_the_whole(folder: Path) -> None:
    assert crawl("--profile", "p.json").code == 0
    profile = read_profile(folder)
    assert (profile["pages"], profile["workers"]) == (2, {"started": 1, "profiled": 1, "whole": 1})
    counts = {name: stage["count"] for name, stage in profile["stages"].items()}
    per_page = ("read", "read.markup", "read.parse", "read.links", "read.images", "read.text", "pack")
    assert [counts[name] for name in (*per_page, "outcome", "robots")] == [2] * 9
    assert {"fetch", "schedule", "settle", "claim", "store.settle", "store.claim", "admit"} <= set(counts)
    parts = [stage["busy_s"] for stage in profile["stages"].values()]
    assert sum(parts) + profile["other_s"] == pytest.approx(profile["busy_s"], abs=1e-3)
    assert profile["busy_s"] + profile["idle_s"] == pytest.approx(profile["crawl_s"], abs=1e-3)


def test_the_use_of_the_stores_lock_is_counted(folder: Path) -> None:
    crawl("--profile", "p.json")
    operations = read_profile(folder)["operations"]
    names = ("store.wait", "store.locked", "store.commit")
    assert len({operations[name]["count"] for name in names}) == 1
    assert operations["store.locked"]["wall_s"] >= operations["store.commit"]["wall_s"]
    assert operations["store.load"]["count"] >= 1


def test_requests_in_flight_are_sampled(folder: Path) -> None:
    crawl("--profile", "p.json")
    assert set(read_profile(folder)["in_flight"]) == {"mean", "none_share"}


def test_a_table_follows_the_report(folder: Path) -> None:
    report, _, table = crawl("--profile", "p.json").out.partition("Where the time of 1 worker went;")
    assert "Done after" in report
    assert table.startswith(" all figures are in p.json.\n  stage ")
    assert re.search(r"^  fetch +[0-9.,]+ +[0-9.]+ %$", table, re.MULTILINE)


@pytest.mark.parametrize("option", ["--json", "--quiet"])
def test_scripts_get_the_file_without_the_table(folder: Path, option: str) -> None:
    ended = crawl("--profile", "p.json", option)
    assert "Where the time" not in ended.out + ended.err
    assert read_profile(folder)["format"] == 1


def test_without_the_option_there_is_neither(folder: Path) -> None:
    assert "Where the time" not in crawl().out
    assert [path.name for path in folder.iterdir()] == ["crawl"]


def test_an_older_profile_is_replaced(folder: Path) -> None:
    (folder / "p.json").write_text("older")
    crawl("--profile", "p.json")
    assert read_profile(folder)["pages"] == 2


def test_a_page_limit_ends_the_crawl_with_a_profile(folder: Path) -> None:
    crawl("--profile", "p.json", "--max-pages", "1")
    profile = read_profile(folder)
    assert (profile["pages"], profile["stages"]["grant"]["count"] >= 1) == (1, True)


def test_a_profile_that_cannot_be_written_at_the_end_is_an_error_after_the_report(folder: Path) -> None:
    (folder / "there").mkdir()

    def remove_folder(asked: int) -> Reply:
        (folder / "there").rmdir()
        return page("One")

    site: dict[str, Script] = {**SITE, "/one": remove_folder}
    with ScriptedWeb({"a.test": site}) as web:
        ended = run_tenax("crawl", web.url("a.test"), *QUICK, "--profile", "there/p.json")
    assert ended.code == 1
    assert "Done after" in ended.out
    assert ended.err == "tenax: Cannot write there/p.json: No such file or directory.\n"


# --- bad input -------------------------------------------------------------------------------------


def expect_refusal(path: str) -> str:
    """One line on stderr, nothing on stdout."""
    ended = run_tenax("crawl", "https://a.test/", "--profile", path)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    return ended.err.removeprefix("tenax: ").strip()


def test_a_directory_is_refused(folder: Path) -> None:
    (folder / "there").mkdir()
    assert expect_refusal("there") == "Cannot write the profile to there: it is a directory."
    assert expect_refusal("") == "Cannot write the profile to .: it is a directory."
    assert [path.name for path in folder.iterdir()] == ["there"]


def test_a_missing_directory_is_refused(folder: Path) -> None:
    assert expect_refusal("no/p.json") == "Cannot write the profile to no/p.json: No such file or directory."
    assert list(folder.iterdir()) == []


def test_a_file_in_place_of_the_directory_is_refused(folder: Path) -> None:
    (folder / "taken").write_text("mine")
    assert expect_refusal("taken/p.json") == "Cannot write the profile to taken/p.json: Not a directory."


def test_something_else_than_a_file_is_refused() -> None:
    assert expect_refusal("/dev/null") == "Cannot write the profile to /dev/null: it is not a regular file."


@pytest.mark.parametrize("chars", [250, 300])
def test_a_name_that_is_too_long_for_the_file_or_its_part_is_refused(chars: int) -> None:
    assert expect_refusal("x" * chars).endswith(": File name too long.")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_directory_that_cannot_be_written_is_refused(folder: Path) -> None:
    (folder / "fixed").mkdir(mode=0o500)
    complaint = expect_refusal("fixed/p.json")
    assert complaint == "Cannot write the profile to fixed/p.json: Permission denied."


# --- the documentation -----------------------------------------------------------------------------


def list_names(section: str) -> set[str]:
    """The names in the first column of the tables of a section."""
    text = GUIDE.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_stage_and_operation_is_documented() -> None:
    assert list_names("Stages") == {name for _, _, name in (*STAGES, *COROUTINES)}
    assert {name for _, _, name in OPERATIONS} <= list_names("Stages")
    assert list_names("Operations") == {"store.wait", "store.locked", "store.commit"}


def test_every_field_is_documented(folder: Path) -> None:
    crawl("--profile", "p.json")
    assert list_names("The file") == set(read_profile(folder))


def test_the_example_works(folder: Path) -> None:
    (example,) = re.findall(r"^```bash\n(.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL)
    settings = {
        "TENAX_FETCH__RESOLVE": '["*:127.0.0.1"]',
        "TENAX_FETCH__ALLOW_PRIVATE": "true",
        "TENAX_POLITENESS__DELAY_S": "0",
        "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}",
    }
    with ScriptedWeb({"a.test": SITE}) as web:
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", example.replace("https://example.com/", web.url("a.test"))],
            env={**os.environ, **settings},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
    assert 0 < float(ended.stdout.splitlines()[-1]) < 1
