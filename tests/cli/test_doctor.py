"""`tenax doctor`: the verdict as text and as JSON."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.support.command import run_tenax
from tests.support.small_disk import KILOBYTE, FailingDisk, SmallDisk
from tests.support.stores import fill_store


def test_a_user_reads_what_blocks_the_crawl_and_what_to_do(tmp_path: Path) -> None:
    fill_store(tmp_path / "crawl", is_ended=False)
    ended = run_tenax("doctor", "--data", tmp_path / "crawl")
    sentence, advice = ended.out.splitlines()
    assert sentence.startswith(
        "No active workers on run 1, with 4 urls queued. This has been so since 2025-06-15 "
    )
    assert advice == "What to do: Start 'tenax worker', or run the same crawl command."


def test_a_program_gets_one_object(data: Path) -> None:
    verdict = json.loads(run_tenax("doctor", "--json", "--data", data).out)
    assert verdict["code"] == "stopped"
    assert verdict["since"].endswith("Z")


def ask(data: Path) -> tuple[str, str]:
    verdict = json.loads(run_tenax("doctor", "--json", "--data", data).out)
    return verdict["code"], verdict["sentence"]


def test_a_locked_store_is_reported_first(data: Path) -> None:
    with closing(sqlite.connect(data / "tenax.db", isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        code, sentence = ask(data)
        assert code == "store"
        assert sentence.startswith(f"Another process has held {data / 'tenax.db'} for more than 5 s")
        connection.execute("ROLLBACK")
        assert ask(data)[0] == "stopped", "also while others use it"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_a_full_disk_is_seen_first(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with closing(SmallDisk(folder, 64 * 1024 * KILOBYTE)) as disk:
        fill_store(folder / "crawl", is_ended=False)
        assert ask(folder / "crawl")[0] == "no_worker"
        disk.leave(free=1024 * KILOBYTE)
        code, sentence = ask(folder / "crawl")
        assert code == "disk"
        assert sentence.startswith(f"The disk of {folder / 'crawl'} is full (")
        assert sentence.endswith("and a batch of pages may take 16,000,000): nothing can be stored.")
        disk.fill()
        assert ask(folder / "crawl")[0] == "disk"


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting takes root")
def test_a_read_only_disk_is_seen_first(tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with closing(FailingDisk(folder, tmp_path / "image", 64 * 1024 * KILOBYTE)) as disk:
        fill_store(folder / "crawl", is_ended=False)
        disk.fail()
        code, sentence = ask(folder / "crawl")
        assert code == "disk"
        assert sentence == f"The disk of {folder / 'crawl'} is read-only: nothing can be stored."
