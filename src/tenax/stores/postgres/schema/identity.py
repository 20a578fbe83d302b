"""What makes one store different from every other: things outside of it are kept under this name."""

from xxhash import xxh3_64_hexdigest

from tenax.stores.postgres.connection.database import PostgresDatabase

# `urls` gets another file when it is emptied, and the server another time line when it is set back: what is
# known of the urls from before must not be believed then. A new file by VACUUM FULL costs a few questions.
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
    """The same for all who open this database."""
    return format_identity(await database.read(lambda connection: connection.fetchval(FACTS)))


def format_identity(facts: str) -> str:
    return xxh3_64_hexdigest(facts.encode())
