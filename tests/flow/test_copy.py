"""A crawl moves to another store in its middle, and ends as if it had stayed."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenax.failpoints import EXIT_CODE
from tenax.stores.place import find_state_folder
from tests.flow.conftest import MakeCrawler
from tests.support.command import COMMAND
from tests.support.crawler import (
    DEADLINE_S,
    Where,
    assert_asked_once,
    assert_complete,
    assert_repeats_are_recent,
    assert_sound,
    query,
    read_pages,
    wait_until,
)
from tests.support.postgres import Console
from tests.support.store import Rows
from tests.support.web import TestWeb, assert_polite

QUICK = ("--delay", "0.02")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def copy(source: Where, destination: Where, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), "copy", "--from", str(source), "--to", str(destination)],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        timeout=DEADLINE_S,
    )


@contextlib.contextmanager
def hold(url: str, table: str) -> Iterator[None]:
    with closing(Console(url)) as console:
        console.execute(f"BEGIN; LOCK TABLE {table}")
        yield
        console.execute("ROLLBACK")


def is_waiting(url: str) -> bool:
    return query(url, "SELECT count(*) FROM pg_locks WHERE NOT granted") != [(0,)]


def read_fates(where: Where) -> Rows:
    """What became of every url, without instants and ids."""
    return sorted(query(where, "SELECT url, fate, depth, status, attempts, is_seed FROM urls"))


def test_a_crawl_that_moves_there_and_back_ends_as_one_that_stays(
    url: str, make_crawler: MakeCrawler, tmp_path: Path
) -> None:
    with TestWeb(hosts=4, pages_per_host=15, cross_host=True) as web:
        first, last = tmp_path / "first", tmp_path / "last"
        assert make_crawler(web, *QUICK, data=first).run("--max-pages", "20").code == 0
        assert copy(first, url).returncode == 0
        assert read_fates(url) == read_fates(first)
        assert make_crawler(web, *QUICK, "--store", url).run("--max-pages", "20").code == 0
        moved = copy(url, last)
        assert moved.returncode == 0, moved.stderr
        assert make_crawler(web, *QUICK, data=last).run().code == 0
        assert_asked_once(web.requests())
        assert_complete(last, web)
        stayed = tmp_path / "stayed"
        assert make_crawler(web, *QUICK, data=stayed).run().code == 0
        assert [row[:2] for row in read_fates(last)] == [row[:2] for row in read_fates(stayed)]
        texts = [{page.url: page.text for page in read_pages(where).values()} for where in (last, stayed)]
        assert texts[0] == texts[1]


@pytest.mark.parametrize("is_to_server", [True, False])
def test_a_crawl_that_was_killed_moves_and_stays_polite(
    url: str, make_crawler: MakeCrawler, tmp_path: Path, is_to_server: bool
) -> None:
    options = ("--store", url, "--data", str(find_state_folder(url)))
    ends: tuple[Where, Where] = (tmp_path / "file", url) if is_to_server else (url, tmp_path / "file")
    with TestWeb(hosts=2, pages_per_host=8) as web:
        file = make_crawler(web, "--delay", "1", data=tmp_path / "file")
        server = make_crawler(web, "--delay", "1", *options)
        process = (file if is_to_server else server).start()
        wait_until(lambda: len(web.requests()) >= 6, "it works")
        died_at = process.kill()
        moved = copy(*ends)
        assert moved.returncode == 0, moved.stderr
        assert_sound(ends[1])
        assert query(ends[1], "SELECT name FROM domains WHERE claimed_by IS NOT NULL") == []
        assert (server if is_to_server else file).run().code == 0
        assert_complete(ends[1], web)
        assert_polite(web.requests(), delay_s=1)
        assert_repeats_are_recent(web.requests(), [died_at])


# Its first commit notes the copy, or finds it noted; so every attempt adds one chunk.
@pytest.mark.parametrize("point", ["commit.before:3", "commit.after:2"])
@pytest.mark.parametrize("is_to_server", [True, False])
def test_a_copy_that_dies_at_every_commit_is_complete_in_the_end(
    url: str, make_crawler: MakeCrawler, tmp_path: Path, point: str, is_to_server: bool
) -> None:
    file, server = tmp_path / "file", ("--store", url)
    with TestWeb(hosts=3, pages_per_host=6) as web:
        assert make_crawler(web, *QUICK, *(() if is_to_server else server), data=file).run().code == 0
        ends: tuple[Where, Where] = (file, url) if is_to_server else (url, tmp_path / "moved")
        codes = [copy(*ends, TENAX_FAILPOINT=point).returncode for _ in range(4)]
        assert codes == [EXIT_CODE] * 4
        ended = copy(*ends)
        assert ended.returncode == 0, ended.stderr
        assert_sound(ends[1])
        assert set(read_pages(ends[1])) == web.expected_urls()
        assert read_fates(ends[1]) == read_fates(ends[0])


def test_kills_at_any_moment_do_no_harm(url: str, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with TestWeb(hosts=10, pages_per_host=20) as web:
        assert make_crawler(web, "--delay", "0", data=file).run().code == 0
        for delay_s in (0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            process = subprocess.Popen(
                [str(COMMAND), "copy", "--from", str(file), "--to", url],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(delay_s)
            process.kill()
            process.wait(DEADLINE_S)
        assert copy(file, url).returncode == 0
        assert_complete(url, web)


def test_a_crawl_at_work_is_refused_and_goes_on(url: str, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with TestWeb(hosts=2, pages_per_host=100) as web:
        process = make_crawler(web, "--delay", "0.5", data=file).start()
        wait_until(lambda: len(web.requests()) >= 4, "it works")
        ended = copy(file, url)
        assert (ended.returncode, ended.stderr.count("\n")) == (1, 1)
        assert "Stop it first" in ended.stderr
        process.send(signal.SIGTERM)
        assert process.wait().code == 3
        assert copy(file, url).returncode == 0


def test_a_signal_ends_a_copy_between_chunks(url: str, make_crawler: MakeCrawler, tmp_path: Path) -> None:
    file = tmp_path / "file"
    with TestWeb(hosts=2, pages_per_host=5) as web:
        assert make_crawler(web, "--delay", "0", data=file).run().code == 0
        # It waits for whoever holds the table that is copied first.
        with hold(url, "domains"):
            process = subprocess.Popen(
                [str(COMMAND), "copy", "--from", str(file), "--to", url],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            wait_until(lambda: is_waiting(url), "it waits")
            process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=DEADLINE_S)
        assert (process.returncode, said) == (3, "Stopped. Run the same command to continue.\n")
        assert copy(file, url).returncode == 0
        assert_complete(url, web)
