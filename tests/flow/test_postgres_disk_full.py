"""The disk of PostgreSQL runs full: the crawl pauses and says so, and goes on when there is room."""

import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenax.crawl.insight.store_doctor import diagnose_write_obstacle
from tenax.stores.databases.write_check import check_writable
from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tests.flow.conftest import MakeCrawler
from tests.support.crawler import wait_until
from tests.support.invariants import assert_whole
from tests.support.postgres import Console
from tests.support.servers import PostgresServer
from tests.support.small_disk import KILOBYTE, SmallDisk
from tests.support.web import TestWeb

DELAY_S = 0.05
PLENTY = 512 * 1024 * KILOBYTE

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")


@pytest.fixture
def disk() -> Iterator[SmallDisk]:
    with tempfile.TemporaryDirectory(prefix="tenax-small-disk-") as folder:
        disk = SmallDisk(Path(folder), PLENTY)
        yield disk
        disk.close()


def create_on(disk: SmallDisk, server: PostgresServer) -> str:
    """A database on the disk, with the schema; the server's log is elsewhere, or it would stop altogether."""
    server.give(disk.folder)
    with closing(Console(server.url)) as console:
        console.execute(f"CREATE TABLESPACE small LOCATION '{disk.folder}'")
        console.execute("CREATE DATABASE crawl TABLESPACE small")
    url = server.url.replace("/postgres", "/crawl")
    migrate(Place(folder=Path("/nowhere"), url=url))
    return url


def test_a_crawl_pauses_on_a_full_disk_of_the_server_and_goes_on_when_there_is_room(
    server: PostgresServer, disk: SmallDisk, make_crawler: MakeCrawler
) -> None:
    url = create_on(disk, server)
    disk.leave(512 * KILOBYTE)
    with TestWeb(hosts=10, pages_per_host=40, paragraphs_per_page=30) as web:
        process = make_crawler(web, "--delay", str(DELAY_S), "--store", url).start()
        wait_until(lambda: "is full" in process.stderr, "it says that the disk is full")
        asked = len(web.requests())
        assert diagnose_write_obstacle(check_writable(Place(folder=disk.folder, url=url))[0]).code == "disk"
        time.sleep(1.5)
        assert process.is_running
        assert len(web.requests()) - asked <= len(web.hosts), "it fetches what it cannot store"
        disk.enlarge(PLENTY)
        ended = process.wait()
        assert ended.code == 0, ended.stderr
        assert check_writable(Place(folder=disk.folder, url=url)) == ()
        assert_whole(url, web, delay_s=DELAY_S)
