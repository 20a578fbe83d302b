"""The end of feeds that nobody wants any more."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, exists

from tenax.stores.schema.feeds import feeds
from tenax.stores.schema.jobs import sources


def drop_feeds(connection: Connection, source_ids: Collection[int]) -> None:
    """Of sources that want none, and of those that are gone."""
    is_orphan = ~exists().where(sources.c.id == feeds.c.source_id)
    connection.execute(delete(feeds).where(feeds.c.source_id.in_(source_ids) | is_orphan))
