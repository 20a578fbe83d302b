"""What benchmarks make of their figures: goals, guards, and the shares of the store's lock."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.crawlers import CRAWLERS, TWO_STORES, Task
from bench.features import GUARDED, MEASURED, format_rows, list_ratios
from bench.goals import RATIOS, get_speed, judge
from bench.measure import Result
from bench.paths import FEATURES
from bench.recorded import Recorded
from bench.stages import STAGES, Stage, make_crawler
from bench.startup import Startup
from bench.store_lock import LockShares, read_lock_shares

STARTUP = Startup(help_cpu_s=0.1, first_request_s=0.3)


def make_result(crawler: str, *, cost: float = 1.0, speed: float = 1000.0, web: str = "small") -> Result:
    return Result(
        web=web,
        crawler=crawler,
        pages=100,
        requests=101,
        cpu_ms_per_page=cost,
        pages_per_s=speed,
        peak_rss_mb=50.0,
    )


def make_task(folder: Path, seeds: str = "") -> Task:
    (folder / "seeds.txt").write_text(seeds)
    return Task(
        seeds=folder / "seeds.txt",
        urls=folder / "urls.txt",
        data=folder,
        stdout=folder / "stdout.txt",
        stderr=folder / "stderr.txt",
    )


# --- goals ---------------------------------------------------------------------------------------


def test_goals_name_crawlers_that_are_measured() -> None:
    names = {crawler.name for crawler in CRAWLERS}
    assert {name for ratio in RATIOS for name in (ratio.of, ratio.to)} <= names


@pytest.mark.parametrize(("speed", "word"), [(1840.0, "met"), (1820.0, "not met")])
def test_two_workers_are_judged_by_two_crawls_on_two_stores(speed: float, word: str) -> None:
    results = [make_result("tenax ×2", speed=speed), make_result("tenax, two stores", speed=2000.0)]
    (verdict,) = [
        each for each in judge(results, STARTUP) if each.goal.startswith("small pages: two workers")
    ]
    assert verdict.word == word


def test_a_goal_without_figures_is_not_judged() -> None:
    assert {each.word for each in judge([], STARTUP)} == {"–", "met"}


def test_a_speed_has_a_minimum_and_a_cost_has_a_maximum() -> None:
    assert all(ratio.is_least == (ratio.figure is get_speed) for ratio in RATIOS)


# --- two stores ----------------------------------------------------------------------------------


def test_two_crawls_share_the_hosts_and_nothing_else(tmp_path: Path) -> None:
    script = TWO_STORES.command(make_task(tmp_path, "http://a/\nhttp://b/\nhttp://c/\n"))[-1]
    assert (tmp_path / "seeds-0.txt").read_text() == "http://a/\nhttp://c/\n"
    assert (tmp_path / "seeds-1.txt").read_text() == "http://b/\n"
    assert all(f"--data {tmp_path / name} " in str(script) for name in ("tenax-0", "tenax-1"))


def test_the_pages_of_two_crawls_are_added_up(tmp_path: Path) -> None:
    (tmp_path / "report-0.json").write_text('{"pages": 3}')
    (tmp_path / "report-1.json").write_text('{"pages": 4}')
    assert TWO_STORES.count_pages(make_task(tmp_path)) == 7


def test_a_crawl_of_two_that_fails_has_no_readable_result(tmp_path: Path) -> None:
    (tmp_path / "report-0.json").write_text('{"pages": 3}')
    (tmp_path / "report-1.json").touch()
    with pytest.raises(ValueError):
        TWO_STORES.count_pages(make_task(tmp_path))


# --- the lock ------------------------------------------------------------------------------------


def test_the_shares_of_the_lock_are_read_from_a_profile(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    operations = {"store.locked": {"wall_s": 1.0}, "store.wait": {"wall_s": 0.4}}
    profile.write_text(json.dumps({"seconds": 5.0, "crawl_s": 8.0, "operations": operations}))
    assert read_lock_shares(profile) == LockShares(held=0.2, waited=0.05)


@pytest.mark.parametrize("text", [None, "", "{}", '{"seconds": 5.0, "crawl_s": 8.0, "operations": {}}'])
def test_without_the_lock_in_a_profile_there_is_no_figure(text: str | None, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    if text is not None:
        profile.write_text(text)
    assert read_lock_shares(profile) is None


# --- guards --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recorded", "code"), [({"a": 1.0}, 0), ({"a": 0.95}, 0), ({"a": 0.9}, 1), ({"b": 1.0}, 1)]
)
def test_a_guard_fails_if_a_ratio_is_worse_or_was_never_recorded(
    recorded: dict[str, float], code: int, tmp_path: Path
) -> None:
    path = tmp_path / "guard.json"
    path.write_text(json.dumps(recorded))
    guard = Recorded(path=path, program="bench.guard", title="ratio", tolerance=0.1)
    assert guard.judge({"a": 1.0}) == code


def test_what_a_guard_records_it_accepts(tmp_path: Path) -> None:
    guard = Recorded(path=tmp_path / "guard.json", program="bench.guard", title="ratio", tolerance=0.1)
    guard.save({"a": 1.23456})
    assert guard.judge({"a": 1.23456}) == 0


def test_the_cost_of_every_stage_is_recorded() -> None:
    wanted = {f"{web}: {stage.name}" for web in ("small", "heavy") for stage in GUARDED}
    assert json.loads(FEATURES.read_text()).keys() == wanted


# --- stages --------------------------------------------------------------------------------------


def test_the_cost_of_a_stage_is_relative_to_the_plain_crawl_of_its_web() -> None:
    results = [make_result(stage.name, cost=2.0) for stage in MEASURED]
    results += [make_result(stage.name, cost=4.0, web="heavy") for stage in MEASURED]
    results[2] = replace(results[2], cpu_ms_per_page=2.5)
    ratios = list_ratios(results, STAGES)
    assert ratios.pop(f"small: {STAGES[0].name}") == 1.25
    assert set(ratios.values()) == {1.0}
    assert format_rows(results)[1][2] == [STAGES[0].name, "2.500", "1.25", "4.000", "1.00"]


def test_the_cheaper_plain_crawl_counts() -> None:
    results = [make_result(stage.name, cost=2.2) for stage in MEASURED]
    results[1] = replace(results[1], cpu_ms_per_page=2.0)
    assert set(list_ratios(results, STAGES).values()) == {1.1}


def test_stages_get_the_addresses_of_their_servers(tmp_path: Path) -> None:
    servers = {"redis": "redis://127.0.0.1:1", "collector": "http://127.0.0.1:2"}
    made = {stage.name: make_crawler(stage, servers) for stage in STAGES}
    assert made["caches in Redis"].command(make_task(tmp_path))[-2:] == ["--redis", "redis://127.0.0.1:1"]
    assert made["traces"].environment == {"TENAX_TRACING__URL": "http://127.0.0.1:2"}


def test_a_stage_can_write_into_the_folder_of_its_crawl(tmp_path: Path) -> None:
    crawler = make_crawler(Stage(name="a file", arguments=("--profile", "{data}/profile.json")), {})
    assert crawler.command(make_task(tmp_path))[-1] == str(tmp_path / "profile.json")
