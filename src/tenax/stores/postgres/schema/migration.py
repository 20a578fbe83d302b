"""Brings the schema of a database up to date."""

from typing import Any

from tenax.errors import StoreError
from tenax.stores.hot.statements import FIND_REVISION
from tenax.stores.postgres.connection.engine import open_connection
from tenax.stores.postgres.schema.revision import refuse_newer
from tenax.stores.schema.migrations import REVISION, run_migrations

LOCK = 0x7E4A_0004
# A table that is rewritten takes its time; one that is in use must not keep everyone waiting.
SETTINGS = {"statement_timeout": "0", "lock_timeout": "30s"}


async def upgrade(url: str, place: str) -> None:
    """In one transaction. Repeating is safe, also concurrently."""
    async with open_connection(url, place, SETTINGS) as connection, connection.begin():
        await connection.run_sync(_upgrade, place)


def _upgrade(connection: Any, place: str) -> None:
    """`connection`: SQLAlchemy's."""
    # Late: only migrations need it, and the backend of a crawl imports this module.
    from sqlalchemy import text

    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
    if connection.scalar(text("SELECT to_regclass('alembic_version') IS NOT NULL")):
        if not connection.scalar(text("SELECT to_regprocedure('tenax_now()') IS NOT NULL")):
            raise StoreError(f"{place} is a database of another program. Create one for Tenax alone.")
        found = connection.scalar(text(FIND_REVISION))
        if found == REVISION:
            return
        refuse_newer(found or "", place)
    run_migrations(connection)
