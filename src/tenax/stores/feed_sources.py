"""Which sources may have feeds, and the end of feeds that nobody wants any more."""

from collections.abc import Collection

from sqlalchemy import Connection, delete, exists, select

from tenax.job_records import Source
from tenax.stores.feed_tables import feeds
from tenax.stores.job_tables import sources


def list_enabled_sources(connection: Connection) -> list[Source]:
    rows = connection.execute(select(sources).where(sources.c.enabled == 1).order_by(sources.c.id))
    return [
        Source(
            id=row.id,
            name=row.name,
            definition=row.definition,
            enabled=True,
            version=row.version,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in rows
    ]


def drop_feeds(connection: Connection, source_ids: Collection[int]) -> None:
    """Of sources that want none, and of those that are gone."""
    is_orphan = ~exists().where(sources.c.id == feeds.c.source_id)
    connection.execute(delete(feeds).where(feeds.c.source_id.in_(source_ids) | is_orphan))
