"""Stored counts of politeness receipts, so that a long log is counted only once."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0024"
down_revision = "0023"

Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "receipts",
        Column("domain_id", Id, autoincrement=False, nullable=False),
        Column("until", Double, nullable=False),
        Column("requests", Id, nullable=False),
        Column("first_at", Double, nullable=False),
        Column("last_at", Double, nullable=False),
        Column("smallest_gap_s", Double),
        Column("smallest_gap_at", Double),
        Column("gaps", Text, nullable=False),
        Column("failures", Text, nullable=False),
        Column("unlogged", Integer, server_default=text("0"), nullable=False),
        PrimaryKeyConstraint("domain_id"),
    )
