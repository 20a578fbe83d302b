"""Urls: every known address, one row each. It is both the frontier and the memory of a crawl: only urls with
`due_at` are in the frontier's index.
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, text

from tenax.stores.schema.columns import URL_STORAGE, Id, metadata

urls = Table(
    "urls",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("key", BigInteger, nullable=False),
    Column("url", Text, nullable=False),
    Column("depth", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due_at", Double),
    Column("fate", Text, nullable=False),
    Column("reason", Text),
    Column("detail", Text),
    Column("to_url", Text),  # redirect target, or what it is a duplicate of
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("hops", Integer, nullable=False, server_default=text("0")),
    Column("crashes", Integer, nullable=False, server_default=text("0")),
    Column("is_seed", Integer, nullable=False, server_default=text("0")),
    Column("discovered_at", Double, nullable=False),
    Column("discovered_from", BigInteger),
    Column("status", Integer),
    Column("fetched_at", Double),
    # what the next visit needs
    Column("etag", Text),
    Column("last_modified", Text),
    Column("content_hash", BigInteger),
    # when `tenax refresh` queues its page again; NULL: never, or it is queued
    Column("revisit_at", Double),
    Column("unchanged_count", Integer, nullable=False, server_default=text("0")),
    Column("misses", Integer, nullable=False, server_default=text("0")),
    # merge rules: class_key is the class of a visited url whose own key differs; merged_key is the class of a
    # url that was not visited because another one represents it
    Column("class_key", BigInteger),
    Column("merged_key", BigInteger),
    Column("run_id", Integer),  # of its last visit; NULL: it was never visited
    # JSON: name → value, of the response with `status`; NULL: no setting selects any, or it had none
    Column("response_headers", Text),
    Column("found_by", Integer, nullable=False, server_default=text("0")),  # records/urls.py: FoundBy
    Column("is_sitemap", Integer, nullable=False, server_default=text("0")),
    postgresql_with=URL_STORAGE,
)
Index("urls_key", urls.c.domain_id, urls.c.key, unique=True)
Index(
    "urls_frontier",
    urls.c.domain_id,
    urls.c.priority,
    urls.c.due_at,
    sqlite_where=urls.c.due_at.isnot(None),
    postgresql_where=urls.c.due_at.isnot(None),
    postgresql_with={"fillfactor": 100},
)
# Without merge rules, these two are empty and cost writes nothing.
Index(
    "urls_class",
    urls.c.domain_id,
    urls.c.class_key,
    sqlite_where=urls.c.class_key.isnot(None),
    postgresql_where=urls.c.class_key.isnot(None),
)
Index(
    "urls_merged",
    urls.c.domain_id,
    urls.c.merged_key,
    urls.c.id,
    sqlite_where=urls.c.merged_key.isnot(None),
    postgresql_where=urls.c.merged_key.isnot(None),
)

set_aside = Table(
    "set_aside",
    metadata,
    # Urls that a source or crawl wants while their domain belongs to another: they return with the domain.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("source_id", Integer, nullable=False),  # that wants it
    Column("domain_id", Id, nullable=False),
    # the values that its row has when the domain belongs to that source
    Column("depth", Integer, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("due_at", Double, nullable=False),
    # for a revisit: a visit after this counts for that source, too; NULL: for a first visit
    Column("revisit_since", Double),
)
Index("set_aside_url", set_aside.c.url_id, set_aside.c.source_id, unique=True)
Index("set_aside_source", set_aside.c.source_id, set_aside.c.domain_id)
