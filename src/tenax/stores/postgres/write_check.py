"""Whether a database can be written. See stores/write_check.py."""

import asyncio

from tenax.stores.place import Place
from tenax.stores.postgres.connection.connection import connect
from tenax.stores.postgres.connection.errors import find_disk_trouble, foreign_errors, translate
from tenax.stores.write_check import WriteObstacle, describe_disk

# A megabyte on the database's own disk, which is freed at once: a table that only this session sees.
PROBE = """
    CREATE TEMP TABLE probe ON COMMIT DROP AS
    SELECT md5(number::text) AS filling
    FROM generate_series(1, 16000) AS number
"""
SETTINGS = {"statement_timeout": "5s", "client_min_messages": "error"}


def probe(place: Place) -> WriteObstacle | None:
    return asyncio.run(_probe(place))


async def _probe(place: Place) -> WriteObstacle | None:
    assert place.url is not None
    try:
        connection = await connect(place.url, SETTINGS)
    except foreign_errors() as error:
        raise translate(error, str(place)) from error
    try:
        async with connection.transaction():
            await connection.execute(PROBE)
    except foreign_errors() as error:
        # None: it may not, or cannot at the moment, for which there are other signs.
        trouble = find_disk_trouble(error)
        return None if trouble is None else describe_disk(trouble, str(place), str(error))
    finally:
        await connection.close()
    return None
