"""What is known of sitemaps, in SQLite. See contracts/sitemaps.py."""

from tenax.records.sitemaps import SitemapState
from tenax.stores.hot.discovery.sitemaps import FIND_STATE, read_state
from tenax.stores.sqlite.connection.database import SqliteDatabase

_FIND_STATE = FIND_STATE.format(mark="?")


class SqliteSitemaps:
    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database

    async def find_state(self, url_id: int) -> SitemapState:
        return read_state(
            await self._database.read(
                lambda connection: connection.execute(_FIND_STATE, (url_id,)).fetchone()
            )
        )
