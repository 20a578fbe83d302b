"""Rewrites the tables that hold secrets so that nothing is left of their former content."""

from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.connection.errors import foreign_errors, translate
from tenax.stores.postgres.connection.protocol import Connection

# Small tables: nobody waits long for them.
_TABLES = ("sources", "webhooks")


_SETTINGS = {"statement_timeout": "0"}


async def is_unscrubbed(connection: Connection) -> bool:
    found: bool = await connection.fetchval(
        "SELECT EXISTS (SELECT 1 FROM marks WHERE name = 'secrets.unscrubbed')"
    )
    return found


async def scrub_tables(url: str, place: str) -> None:
    """The server's log, its replicas and backups are not ours to rewrite. Repeating is safe. Raises
    StoreError."""
    try:
        connection = await connect(url, _SETTINGS)
        try:
            for table in _TABLES:
                await connection.execute(f"VACUUM (FULL) {table}")
            await connection.execute("DELETE FROM marks WHERE name = 'secrets.unscrubbed'")
        finally:
            await connection.close()
    except foreign_errors() as error:
        raise translate(error, place) from error
