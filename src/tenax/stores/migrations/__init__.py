"""Alembic's migrations. A revision is a number with four digits; the newest is REVISION."""

from importlib import resources
from pathlib import Path

REVISION = "0002"
BUSY_TIMEOUT_S = 60.0  # another process may be migrating the same file


def upgrade_sqlite(path: Path) -> None:
    """Bring the schema of the file to REVISION, in one transaction. Repeating is safe, also at once."""
    # Late: only an old file needs Alembic, and it would cost every start 0.4 s of CPU.
    from alembic import command
    from alembic.config import Config
    from pysqlite3 import dbapi2
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import NullPool

    def connect() -> dbapi2.Connection:
        return dbapi2.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None)

    engine = create_engine("sqlite://", module=dbapi2, creator=connect, poolclass=NullPool)
    # Python's driver would begin only before the first INSERT, which leaves DDL outside.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    config = Config()
    with resources.as_file(resources.files(__package__)) as folder, engine.begin() as connection:
        config.set_main_option("script_location", str(folder).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, REVISION)
