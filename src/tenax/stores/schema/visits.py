"""Visits: the crawl log. PostgreSQL keeps it in partitions by time, so a key of the table must include `at`
beside `id`.
"""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from tenax.stores.schema.columns import Id, metadata

visits = Table(
    "visits",
    metadata,
    Column("id", Id, primary_key=True),
    Column("run_id", Integer, nullable=False),
    Column("worker_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger),  # NULL: a robots.txt request
    Column("at", Double, nullable=False),
    Column("duration_s", Double, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("status", Integer),
    Column("wire_bytes", Integer, nullable=False),
    Column("error_kind", Text),
    Column("error_detail", Text),
    postgresql_partition_by="RANGE (at)",
)
Index("visits_domain", visits.c.domain_id, visits.c.at)
