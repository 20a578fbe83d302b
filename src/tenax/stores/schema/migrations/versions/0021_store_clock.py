"""The store keeps a clock of its own that cannot be set."""

from alembic import op
from sqlalchemy import Column, Double, Integer, Text, text

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.create_table(
        "store_clock",
        Column("name", Text, primary_key=True),
        Column("offset_s", Double, nullable=False),
        Column("since", Double, nullable=False),
        Column("seen_at", Double, nullable=False),
        Column("revision", Integer, nullable=False, server_default=text("0")),
    )
