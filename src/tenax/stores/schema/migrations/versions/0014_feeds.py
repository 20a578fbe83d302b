"""Feeds, and cursors that servers share."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0014"
down_revision = "0013"

Id = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")


def upgrade() -> None:
    op.create_table(
        "feeds",
        Column("id", Id, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("url", Text, nullable=False),
        Column("domain", Text, nullable=False),
        Column("kind", Text),
        Column("title", Text),
        Column("state", Text, nullable=False),
        Column("etag", Text),
        Column("last_modified", Text),
        Column("interval_s", Double, nullable=False),
        Column("next_poll_at", Double),
        Column("last_polled_at", Double),
        Column("last_status", Integer),
        Column("error", Text),
        Column("failures", Integer, server_default=ZERO, nullable=False),
        Column("entries_new", Id, server_default=ZERO, nullable=False),
        Column("created_at", Double, nullable=False),
        Column("lock_token", Text),
        Column("lock_until", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("source_id", "url"),
    )
    due = text("next_poll_at IS NOT NULL")
    op.create_index("feeds_due", "feeds", ["next_poll_at"], sqlite_where=due, postgresql_where=due)
    op.create_index("feeds_domain", "feeds", ["domain"])
    op.create_table(
        "marks",
        Column("name", Text, nullable=False),
        Column("position", Id, nullable=False),
        PrimaryKeyConstraint("name"),
    )
