"""Products of a store that is older than their tables: they become what they would have been."""

import asyncio
import importlib
from pathlib import Path

import pytest

from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.schema.migrations import run_migrations, upgrade_sqlite
from tests.support.copying import KINDS, empty_store, read_products, show_items
from tests.support.items import find_untrue_items
from tests.support.store import SharedStore

MIGRATION = importlib.import_module("tenax.stores.schema.migrations.versions.0046_products")


@pytest.mark.parametrize("kind", KINDS)
def test_the_history_of_items_becomes_that_of_products(kind: str, tmp_path: Path) -> None:
    with empty_store(kind, tmp_path / "store") as store:
        show_items(store, 20, 15.5, 2879.2, 18)
        before = read_products(store)
        assert len(before) == 1 + 4
        forget_products(store)
        migrate(store)
        assert read_products(store) == before
        assert not find_untrue_items(store.query)


@pytest.mark.parametrize("kind", KINDS)
def test_a_store_without_products_gets_none(kind: str, tmp_path: Path) -> None:
    with empty_store(kind, tmp_path / "store") as store:
        forget_products(store)
        migrate(store)
        assert read_products(store) == []


def forget_products(store: SharedStore) -> None:
    """Make the store as old as the revision before."""
    for statement in (
        "DROP TABLE products",
        "DROP TABLE product_changes",
        "DROP TABLE item_audits",
        "ALTER TABLE webhooks DROP COLUMN min_drop",
        f"UPDATE alembic_version SET version_num = '{MIGRATION.down_revision}'",
    ):
        store.query(statement)


def migrate(store: SharedStore) -> None:
    if store.place.url is None:
        upgrade_sqlite(store.place.folder / "tenax.db", MIGRATION.revision)
    else:
        asyncio.run(_migrate(store.place.url))


async def _migrate(url: str) -> None:
    async with open_connection(url, "the database", {}) as connection, connection.begin():
        await connection.run_sync(run_migrations, MIGRATION.revision)
