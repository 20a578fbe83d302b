"""Audits of items, kept so that they can be compared over time."""

from alembic import op
from sqlalchemy import Column, Double, Integer, Text

from tenax.stores.schema.columns import Id

revision = "0047"
down_revision = "0046"


def upgrade() -> None:
    op.create_table(
        "item_audits",
        Column("id", Id, primary_key=True),
        Column("source_id", Integer, nullable=False),
        Column("at", Double, nullable=False),
        Column("since", Double, nullable=False),
        Column("items", Integer, nullable=False),
        Column("is_complete", Integer, nullable=False),
        Column("counts", Text, nullable=False),
        Column("findings", Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("item_audits_source", "item_audits", ["source_id", "id"])
    op.create_index("item_audits_at", "item_audits", ["at"])
