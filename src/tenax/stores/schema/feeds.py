"""Feeds of sources; and marks, which several servers agree by."""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, UniqueConstraint, text

from tenax.stores.schema.columns import Id, metadata

feeds = Table(
    "feeds",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("url", Text, nullable=False),
    Column("domain", Text, nullable=False),  # of the url
    Column("kind", Text),  # NULL: nobody has seen it yet, it is a guess or was named by a page
    Column("title", Text),
    Column("state", Text, nullable=False),
    # what the next request needs
    Column("etag", Text),
    Column("last_modified", Text),
    Column("interval_s", Double, nullable=False),  # as in force: it grows with failures
    Column("next_poll_at", Double),  # NULL: never again
    Column("last_polled_at", Double),
    Column("last_status", Integer),  # NULL: there was no answer
    Column("error", Text),  # NULL: the last answer was good
    Column("failures", Integer, nullable=False, server_default=text("0")),  # in a row
    Column("entries_new", Id, nullable=False, server_default=text("0")),  # urls that it was the first to name
    Column("created_at", Double, nullable=False),
    # whoever asks it at the moment
    Column("lock_token", Text),
    Column("lock_until", Double),
    UniqueConstraint("source_id", "url"),
)
Index(
    "feeds_due",
    feeds.c.next_poll_at,
    sqlite_where=feeds.c.next_poll_at.isnot(None),
    postgresql_where=feeds.c.next_poll_at.isnot(None),
)
Index("feeds_domain", feeds.c.domain)
