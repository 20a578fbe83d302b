"""Alembic's migrations. A revision is a four-digit number; the newest is REVISION."""

from importlib import resources
from pathlib import Path
from typing import Any

REVISION = "0049"
BUSY_TIMEOUT_S = 60.0  # another process may be migrating the same file


def upgrade_sqlite(path: Path, revision: str = REVISION) -> None:
    """Upgrade the schema of the file to the revision, in one transaction. Repeating is safe, even
    concurrently."""
    # Imported late: only an old file needs it, and with Alembic it would cost every start 0.4 s of CPU.
    from pysqlite3 import dbapi2
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    def connect() -> dbapi2.Connection:
        return dbapi2.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)

    engine = create_engine("sqlite://", module=dbapi2, creator=connect, poolclass=NullPool)
    # Python's driver would begin a transaction only before the first INSERT, which leaves DDL outside of it.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.begin() as connection:
        run_migrations(connection, revision, folder=path.parent)


def run_migrations(connection: Any, revision: str = REVISION, *, folder: Path | None = None) -> None:
    """`connection`: SQLAlchemy's, in a transaction of the caller. `folder`: of a SQLite file. Raises
    SecretError if there are secrets and no key to seal them with."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    with resources.as_file(resources.files(__package__)) as scripts:
        config.set_main_option("script_location", str(scripts).replace("%", "%%"))
        config.attributes["connection"] = connection
        config.attributes["folder"] = folder
        command.upgrade(config, revision)
