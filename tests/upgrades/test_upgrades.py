"""Stores of released versions are brought up to date with all they hold, and are crawled into again."""

import gzip
import json
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tenax.config.loading import KEY_VARIABLE
from tenax.stores.layout import STORE_NAME
from tenax.stores.schema.migrations import REVISION
from tests.support.crawler import Crawler
from tests.support.postgres import Console, create_empty, drop
from tests.support.web import TestWeb
from tests.upgrades.stored import EXPORTS, KEY, STORES, Row, Stored, ask, read_stored

VERSIONS = sorted(each.name for each in STORES.iterdir())


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> Path:
    return STORES / str(request.param)


@pytest.fixture
def sqlite_place(version: Path, tmp_path: Path) -> tuple[str, ...]:
    folder = tmp_path / "crawl"
    folder.mkdir()
    (folder / STORE_NAME).write_bytes(gzip.decompress((version / "crawl.db.gz").read_bytes()))
    return ("--data", str(folder))


@pytest.fixture
def postgres_place(version: Path, tmp_path: Path) -> Iterator[tuple[str, ...]]:
    name = f"tenax_upgrade_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    dump = (version / "database.sql").read_text().splitlines(keepends=True)
    with closing(Console(url)) as console:
        # Lines that begin with a backslash are for psql.
        console.execute("".join(line for line in dump if not line.startswith("\\")))
    yield ("--data", str(tmp_path / "notes"), "--store", url)
    drop(name)


def load_expected(version: Path, name: str) -> Stored:
    stored: Stored = json.loads((version / name).read_text())
    return stored


def narrow(rows: list[Row], like: list[Row]) -> list[Row]:
    """The columns that the old version knew; later ones may have more."""
    return [{name: row[name] for name in like[0]} for row in rows]


def assert_kept(found: Stored, expected: Stored) -> None:
    for name in EXPORTS:
        assert expected[name], f"the old store has no {name}"
        assert narrow(found[name], expected[name]) == expected[name], name
    assert found["users"] == expected["users"]
    assert "of-the-upgrade-tests" in expected["sources"]
    assert found["sources"] == expected["sources"]


def crawl_more(expected: Stored, folder: Path, *place: str) -> None:
    """As a user does after an upgrade: the same store, another site. The old sites are gone by now."""
    domains = {row["domain"] for row in expected["urls"]}
    for domain in domains:
        ask("domains", "block", domain, "--data", str(folder), *place)
    with TestWeb(hosts=["new.test"], pages_per_host=3) as web:
        crawler = Crawler(folder, web, "--delay", "0.02", *place)
        try:
            assert crawler.run().code == 0
        finally:
            crawler.close()


def test_a_file_keeps_everything(version: Path, sqlite_place: tuple[str, ...], tmp_path: Path) -> None:
    expected = load_expected(version, "crawl.json")
    assert f"schema {REVISION}" in ask("migrate", *sqlite_place)
    assert_kept(read_stored(*sqlite_place), expected)
    crawl_more(expected, tmp_path / "crawl")
    assert_grown(read_stored(*sqlite_place), expected)


def test_a_database_keeps_everything(version: Path, postgres_place: tuple[str, ...], tmp_path: Path) -> None:
    expected = load_expected(version, "database.json")
    assert f"schema {REVISION}" in ask("migrate", *postgres_place)
    assert_kept(read_stored(*postgres_place), expected)
    crawl_more(expected, tmp_path / "notes", *postgres_place[2:])
    assert_grown(read_stored(*postgres_place), expected)


def assert_grown(found: Stored, expected: Stored) -> None:
    added = {row["url"] for row in found["pages"]} - {row["url"] for row in expected["pages"]}
    assert len([url for url in added if "//new.test" in url]) == 3
    assert {row["url"] for row in expected["pages"]} <= {row["url"] for row in found["pages"]}
