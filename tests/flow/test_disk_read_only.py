"""The disk takes no more writes while a crawl is under way (F8): the crawl pauses and says so, goes on when
it can write again, and damages nothing.
"""

import os
import resource
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.exits import Exit
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import Crawler, assert_complete, assert_sound, wait_until
from tests.support.small_disk import KILOBYTE, FailingDisk
from tests.support.web import TestWeb

QUICK = ("--delay", "0.02")


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=4, pages_per_host=60) as running:
        yield running


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[FailingDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    failing = FailingDisk(folder, tmp_path / "image", 32 * 1024 * KILOBYTE)
    yield failing
    failing.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_crawl_pauses_on_a_read_only_disk_and_the_same_command_goes_on(
    web: TestWeb, disk: FailingDisk, tmp_path: Path
) -> None:
    crawler = Crawler(disk.folder / "data", web, *QUICK, outputs=tmp_path / "outputs")
    process = crawler.start(TENAX_WORKER__DISK_FULL_WAIT_S="6")
    wait_until(lambda: len(web.requests()) > 40, "it is at work")
    disk.fail()
    wait_until(lambda: "read-only" in process.stderr, "it says so")
    asked = len(web.requests())
    time.sleep(1.5)
    assert process.is_running
    assert len(web.requests()) - asked <= len(web.hosts), "it fetches what it cannot store"
    ended = process.wait()
    assert ended.code == Exit.STORE
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith(f"tenax: The disk of {crawler.data} is read-only")
    disk.repair()
    assert_sound(crawler.data)
    assert crawler.run().code == 0
    assert_complete(crawler.data, web)


def test_crawl_pauses_when_writing_fails_and_goes_on_when_it_works_again(
    web: TestWeb, make_crawler: MakeCrawler
) -> None:
    crawler = make_crawler(web, *QUICK, workers=2)
    process = crawler.start()
    wait_until(lambda: len(web.requests()) > 40, "it is at work")
    workers = process.list_workers()
    limit_files(workers, 0)
    wait_until(lambda: f"The disk of {crawler.data} fails" in process.stderr, "it says so")
    asked = len(web.requests())
    time.sleep(1.5)
    assert len(web.requests()) - asked <= len(web.hosts), "it fetches what it cannot store"
    limit_files(workers, resource.RLIM_INFINITY)
    assert process.wait().code == 0
    assert "died" not in process.stderr
    assert_complete(crawler.data, web)


def limit_files(pids: list[int], size: int) -> None:
    """No write succeeds beyond that size."""
    for pid in pids:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
