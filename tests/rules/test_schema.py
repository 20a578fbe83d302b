"""One schema, stated three times: the tables, the DDL that creates new files, and the migrations."""

import time
from contextlib import closing
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from pysqlite3 import dbapi2 as sqlite
from sqlalchemy import DefaultClause, create_engine

from tenax.errors import StoreError
from tenax.policy.scoring import LAST_TIER
from tenax.stores.schema.ddl import format_sqlite_schema, metadata
from tenax.stores.schema.domains import domains
from tenax.stores.schema.migrations import REVISION, upgrade_sqlite
from tenax.stores.schema.urls import urls
from tenax.stores.sqlite.schema.revision import create_schema
from tenax.web.identity import url_key

SCHEMA = resources.files("tenax.stores.sqlite.schema").joinpath("schema.sql")


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    path = tmp_path / "migrated.db"
    upgrade_sqlite(path)
    return path


@pytest.fixture
def created(tmp_path: Path) -> Path:
    path = tmp_path / "created.db"
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        create_schema(connection)
    return path


def describe(path: Path) -> dict[str, Any]:
    """Tables with their columns, indexes with their columns and conditions; not how they were spelled."""
    with closing(sqlite.connect(path)) as connection:
        names = connection.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
        tables = {
            name: [tuple(column) for column in connection.execute(f"PRAGMA table_info({name})")]
            for name, kind, _ in names
            if kind == "table"
        }
        indexes = {
            name: (connection.execute(f"PRAGMA index_info({name})").fetchall(), _normalize(sql))
            for name, kind, sql in names
            if kind == "index"
        }
        autoincrement = sorted(name for name, _, sql in names if sql and "AUTOINCREMENT" in sql)
    return {"tables": tables, "indexes": indexes, "autoincrement": autoincrement}


def _normalize(sql: str | None) -> str | None:
    return None if sql is None else " ".join(sql.split()).replace('"', "")


def find_differences(path: Path) -> list[Any]:
    engine = create_engine("sqlite://", module=sqlite, creator=lambda: sqlite.connect(path))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        differences: list[Any] = compare_metadata(context, metadata)
    engine.dispose()
    return differences


def test_the_ddl_for_new_files_is_up_to_date() -> None:
    assert SCHEMA.read_text() == format_sqlite_schema(), "run `make docs`"


def test_the_migrations_create_what_the_ddl_creates(migrated: Path, created: Path) -> None:
    assert describe(migrated) == describe(created)


def test_the_migrations_create_what_the_tables_define(migrated: Path) -> None:
    assert find_differences(migrated) == []


def test_the_comparison_sees_a_difference(migrated: Path) -> None:
    with closing(sqlite.connect(migrated)) as connection:
        connection.execute(f"ALTER TABLE {urls.name} DROP COLUMN hops")
    assert len(find_differences(migrated)) == 1


def test_both_ways_end_at_the_newest_revision(migrated: Path, created: Path) -> None:
    for path in (migrated, created):
        with closing(sqlite.connect(path)) as connection:
            assert connection.execute("SELECT * FROM alembic_version").fetchall() == [(REVISION,)]


def test_migrating_twice_changes_nothing(migrated: Path) -> None:
    before = describe(migrated)
    upgrade_sqlite(migrated)
    assert describe(migrated) == before


def test_a_store_of_the_first_schema_is_upgraded_with_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    upgrade_sqlite(path, "0001")
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO workers VALUES (7, 'u', 1, 'host', 2, 3, 4, NULL)")
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        assert connection.execute("SELECT id, uuid, last_batch FROM workers").fetchall() == [(7, "u", 0)]
    assert find_differences(path) == []


def test_domains_of_an_older_schema_are_claimed_like_new_ones(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    upgrade_sqlite(path, "0004")
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        connection.execute(
            "INSERT INTO domains (name, status, first_seen_at, avail_at) VALUES ('a.test', 'active', 1, 2)"
        )
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        rows = connection.execute("SELECT tier, retries, priority_score FROM domains WHERE avail_at = 2")
        assert rows.fetchall() == [(LAST_TIER, 0, 0)]


def test_urls_of_an_older_schema_learn_the_run_that_visited_them_last(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    upgrade_sqlite(path, "0025")
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        for number in (1, 2, 3):
            connection.execute(
                "INSERT INTO urls (id, domain_id, key, url, depth, priority, fate, discovered_at)"
                " VALUES (?1, 1, ?1, 'https://a.test/' || ?1, 1, 1, 'fetched', 1)",
                (number,),
            )
        for run_id, url_id in ((1, 1), (2, 1), (1, 2), (2, None)):
            connection.execute(
                "INSERT INTO visits (run_id, worker_id, domain_id, url_id, at, duration_s, outcome,"
                " wire_bytes) VALUES (?, 1, 1, ?, 1, 1, 'fetched', 1)",
                (run_id, url_id),
            )
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        rows = connection.execute("SELECT id, run_id, response_headers FROM urls ORDER BY id").fetchall()
    assert rows == [(1, 2, None), (2, 1, None), (3, None, None)]


def test_a_new_domain_has_the_tier_that_its_score_gives() -> None:
    default = domains.c.tier.server_default
    assert isinstance(default, DefaultClause)
    assert str(default.arg) == str(LAST_TIER)


def test_a_migration_that_fails_half_way_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "half.db"
    with closing(sqlite.connect(path)) as connection:
        connection.execute("CREATE TABLE workers (id INTEGER)")  # the last table the migration makes
    with pytest.raises(Exception, match="workers already exists"):
        upgrade_sqlite(path)
    assert list(describe(path)["tables"]) == ["workers"]


def test_a_path_may_have_any_name(tmp_path: Path) -> None:
    path = tmp_path / "100% what? #1 é.db"
    upgrade_sqlite(path)
    assert path.exists()


def test_seeds_of_an_older_store_get_their_roots(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    upgrade_sqlite(path, "0001")
    with closing(sqlite.connect(path)) as connection:
        connection.execute(
            "INSERT INTO seeds (url, cause, added_at) VALUES ('https://www.a.example.co.uk:81/', 'user', 1)"
        )
        connection.commit()
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        rows = connection.execute("SELECT host, site FROM seeds").fetchall()
    assert rows == [("www.a.example.co.uk:81", "example.co.uk")]


def test_domains_of_an_older_store_get_their_site_and_no_rules(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    upgrade_sqlite(path, "0026")
    names = [f"s{number}.shop{number % 7}.co.uk" for number in range(12_000)]  # more than fit into one part
    with closing(sqlite.connect(path)) as connection:
        connection.executemany(
            "INSERT INTO domains (name, status, queued, avail_at, first_seen_at)"
            " VALUES (?, 'active', 3, 5.0, 1)",
            [(name,) for name in (*names, "127.0.0.1:8080", "intranet")],
        )
        connection.commit()
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        sites = dict(connection.execute("SELECT name, site FROM domains"))
        kept = connection.execute(
            "SELECT DISTINCT queued, avail_at, is_active, rule_delay_s, rule_per_domain, rule_pages, rules_at"
            " FROM domains"
        ).fetchall()
    assert sites.pop("127.0.0.1:8080") == "127.0.0.1"
    assert sites.pop("intranet") == "intranet"
    assert sites == {name: name.partition(".")[2] for name in names}
    assert kept == [(3, 5.0, 1, None, None, None, None)]


def add_old_url(path: Path, *, heartbeat_at: float) -> None:
    """Of a schema whose keys were hashes of other strings."""
    upgrade_sqlite(path, "0018")
    with closing(sqlite.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO domains (name, status, first_seen_at) VALUES ('a.test', 'active', 1)")
        connection.execute(
            "INSERT INTO urls (domain_id, key, url, depth, priority, fate, discovered_at)"
            " VALUES (1, 7, 'http://a.test/?f[]=1', 0, 1, 'fetched', 1)"
        )
        connection.execute(
            "INSERT INTO workers (uuid, run_id, host, pid, started_at, heartbeat_at)"
            " VALUES ('u', 1, 'h', 2, 3, ?)",
            (heartbeat_at,),
        )


def test_urls_of_an_older_store_get_the_keys_of_today(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    add_old_url(path, heartbeat_at=4)
    upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        rows = connection.execute("SELECT url, key FROM urls").fetchall()
    assert rows == [("http://a.test/?f[]=1", url_key("http://a.test/?f%5B%5D=1"))]


def test_a_store_that_older_workers_use_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    add_old_url(path, heartbeat_at=time.time() - 5)
    with pytest.raises(StoreError, match="1 worker of an older Tenax may still use this store"):
        upgrade_sqlite(path)
    with closing(sqlite.connect(path)) as connection:
        assert connection.execute("SELECT key FROM urls").fetchall() == [(7,)]
        assert connection.execute("SELECT * FROM alembic_version").fetchall() == [("0018",)]
