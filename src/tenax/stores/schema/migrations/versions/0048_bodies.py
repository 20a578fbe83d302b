"""Stored bodies."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, LargeBinary, Text

from tenax.stores.schema.columns import Id

revision = "0048"
down_revision = "0047"


def upgrade() -> None:
    op.create_table(
        "segments",
        Column("id", Id, primary_key=True),
        Column("key", Text, nullable=False),
        Column("machine", Text, nullable=False),
        Column("worker_id", Integer, nullable=False),
        Column("state", Text, nullable=False),
        Column("bytes", BigInteger, nullable=False),
        Column("bodies", Integer, nullable=False),
        Column("created_at", Double, nullable=False),
        Column("sealed_at", Double),
        sqlite_autoincrement=True,
    )
    op.create_index("segments_key", "segments", ["key"], unique=True)
    op.create_table(
        "bodies",
        Column("id", Id, primary_key=True),
        Column("hash", LargeBinary, nullable=False),
        Column("segment_id", Id, nullable=False),
        Column("position", BigInteger, nullable=False),
        Column("length", Integer, nullable=False),
        Column("size", Integer, nullable=False),
        Column("uses", Integer, nullable=False),
    )
    op.create_index("bodies_hash", "bodies", ["hash"], unique=True)
    op.create_index("bodies_segment", "bodies", ["segment_id", "position"])
    op.create_table(
        "visit_bodies",
        Column("id", Id, primary_key=True),
        Column("url_id", BigInteger, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("at", Double, nullable=False),
        Column("body_id", Id, nullable=False),
        Column("heads", LargeBinary, nullable=False),
    )
    op.create_index("visit_bodies_url", "visit_bodies", ["url_id", "at"])
    op.create_index("visit_bodies_domain", "visit_bodies", ["domain_id"])
