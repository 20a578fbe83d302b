"""Seeds: the urls that a crawl or source starts from."""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, text

from tenax.stores.schema.columns import metadata

seeds = Table(
    "seeds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("url", Text, nullable=False),
    Column("cause", Text, nullable=False),  # user, list, or redirect of another seed
    Column("added_at", Double, nullable=False),
    # the list that ranks it best, and its rank there
    Column("source", Text),
    Column("rank", Integer),
    # its roots; its domain is its host without www: policy/roots.py
    Column("host", Text, nullable=False, server_default=text("''")),
    Column("site", Text, nullable=False, server_default=text("''")),
    Column("source_id", Integer, nullable=False, server_default=text("0")),  # as in `domains`
)
Index("seeds_url", seeds.c.source_id, seeds.c.url, unique=True)
Index("seeds_roots", seeds.c.source_id, seeds.c.site, seeds.c.host)
