"""Where the time of whole crawls went: several workers, both databases, when a worker dies, when all stop."""

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.flow.conftest import MakeCrawler
from tests.support.crawler import assert_complete, wait_until
from tests.support.web import TestWeb

WORKERS = 2


def read_profile(path: Path) -> dict[str, Any]:
    profile: dict[str, Any] = json.loads(path.read_text())
    return profile


def assert_consistent(profile: dict[str, Any]) -> None:
    """The parts of the whole and of each worker add up, and the workers add up to the whole."""
    for each in (profile, *profile["by_worker"]):
        assert each["busy_s"] + each["idle_s"] == pytest.approx(each["crawl_s"], abs=1e-3)
        stages_s = sum(stage["busy_s"] for stage in each["stages"].values())
        assert stages_s + each["other_s"] == pytest.approx(each["busy_s"], abs=1e-3)
    for name, stage in profile["stages"].items():
        counts = [each["stages"].get(name, {"count": 0})["count"] for each in profile["by_worker"]]
        assert sum(counts) == stage["count"]


@pytest.mark.parametrize("is_postgres", [False, True], ids=["sqlite", "postgres"])
def test_the_workers_of_a_crawl_share_a_profile(
    is_postgres: bool, request: pytest.FixtureRequest, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    url: str | None = request.getfixturevalue("url") if is_postgres else None
    store = ("--store", url) if url else ()
    file = tmp_path / "profile.json"
    with TestWeb(hosts=12, pages_per_host=8, cross_host=True) as web:
        crawler = make_crawler(web, "--delay", "0.3", "--profile", str(file), *store, workers=WORKERS)
        ended = crawler.run()
        assert ended.code == 0, ended.stderr
        assert_complete(url or crawler.data, web)
    profile = read_profile(file)
    assert profile["workers"] == {"started": WORKERS, "profiled": WORKERS, "whole": WORKERS}
    assert profile["pages"] == profile["stages"]["read"]["count"] == ended.report["pages"]
    assert sum(each["pages"] for each in profile["by_worker"]) == profile["pages"]
    assert_consistent(profile)
    operations = profile["operations"]
    assert {"store.claim", "store.load", "store.settle"} <= set(operations) | set(profile["stages"])
    if is_postgres:
        assert operations["store.settle"]["wall_s"] >= profile["stages"]["store.settle"]["busy_s"]
    assert ("store.locked" in operations) is not is_postgres


def test_a_signal_ends_the_crawl_with_a_profile(make_crawler: MakeCrawler, tmp_path: Path) -> None:
    file = tmp_path / "profile.json"
    with TestWeb(hosts=6, pages_per_host=20) as web:
        crawler = make_crawler(web, "--delay", "0.2", "--profile", str(file), workers=WORKERS)
        process = crawler.start()
        wait_until(lambda: len(web.requests()) > 20, "it works")
        process.send_to_group(signal.SIGINT)
        ended = process.wait()
    assert (ended.code, ended.report["state"]) == (3, "stopped")
    profile = read_profile(file)
    assert profile["workers"]["whole"] == WORKERS
    assert profile["pages"] == ended.report["pages"]
    assert_consistent(profile)


def test_a_worker_that_is_killed_is_covered_up_to_its_last_report(
    make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    file = tmp_path / "profile.json"
    with TestWeb(hosts=6, pages_per_host=12) as web:
        crawler = make_crawler(web, "--delay", "0.2", "--profile", str(file), workers=WORKERS)
        process = crawler.start()
        wait_until(lambda: len(process.list_workers()) == WORKERS, "they are there")
        wait_until(lambda: len(web.requests()) > 40, "they work")
        killed = process.list_workers()[0]
        os.kill(killed, signal.SIGKILL)
        ended = process.wait()
    assert ended.code == 0, ended.stderr
    profile = read_profile(file)
    assert profile["workers"] == {"started": 3, "profiled": 3, "whole": 2}
    assert [each["pid"] for each in profile["by_worker"] if not each["is_whole"]] == [killed]
    assert_consistent(profile)
