"""What is known of sitemaps, in PostgreSQL. See contracts/sitemaps.py."""

from tenax.records.sitemaps import SitemapState
from tenax.stores.hot.discovery.sitemaps import FIND_STATE, read_state
from tenax.stores.postgres.connection.database import PostgresDatabase

_FIND_STATE = FIND_STATE.format(mark="$1")


class PostgresSitemaps:
    def __init__(self, database: PostgresDatabase) -> None:
        self._database = database

    async def find_state(self, url_id: int) -> SitemapState:
        return read_state(
            await self._database.read(lambda connection: connection.fetchrow(_FIND_STATE, url_id))
        )
