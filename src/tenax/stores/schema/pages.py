"""Pages: what is kept of the last good visit of a url; changes that revisits found; images."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, Table, Text, text

from tenax.stores.schema.columns import Id, metadata

BANDS = (1, 2, 3, 4)

pages = Table(
    "pages",
    metadata,
    # Not the row id in SQLite: rows are appended rather than inserted between others by the id of their url.
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),
    Column("domain_id", Id, nullable=False),
    Column("status", Integer, nullable=False),
    Column("content_type", Text),
    Column("charset", Text, nullable=False),
    Column("language", Text),
    Column("body_bytes", Integer, nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("canonical", Text),
    Column("content_hash", BigInteger, nullable=False),
    # text, links and images: see hot/packing.py. Of pages that were stored before schema 0033, the text only.
    Column("content", LargeBinary, nullable=False),
    Column("links_count", Integer, nullable=False),
    Column("links", LargeBinary, nullable=False),  # of those pages; of all others empty
    Column("fetched_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),
    Column("first_fetched_at", Double),  # NULL: fetched before this was recorded
    Column("images_count", Integer, nullable=False, server_default=text("0")),
    Column("images", LargeBinary),  # of those pages; of all others NULL
    Column("simhash", BigInteger),  # of the text; NULL: too short, or not compared
    Column("near_url_id", BigInteger),  # the page that it nearly repeats; NULL: it stands for itself
    # The simhash in four parts, by which near-duplicates are found; NULL: it is a duplicate or not compared.
    *(Column(f"band_{number}", Integer) for number in BANDS),
)
Index("pages_content", pages.c.domain_id, pages.c.content_hash)
# With the simhash, so that pages with an equal band are compared without reading their rows.
for number in BANDS:
    band = pages.c[f"band_{number}"]
    Index(
        f"pages_band_{number}",
        pages.c.domain_id,
        band,
        pages.c.simhash,
        pages.c.url_id,
        sqlite_where=band.isnot(None),
        postgresql_where=band.isnot(None),
    )
Index(
    "pages_near",
    pages.c.near_url_id,
    sqlite_where=pages.c.near_url_id.isnot(None),
    postgresql_where=pages.c.near_url_id.isnot(None),
)
# New pages arrive in this order, so the index grows at its end.
Index(
    "pages_first",
    pages.c.first_fetched_at,
    sqlite_where=pages.c.first_fetched_at.isnot(None),
    postgresql_where=pages.c.first_fetched_at.isnot(None),
)

changes = Table(
    "changes",
    metadata,
    # What revisits found. A new page has no row here but a first_fetched_at, unless it was gone before.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("kind", Text, nullable=False),
    Column("old_hash", BigInteger, nullable=False),
    Column("new_hash", BigInteger),  # NULL: gone
    Column("old_bytes", Integer, nullable=False),
    Column("new_bytes", Integer),
    Column("title", Text),
)
Index("changes_at", changes.c.at)

images = Table(
    "images",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    # the page on which it was first seen; pages.content has the others
    Column("url_id", BigInteger, nullable=False),
    Column("domain_id", Id, nullable=False),  # of that page
    Column("run_id", Integer, nullable=False),
    Column("alt", Text, nullable=False),
    Column("discovery", Text, nullable=False),  # discovery; or refresh: the page had been visited before
    Column("first_seen_at", Double, nullable=False),
)
Index("images_key", images.c.key, unique=True)
Index("images_domain", images.c.domain_id)
