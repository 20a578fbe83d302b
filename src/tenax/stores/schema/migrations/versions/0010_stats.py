"""What was settled per minute, hour and day, and the memory that workers use."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0010"
down_revision = "0009"

ID = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")
IS_UNROLLED = text("span = 'minute' AND is_rolled = 0")


def upgrade() -> None:
    op.add_column("workers", Column("rss_bytes", BigInteger, server_default=ZERO, nullable=False))
    op.create_table(
        "stats",
        Column("id", ID, nullable=False),
        Column("span", Text, nullable=False),
        Column("at", ID, nullable=False),
        Column("worker_id", Integer, nullable=False),
        Column("is_rolled", Integer, server_default=ZERO, nullable=False),
        Column("requests", ID, nullable=False),
        Column("wire_bytes", BigInteger, nullable=False),
        Column("duration_s", Double, nullable=False),
        Column("dns_lookups", ID, nullable=False),
        Column("dns_s", Double, nullable=False),
        Column("robots_denials", ID, nullable=False),
        Column("discovered", ID, nullable=False),
        Column("outcomes", Text, nullable=False),
        Column("statuses", Text, nullable=False),
        Column("failures", Text, nullable=False),
        Column("durations", Text, nullable=False),
        PrimaryKeyConstraint("id"),
        postgresql_with={"fillfactor": 50},
    )
    op.create_index("stats_key", "stats", ["span", "at", "worker_id"], unique=True)
    op.create_index("stats_unrolled", "stats", ["at"], sqlite_where=IS_UNROLLED, postgresql_where=IS_UNROLLED)
