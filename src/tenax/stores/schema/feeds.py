"""Feeds of sources."""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, UniqueConstraint, text

from tenax.stores.schema.columns import Id, metadata

feeds = Table(
    "feeds",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("url", Text, nullable=False),
    Column("domain", Text, nullable=False),  # of the url
    Column("kind", Text),  # NULL: not fetched yet; it is a guess, or a page links to it
    Column("title", Text),
    Column("state", Text, nullable=False),
    # what the next request needs
    Column("etag", Text),
    Column("last_modified", Text),
    Column("interval_s", Double, nullable=False),  # the one in force: it grows with failures
    Column("next_poll_at", Double),  # NULL: never again
    Column("last_polled_at", Double),
    Column("last_status", Integer),  # NULL: there was no response
    Column("error", Text),  # NULL: the last response was good
    Column("failures", Integer, nullable=False, server_default=text("0")),  # consecutive
    Column(
        "entries_new", Id, nullable=False, server_default=text("0")
    ),  # urls that it was the first to link to
    Column("created_at", Double, nullable=False),
    # the server that requests it right now
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
