"""Whether a file is a store, and its schema; creates and upgrades the schema."""

import contextlib
from importlib import resources
from pathlib import Path

from pysqlite3 import dbapi2 as sqlite

from tenax.errors import StoreDamaged, StoreError, StoreTooNew
from tenax.stores.hot.statements import FIND_REVISION
from tenax.stores.schema.migrations import REVISION, upgrade_sqlite
from tenax.stores.sqlite.schema.scrubbing import is_unscrubbed, scrub_file

Connection = sqlite.Connection

APPLICATION_ID = 0x54454E58  # "TENX"


def prepare_schema(connection: Connection, path: Path) -> None:
    """Create the schema in a new file, upgrade an older one, refuse a newer one."""
    found = read_revision(connection)
    if found == REVISION:
        return
    if found is None:
        create_schema(connection)
    else:
        refuse_newer(found, path)
        upgrade_sqlite(path)
        _scrub(connection, path)


def _scrub(connection: Connection, path: Path) -> None:
    """Remove secrets that were not sealed in an older file; without enough space, a user does it later."""
    if is_unscrubbed(connection):
        with contextlib.suppress(StoreError):
            scrub_file(path)


def read_revision(connection: Connection) -> str | None:
    """The schema's revision, None in a file without one."""
    has_table = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
    if not has_table:
        return None
    row = connection.execute(FIND_REVISION).fetchone()
    return row[0] if row else None


def refuse_newer(found: str, path: Path) -> None:
    if found > REVISION:
        raise StoreTooNew(
            f"{path} was written by a newer Tenax (schema {found}, this one knows {REVISION}). "
            "Upgrade Tenax, or choose another --data directory."
        )


def refuse_foreign_file(connection: Connection, path: Path) -> None:
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    # In this order: a process that creates the store concurrently commits both at once.
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreDamaged(f"{path} is a database of another program. Choose another --data directory.")


def create_schema(connection: Connection) -> None:
    """Run the generated DDL, so that a start need not import SQLAlchemy."""
    script = resources.files(__package__).joinpath("schema.sql").read_text()
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have created it while this one waited for the lock.
        if read_revision(connection) is None:
            for statement in script.split(";\n"):
                if statement.strip():
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
