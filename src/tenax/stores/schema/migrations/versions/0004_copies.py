"""A record that a store is a copy of another one, and how far it was copied."""

from alembic import op
from sqlalchemy import Column, Double, Integer, PrimaryKeyConstraint, Text

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "copies",
        Column("id", Integer, nullable=False),
        Column("source", Text, nullable=False),
        Column("fingerprint", Text, nullable=False),
        Column("started_at", Double, nullable=False),
        Column("ended_at", Double),
        Column("reached", Text, nullable=False),
        PrimaryKeyConstraint("id"),
    )
