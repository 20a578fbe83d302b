"""Visits: the crawl log; and the bodies that they stored."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, LargeBinary, Table, Text

from tenax.stores.schema.columns import Id, metadata

visits = Table(
    "visits",
    metadata,
    # PostgreSQL keeps it in partitions by time, so a key of the table must include `at` beside `id`.
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

segments = Table(
    "segments",
    metadata,
    Column("id", Id, primary_key=True),
    Column("key", Text, nullable=False),  # the name of its file
    Column("machine", Text, nullable=False),  # the host that wrote it
    Column("worker_id", Integer, nullable=False),
    Column("state", Text, nullable=False),  # records/bodies.py: SegmentState
    Column("bytes", BigInteger, nullable=False),  # to the end of the last frame that a row has named
    Column("bodies", Integer, nullable=False),  # that were first stored in it, without those that were purged
    Column("created_at", Double, nullable=False),
    Column("sealed_at", Double),  # NULL: it is open
    sqlite_autoincrement=True,  # bodies refer to it after it is gone
)
Index("segments_key", segments.c.key, unique=True)

bodies = Table(
    "bodies",
    metadata,
    Column("id", Id, primary_key=True),
    Column("hash", LargeBinary, nullable=False),  # SHA-256 of the decoded body
    Column("segment_id", Id, nullable=False),
    Column("position", BigInteger, nullable=False),  # of its frame
    Column("length", Integer, nullable=False),
    Column("size", Integer, nullable=False),  # of the decoded body
    Column("uses", Integer, nullable=False),  # rows of `visit_bodies`
)
Index("bodies_hash", bodies.c.hash, unique=True)
Index("bodies_segment", bodies.c.segment_id, bodies.c.position)

visit_bodies = Table(
    "visit_bodies",
    metadata,
    # Visits are known by their url and instant: PostgreSQL gives them ids within partitions.
    Column("id", Id, primary_key=True),
    Column("url_id", BigInteger, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("at", Double, nullable=False),
    Column("body_id", Id, nullable=False),
    Column("heads", LargeBinary, nullable=False),  # what was sent and received before the body, compressed
)
Index("visit_bodies_url", visit_bodies.c.url_id, visit_bodies.c.at)
Index("visit_bodies_domain", visit_bodies.c.domain_id)
