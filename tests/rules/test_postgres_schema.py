"""The same schema in PostgreSQL: the migrations produce what the tables declare, storage included."""

import asyncio
import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Index, Table

from tenax.stores.place import Place
from tenax.stores.postgres.backend import migrate
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.schema.ddl import metadata
from tenax.stores.schema.migrations import REVISION
from tests.support.postgres import Console, create_empty, drop

FOLDER = Path("/nowhere")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    name = f"tenax_schema_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    migrate(Place(folder=FOLDER, url=url))
    yield url
    drop(name)


@pytest.fixture
def console(url: str) -> Iterator[Console]:
    with closing(Console(url)) as console:
        yield console


def find_differences(url: str) -> list[Any]:
    return asyncio.run(_find_differences(url))


async def _find_differences(url: str) -> list[Any]:
    async with open_connection(url, "the database", {}) as connection:
        found: list[Any] = await connection.run_sync(_compare)
        return found


def _compare(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "include_name": _is_no_partition}
    context = MigrationContext.configure(connection, opts=options)
    differences: list[Any] = compare_metadata(context, metadata)
    return differences


def _is_no_partition(name: str | None, kind: str, parents: Any) -> bool:
    return kind != "table" or not (name or "").startswith("visits_")


def test_the_migrations_create_what_the_tables_define(url: str) -> None:
    assert find_differences(url) == []


def test_the_comparison_sees_a_difference(url: str, console: Console) -> None:
    console.execute("ALTER TABLE urls ADD COLUMN mood text")
    try:
        assert len(find_differences(url)) == 1
    finally:
        console.execute("ALTER TABLE urls DROP COLUMN mood")


def test_tables_and_indexes_have_the_defined_storage_options(console: Console) -> None:
    rows = console.query(
        "SELECT relname, reloptions FROM pg_class WHERE relnamespace = current_schema()::regnamespace"
    )
    found = {name: set(options or ()) for name, options in rows}
    for table in metadata.sorted_tables:
        stored: list[Table | Index] = [table, *table.indexes]
        for each in stored:
            said = each.dialect_options["postgresql"].get("with") or {}
            assert found[str(each.name)] == {f"{key}={value}" for key, value in said.items()}, each.name


def test_what_is_compressed_already_is_not_compressed_again(console: Console) -> None:
    rows = console.query(
        "SELECT attname, attstorage::text FROM pg_attribute"
        " WHERE attrelid = 'pages'::regclass AND atttypid = 'bytea'::regtype ORDER BY attname"
    )
    assert rows == [("content", "e"), ("images", "e"), ("links", "e")]


def test_the_schema_has_the_newest_revision(console: Console) -> None:
    assert console.query("SELECT version_num FROM alembic_version") == [(REVISION,)]


def test_migrating_twice_changes_nothing(url: str) -> None:
    migrate(Place(folder=FOLDER, url=url))
    assert find_differences(url) == []
