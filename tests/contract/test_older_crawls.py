"""What was crawled before crawls had names is the crawl `default`; the same command goes on with it."""

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from pysqlite3 import dbapi2 as sqlite

from tenax.runtime.backends import find_backend
from tenax.runtime.crawls import list_crawls, prepare_crawl
from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.schema.migrations import run_migrations, upgrade_sqlite
from tests.support.postgres import Console, create_empty, drop
from tests.support.store import Rows

BEFORE = "0026"
SEED = "https://a.example/"
KINDS = ["sqlite", "postgres"]
SOURCE = (
    "INSERT INTO sources (name, key, definition, enabled, created_at, updated_at)"
    " VALUES ('default', 'default', '{}', 1, 0, 0)"
)
ROWS = (
    "INSERT INTO domains (id, name, status, first_seen_at, queued, avail_at, pages_discovered)"
    " VALUES (1, 'a.example', 'active', 5, 1, 5, 2), (2, 'b.example', 'active', 5, 0, NULL, 0)",
    "UPDATE domains SET source_id = 7 WHERE id = 2",
    "INSERT INTO urls (id, domain_id, key, url, depth, priority, due_at, fate, discovered_at)"
    " VALUES (1, 1, 11, 'https://a.example/', 0, 3, NULL, 'fetched', 5),"
    " (2, 1, 12, 'https://a.example/x', 1, 2, 5, 'queued', 5)",
    f"INSERT INTO seeds (url, cause, added_at) VALUES ('{SEED}', 'user', 5)",
    "INSERT INTO runs (state, settings, started_at) VALUES ('stopped', '{}', 5)",
)


@contextmanager
def older_store(kind: str, folder: Path, rows: tuple[str, ...]) -> Iterator[Place]:
    if kind == "sqlite":
        folder.mkdir()
        upgrade_sqlite(folder / "tenax.db", BEFORE)
        with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {0x54454E58}")
            for row in rows:
                connection.execute(row)
        yield Place(folder=folder)
        return
    name = f"tenax_older_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    try:
        asyncio.run(_migrate_to(url, BEFORE))
        with closing(Console(url)) as console:
            for row in rows:
                console.execute(row)
        yield Place(folder=folder, url=url)
    finally:
        drop(name)


async def _migrate_to(url: str, revision: str) -> None:
    async with open_connection(url, "the database", {}) as connection, connection.begin():
        await connection.run_sync(run_migrations, revision)


def query(place: Place, sql: str) -> Rows:
    return read_store(place, lambda found: [tuple(row) for row in found.exec_driver_sql(sql)])


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_person_has_crawled_becomes_the_crawl_default(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", ROWS) as place:
        find_backend(place).migrate(place)
        (crawl,) = asyncio.run(list_crawls(place))
        assert (crawl.name, crawl.waiting, crawl.run_id) == ("default", 1, None)
        owners = query(place, "SELECT name, source_id, queued FROM domains ORDER BY id")
        assert owners == [("a.example", crawl.id, 1), ("b.example", 7, 0)], "sources keep theirs"
        for table in ("runs", "seeds"):
            assert query(place, f"SELECT source_id FROM {table}") == [(crawl.id,)]
        prepared = asyncio.run(prepare_crawl(place, SEED, [SEED], first_seed=SEED))
        assert prepared.crawl.name == "default", "it began with that seed: the same command goes on with it"
        assert prepared.taking.taken == ()
        other = asyncio.run(prepare_crawl(place, f"{SEED}x", [f"{SEED}x"], first_seed=f"{SEED}x"))
        assert other.crawl.name == f"{SEED}x"


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_without_crawls_gets_none(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", (SOURCE,)) as place:
        find_backend(place).migrate(place)
        assert query(place, "SELECT name, kind FROM sources") == [("default", "source")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_keeps_its_name(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", (SOURCE, *ROWS)) as place:
        find_backend(place).migrate(place)
        named = query(place, "SELECT name, kind FROM sources ORDER BY id")
        assert named == [("default", "source"), ("default 2", "crawl")]
