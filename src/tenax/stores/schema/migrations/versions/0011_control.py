"""Runs that users pause and cancel, where the visits of runs start, and domains out of scope."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, UniqueConstraint, text

revision = "0011"
down_revision = "0010"

Id = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")
STORAGE = {"fillfactor": 70, "autovacuum_vacuum_scale_factor": 0.02, "autovacuum_vacuum_cost_delay": 0}


def upgrade() -> None:
    op.add_column("runs", Column("paused_at", Double))
    op.add_column("runs", Column("cancelled_at", Double))
    # Existing runs keep 0: finding where they started would read all visits.
    op.add_column("runs", Column("first_visit_id", Id, server_default=ZERO, nullable=False))
    op.add_column("runs", Column("first_event_id", Id, server_default=ZERO, nullable=False))
    op.add_column("workers", Column("is_buried", Integer, server_default=ZERO, nullable=False))
    op.create_table(
        "discovered_links",
        Column("id", Id, nullable=False),
        Column("domain", Text, nullable=False),
        Column("url", Text, nullable=False),
        Column("discovered_from", BigInteger, nullable=False),
        Column("links", Id, nullable=False),
        Column("pages", Id, nullable=False),
        Column("first_seen_at", Double, nullable=False),
        Column("last_seen_at", Double, nullable=False),
        Column("is_hidden", Integer, server_default=ZERO, nullable=False),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("domain"),
        postgresql_with=STORAGE,
    )
