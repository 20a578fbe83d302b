"""The identity of a store, under which data outside of it is kept."""

from xxhash import xxh3_64_hexdigest

from tenax.stores.postgres.connection.database import PostgresDatabase

# `urls` gets another file when it is truncated, and the server another timeline when it is restored: what was
# known of the urls must not be trusted then. A new file by VACUUM FULL costs a few queries.
FACTS = """
    SELECT
        concat_ws(
            ':',
            (SELECT system_identifier FROM pg_control_system()),
            (SELECT timeline_id FROM pg_control_checkpoint()),
            (SELECT oid FROM pg_database WHERE datname = current_database()),
            pg_relation_filenode('urls')
        )
"""


async def identify(database: PostgresDatabase) -> str:
    """The same for all processes that open this database."""
    return format_identity(await database.read(lambda connection: connection.fetchval(FACTS)))


def format_identity(facts: str) -> str:
    return xxh3_64_hexdigest(facts.encode())
