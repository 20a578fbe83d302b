"""The disk runs full (F7): the crawl pauses and says so, goes on when there is room, and damages nothing.

The data directory stands on a small file system in memory. Mounting it takes root, which
test_disk_full_unprivileged.py gets from a user namespace.
"""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tenax.exits import Exit
from tests.support.crawler import TENAX, Crawler, assert_complete, assert_sound, read_pages, wait_until
from tests.support.small_disk import KILOBYTE, SmallDisk
from tests.support.stored_bodies import assert_bodies_sound
from tests.support.web import TestWeb

QUICK = ("--delay", "0.02")
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    folder = tmp_path / "disk"
    folder.mkdir()
    small = SmallDisk(folder, 1792 * KILOBYTE)
    yield small
    small.close()


@pytest.fixture
def web() -> Iterator[TestWeb]:
    with TestWeb(hosts=10, pages_per_host=40, paragraphs_per_page=30) as running:
        yield running


@pytest.fixture
def crawler(web: TestWeb, disk: SmallDisk, tmp_path: Path) -> Iterator[Crawler]:
    made = Crawler(disk.folder / "data", web, *QUICK, outputs=tmp_path / "outputs")
    yield made
    made.close()


def test_crawl_pauses_on_a_full_disk_and_goes_on_when_there_is_room(
    web: TestWeb, disk: SmallDisk, crawler: Crawler
) -> None:
    process = crawler.start()
    wait_until(lambda: "is full" in process.stderr, "it says that the disk is full")
    asked = len(web.requests())
    doctor = subprocess.run([TENAX, "doctor", "--data", str(crawler.data)], capture_output=True, text=True)
    assert doctor.stdout.startswith(f"The disk of {crawler.data} is full")
    time.sleep(1.5)
    assert process.is_running
    assert len(web.requests()) - asked <= len(web.hosts), "it fetches what it cannot store"
    disk.enlarge(64 * 1024 * KILOBYTE)
    assert process.wait().code == 0
    assert_complete(crawler.data, web)


def test_crawl_with_bodies_pauses_and_loses_none(web: TestWeb, disk: SmallDisk, crawler: Crawler) -> None:
    process = crawler.start("--store-bodies")
    wait_until(lambda: "is full" in process.stderr, "it says that the disk is full")
    assert_bodies_sound(crawler.data, crawler.data / "bodies")
    disk.enlarge(64 * 1024 * KILOBYTE)
    assert process.wait().code == 0
    assert_complete(crawler.data, web)
    found = assert_bodies_sound(crawler.data, crawler.data / "bodies")
    assert len(found) == len(read_pages(crawler.data))


def test_crawl_ends_with_a_sentence_when_there_is_no_room_in_time(
    web: TestWeb, disk: SmallDisk, crawler: Crawler
) -> None:
    ended = crawler.run(TENAX_WORKER__DISK_FULL_WAIT_S="1")
    assert ended.code == Exit.STORE
    assert ended.stderr.splitlines()[-1].startswith("tenax: The disk of")
    assert "Traceback" not in ended.stderr
    assert_sound(crawler.data)
    disk.enlarge(64 * 1024 * KILOBYTE)
    assert crawler.run().code == 0
    assert_complete(crawler.data, web)


def test_resume_after_a_full_disk_does_not_wait_for_leases(disk: SmallDisk, crawler: Crawler) -> None:
    crawler.run(TENAX_WORKER__DISK_FULL_WAIT_S="1")
    stored = len(read_pages(crawler.data))
    disk.enlarge(64 * 1024 * KILOBYTE)
    process = crawler.start()
    wait_until(lambda: len(read_pages(crawler.data)) > stored, "it goes on")
    process.kill()


def test_start_on_a_full_disk_gives_one_sentence(disk: SmallDisk, crawler: Crawler) -> None:
    disk.fill()
    ended = crawler.run()
    assert (ended.code, ended.stdout) == (1, "")
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("tenax: The disk of")


@pytest.mark.parametrize("pages", [3, 20, 100])
def test_start_on_a_disk_with_hardly_any_room_gives_one_sentence(
    disk: SmallDisk, crawler: Crawler, pages: int
) -> None:
    disk.fill()
    free = pages * os.sysconf("SC_PAGE_SIZE")
    with (disk.folder / "ballast").open("r+b") as ballast:
        ballast.truncate(ballast.seek(0, os.SEEK_END) - free)
    ended = crawler.run(TENAX_WORKER__DISK_FULL_WAIT_S="0.2")
    assert ended.code in (Exit.ERROR, Exit.STORE)
    assert "Traceback" not in ended.stderr
    assert ended.stderr.splitlines()[-1].startswith("tenax: ")


def test_finished_crawl_can_be_run_again_on_a_full_disk_once_it_is_cleared(
    web: TestWeb, disk: SmallDisk, crawler: Crawler
) -> None:
    disk.enlarge(64 * 1024 * KILOBYTE)
    crawler.run("--max-pages", "50")
    disk.fill()
    assert crawler.run(TENAX_WORKER__DISK_FULL_WAIT_S="0.2").code in (Exit.ERROR, Exit.STORE)
    disk.clear()
    assert crawler.run().code == 0
    assert_complete(crawler.data, web)
