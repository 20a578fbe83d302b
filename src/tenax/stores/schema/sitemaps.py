"""Sitemaps: what is known of each besides its url; and how many urls were found in which way."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, text

from tenax.records.urls import FoundBy
from tenax.stores.schema.columns import COUNTER_STORAGE, Id, metadata

sitemaps = Table(
    "sitemaps",
    metadata,
    Column("url_id", BigInteger, primary_key=True, autoincrement=False),
    Column("domain_id", Id, nullable=False),
    Column("origin", Text, nullable=False),  # records/urls.py: SitemapOrigin
    # other domains whose urls it may list, as their robots.txt name it; separated by spaces
    Column("hosts", Text, nullable=False, server_default=text("''")),
    Column("level", Integer, nullable=False, server_default=text("0")),  # indexes that led to it
    # of the last reading that found something new; NULL: it was never read
    Column("kind", Text),
    Column("entries", Integer, nullable=False, server_default=text("0")),
    Column("refused", Integer, nullable=False, server_default=text("0")),
    Column("added", Integer, nullable=False, server_default=text("0")),
    Column("images", Integer, nullable=False, server_default=text("0")),
    Column("body_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("lastmod", Text, nullable=False, server_default=text("'none'")),
    Column("fresh_reads", Integer, nullable=False, server_default=text("0")),
    Column("read_at", Double),
    Column("error", Text),
)
Index("sitemaps_domain", sitemaps.c.domain_id)

# Links are what is left of the counters of a domain: they are most urls, and cost nothing here.
COUNTED = tuple(each for each in FoundBy if each is not FoundBy.LINK)

yields = Table(
    "yields",
    metadata,
    # Urls by the way in which they were found, and how many of them are pages.
    Column("domain_id", BigInteger, primary_key=True, autoincrement=False),
    *(
        Column(f"{way.word}_{what}", Integer, nullable=False, server_default=text("0"))
        for way in COUNTED
        for what in ("urls", "pages")
    ),
    postgresql_with=COUNTER_STORAGE,
)
