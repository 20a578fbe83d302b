import contextlib
import json
import shutil
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.stores.presence import Presence
from tests.support.command import run_tenax
from tests.support.stores import fill_store, make_empty_store


def test_status_counts_urls_by_fate_and_domains_by_status(data: Path) -> None:
    ended = run_tenax("status", "--data", data)
    assert ended.code == 0
    assert "2 pages of 10 urls" in ended.out
    assert "3 queued, 1 retrying, 2 fetched, 1 redirected, 1 gone, 1 refused, 1 dead" in ended.out
    assert "1 active, 1 pending, 1 unreachable" in ended.out


def test_status_forecasts_the_longest_queue_times_its_delay(data: Path) -> None:
    found = json.loads(run_tenax("status", "--data", data, "--json").out)
    assert found["forecast_s"] == 6.0
    assert [(queue["domain"], queue["forecast_s"]) for queue in found["queues"]] == [
        ("shop.example", 6.0),
        ("later.example", 1.0),
    ]


def test_status_names_the_last_run_and_what_to_do_next(data: Path) -> None:
    ended = run_tenax("status", "--data", data)
    assert "stopped, 2 pages in 12 s" in ended.out
    assert ended.out.endswith("Run the same crawl command to continue.\n")


def test_a_run_without_a_live_worker_is_called_interrupted(tmp_path: Path) -> None:
    fill_store(tmp_path, is_ended=False)
    ended = run_tenax("status", "--data", tmp_path)
    assert "interrupted, 2 pages" in ended.out
    assert "none active, 1 dead" in ended.out
    assert "nothing is lost: run the same crawl command" in ended.out


def test_a_live_worker_is_shown_as_active(tmp_path: Path) -> None:
    fill_store(tmp_path, is_ended=False)
    with Presence(tmp_path / "workers", "worker-of-fill-store"):
        ended = run_tenax("status", "--data", tmp_path)
    assert "1 active (process 4242 with 1 domain)" in ended.out
    assert "A crawl is active" in ended.out


def test_json_has_instants_as_iso_8601(data: Path) -> None:
    found = json.loads(run_tenax("status", "--data", data, "--json").out)
    assert found["runs"][0]["started_at"] == "2025-06-15T15:06:40.000Z"
    assert found["fates"]["fetched"] == 2


def test_new_urls_that_had_to_wait_are_counted(tmp_path: Path) -> None:
    fill_store(tmp_path)
    with contextlib.closing(sqlite.connect(tmp_path / "tenax.db")) as connection, connection:
        connection.execute("UPDATE runs SET postponed = 1200")
    assert "1,200 new urls postponed" in run_tenax("status", "--data", tmp_path).out


def test_an_empty_store_says_how_to_start(tmp_path: Path) -> None:
    make_empty_store(tmp_path)
    assert "start with 'tenax crawl URL'" in run_tenax("status", "--data", tmp_path).out


def test_a_directory_without_a_crawl_gets_one_sentence(tmp_path: Path) -> None:
    ended = run_tenax("status", "--data", tmp_path / "typo")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("tenax: There is no crawl in ")
    assert not (tmp_path / "typo").exists()


def test_a_file_that_is_no_database_gets_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "tenax.db").write_bytes(b"not a database, just some text" * 100)
    ended = run_tenax("status", "--data", tmp_path)
    assert ended.code == 1
    assert "is not a Tenax store or is damaged" in ended.err


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    connection = sqlite.connect(tmp_path / "tenax.db")
    connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    ended = run_tenax("status", "--data", tmp_path)
    assert ended.code == 1
    assert "database of another program" in ended.err


@pytest.mark.parametrize(("revision", "words"), [("9999", "a newer Tenax"), ("0000", "an older Tenax")])
def test_a_store_of_another_version_is_refused(tmp_path: Path, revision: str, words: str) -> None:
    make_empty_store(tmp_path)
    connection = sqlite.connect(tmp_path / "tenax.db")
    connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    connection.commit()
    connection.close()
    ended = run_tenax("status", "--data", tmp_path)
    assert ended.code == 1
    assert words in ended.err


def test_reading_changes_nothing_in_the_directory(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "copy")
    before = (tmp_path / "copy" / "tenax.db").read_bytes()
    run_tenax("status", "--data", tmp_path / "copy")
    assert (tmp_path / "copy" / "tenax.db").read_bytes() == before
