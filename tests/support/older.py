"""Stores of older schemas."""

import asyncio
import uuid
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.stores.databases.reader import read_store
from tenax.stores.place import Place
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.schema.migrations import run_migrations, upgrade_sqlite
from tests.support.postgres import Console, create_empty, drop
from tests.support.store import Rows


@contextmanager
def older_store(kind: str, folder: Path, revision: str, rows: Sequence[str]) -> Iterator[Place]:
    """A store as it was at this revision, with these rows. `kind`: sqlite or postgres."""
    if kind == "sqlite":
        folder.mkdir()
        upgrade_sqlite(folder / "tenax.db", revision)
        with closing(sqlite.connect(folder / "tenax.db", isolation_level=None)) as connection:
            connection.execute(f"PRAGMA application_id = {0x54454E58}")
            for row in rows:
                connection.execute(row)
        yield Place(folder=folder)
        return
    name = f"tenax_older_{uuid.uuid4().hex[:8]}"
    url = create_empty(name)
    try:
        asyncio.run(_migrate_to(url, revision))
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
