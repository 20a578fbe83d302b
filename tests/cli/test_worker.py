"""`tenax worker` without work."""

from contextlib import closing
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tests.support.command import run_tenax
from tests.support.postgres import Console, create_empty, drop, fresh_database
from tests.support.stores import fill_store


def test_without_a_run_there_is_nothing_to_wait_for_until_idle(data: Path) -> None:
    ended = run_tenax("worker", "--data", data, "--until-idle")
    assert (ended.code, ended.out, ended.err) == (0, "", "")


def test_without_a_store_nothing_is_made(tmp_path: Path) -> None:
    assert run_tenax("worker", "--data", tmp_path / "none", "--until-idle").code == 0
    assert not (tmp_path / "none").exists()


def test_settings_of_another_version_get_one_sentence(tmp_path: Path) -> None:
    fill_store(tmp_path, is_ended=False)
    with closing(sqlite.connect(tmp_path / "tenax.db", isolation_level=None)) as connection:
        connection.execute("UPDATE runs SET settings = '{\"moods\": {}}'")
    ended = run_tenax("worker", "--data", tmp_path, "--until-idle")
    assert ended.code == 2
    assert "another version of Tenax" in ended.err


def test_a_database_without_tables_gets_one_sentence() -> None:
    url = create_empty("tenax_cli_worker")
    try:
        ended = run_tenax("worker", "--store", url)
    finally:
        drop("tenax_cli_worker")
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert "Run 'tenax migrate --store …' once" in ended.err


@pytest.mark.parametrize(("revision", "words"), [("9999", "a newer Tenax"), ("0001", "an older Tenax")])
def test_a_database_of_another_version_gets_one_sentence(revision: str, words: str) -> None:
    with fresh_database() as url, closing(Console(url)) as console:
        console.execute(f"UPDATE alembic_version SET version_num = '{revision}'")
        ended = run_tenax("worker", "--store", url)
    assert (ended.code, ended.err.count("\n")) == (1, 1)
    assert words in ended.err


def test_what_belongs_to_a_run_is_no_option() -> None:
    assert run_tenax("worker", "--delay", "1").code == 2


def test_a_wrong_setting_is_a_usage_error(tmp_path: Path) -> None:
    assert run_tenax("worker", "--data", tmp_path, "--workers", "0").code == 2
