"""What was crawled before crawls had names is the crawl `default`; the same command goes on with it."""

import asyncio
from pathlib import Path

import pytest

from tenax.runtime.backends import find_backend
from tenax.runtime.crawls import list_crawls, prepare_crawl
from tests.support.older import older_store, query

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


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_person_has_crawled_becomes_the_crawl_default(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", BEFORE, ROWS) as place:
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
    with older_store(kind, tmp_path / "old", BEFORE, (SOURCE,)) as place:
        find_backend(place).migrate(place)
        assert query(place, "SELECT name, kind FROM sources") == [("default", "source")]


@pytest.mark.parametrize("kind", KINDS)
def test_a_source_keeps_its_name(kind: str, tmp_path: Path) -> None:
    with older_store(kind, tmp_path / "old", BEFORE, (SOURCE, *ROWS)) as place:
        find_backend(place).migrate(place)
        named = query(place, "SELECT name, kind FROM sources ORDER BY id")
        assert named == [("default", "source"), ("default 2", "crawl")]
