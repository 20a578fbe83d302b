"""Clusters of urls that bring little."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, Text, text

from tenax.stores.schema.columns import Id

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.create_table(
        "traps",
        Column("id", Id, primary_key=True),
        Column("domain_id", Id, nullable=False),
        Column("shape", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("rule", Text),
        Column("visits", Integer, nullable=False, server_default=text("0")),
        Column("novel", Integer, nullable=False, server_default=text("0")),
        Column("recent", BigInteger, nullable=False, server_default=text("0")),
        Column("spent", Integer, nullable=False, server_default=text("0")),
        Column("led_on", Integer, nullable=False, server_default=text("0")),
        Column("first_seen_at", Double, nullable=False),
        Column("last_seen_at", Double, nullable=False),
        Column("changed_at", Double, nullable=False),
        Column("decided_by", Text),
    )
    op.create_index("traps_shape", "traps", ["domain_id", "shape"], unique=True)
