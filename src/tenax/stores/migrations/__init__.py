"""Alembic's migrations. A revision is a number with four digits; the newest is REVISION."""

from importlib import resources
from pathlib import Path

REVISION = "0001"


def upgrade_sqlite(path: Path) -> None:
    """Bring the schema of the file to REVISION. Killed half-way it is repeated: DDL is transactional."""
    # Late: only an old file needs Alembic, and it would cost every start 0.4 s of CPU.
    from alembic import command
    from alembic.config import Config

    config = Config()
    with resources.as_file(resources.files(__package__)) as folder:
        config.set_main_option("script_location", str(folder))
        config.set_main_option("sqlalchemy.url", f"sqlite:///{path}")
        command.upgrade(config, REVISION)
