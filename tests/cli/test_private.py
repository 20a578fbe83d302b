"""What Tenax creates is private, whatever the umask; older directories get a warning."""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest

from tenax.stores.sqlite.connection.database import SqliteDatabase
from tests.support.clock import FakeClock
from tests.support.command import COMMAND, run_tenax
from tests.support.scripted import ScriptedWeb, page
from tests.support.stores import make_empty_store

QUICK = ("--resolve", "*:127.0.0.1", "--allow-private", "--delay", "0", "--workers", "1")
SITE = {"/": page("Home", "/one"), "/one": page("One")}


def list_modes(folder: Path) -> dict[str, int]:
    return {str(path): path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}


def test_a_crawl_leaves_nothing_that_others_may_read(tmp_path: Path) -> None:
    data = tmp_path / "crawls" / "news"
    with ScriptedWeb({"a.test": SITE}) as web:
        arguments: list[str | Path] = [COMMAND, "crawl", web.url("a.test"), *QUICK, "--data", data]
        subprocess.run(arguments, check=True, capture_output=True, timeout=180, umask=0, cwd=tmp_path)
    modes = list_modes(tmp_path / "crawls")
    assert {Path(path).name for path in modes} >= {"tenax.db", "logs", "metrics.prom", "workers"}
    usual = {True: 0o700, False: 0o600}
    assert {path: oct(mode) for path, mode in modes.items() if mode != usual[Path(path).is_dir()]} == {}


def test_the_log_of_the_store_is_as_private_as_its_file(tmp_path: Path) -> None:
    async def look() -> dict[str, int]:
        async with SqliteDatabase(tmp_path / "new" / "tenax.db", FakeClock()) as database:
            await database.write(lambda connection: connection.execute("DELETE FROM marks"))
            return list_modes(tmp_path / "new")

    earlier = os.umask(0)
    try:
        modes = asyncio.run(look())
    finally:
        os.umask(earlier)
    assert {Path(path).name: oct(mode) for path, mode in modes.items()} == {
        "new": "0o700",
        "tenax.db": "0o600",
        "tenax.db-wal": "0o600",
        "tenax.db-shm": "0o600",
    }


def test_an_older_directory_is_warned_of_until_it_is_closed(tmp_path: Path) -> None:
    data = tmp_path / "crawl"
    make_empty_store(data)
    assert json.loads(run_tenax("doctor", "--json", "--data", data).out)["warnings"] == []
    data.chmod(0o755)
    warning = run_tenax("doctor", "--data", data).out.splitlines()[-1]
    assert warning == f"Warning: Other users of this machine can access {data}: chmod -R go= {data}"
    subprocess.run(warning.rpartition(": ")[2].split(), check=True)
    assert "Mind" not in run_tenax("doctor", "--data", data).out
    assert list_modes(data)[str(data)] == 0o700


def test_a_file_that_a_user_names_follows_their_umask(data: Path, tmp_path: Path) -> None:
    earlier = os.umask(0o022)
    try:
        assert run_tenax("export", "pages", "-o", tmp_path / "pages.jsonl", "--data", data).code == 0
    finally:
        os.umask(earlier)
    assert (tmp_path / "pages.jsonl").stat().st_mode & 0o777 == 0o644


def test_a_key_that_others_may_read_is_warned_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TENAX_SECRET_KEY")
    data = tmp_path / "crawl"
    make_empty_store(data)
    (data / "secret.key").write_text(run_tenax("secrets", "new-key").out)
    (data / "secret.key").chmod(0o640)
    told = run_tenax("doctor", "--data", data).out
    assert f"Other users of this machine can read {data / 'secret.key'}" in told
