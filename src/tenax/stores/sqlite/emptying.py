"""Deletes a crawl but not its file: a server may have it open, and accounts, sources and jobs belong to the
service."""

import contextlib
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.stores.hot.run_states import FRESH_JOBS, FRESH_SOURCES
from tenax.stores.sqlite.connection.database import BUSY_TIMEOUT_S
from tenax.stores.sqlite.connection.errors import WRITING_DENIED, translate
from tenax.stores.sqlite.schema.identity import forget_identity
from tenax.stores.sqlite.schema.revision import prepare_schema, refuse_foreign_file

KEPT = (
    "users",
    "sessions",
    "tokens",
    "audit",
    "sources",
    "jobs",
    "webhooks",
    "store_clock",
    "alembic_version",
)
# Read from the file: importing the tables would load SQLAlchemy at the start of every crawl.
TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"


def empty_file(path: Path) -> None:
    """Delete all rows of the crawl. Raises StoreError if the file is no store, or damaged."""
    if not path.exists():
        return
    try:
        with contextlib.closing(_open(path)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for (name,) in connection.execute(TABLES).fetchall():
                if name not in KEPT:
                    connection.execute(f"DELETE FROM {name}")
            connection.execute(FRESH_JOBS)
            connection.execute(FRESH_SOURCES)
            forget_identity(connection)
            connection.execute("COMMIT")
            # A reader keeps the space from being returned; it is used again.
            with contextlib.suppress(sqlite.OperationalError):
                connection.execute("VACUUM")
    except sqlite.Error as error:
        raise translate(error, path, WRITING_DENIED) from error


def _open(path: Path) -> sqlite.Connection:
    connection = sqlite.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
    try:
        refuse_foreign_file(connection, path)
        prepare_schema(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection
