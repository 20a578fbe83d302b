"""New urls per second: when the next one may be due, and how many had to wait."""

from alembic import op
from sqlalchemy import Column, Double, text

from tenax.stores.schema.columns import Id

revision = "0042"
down_revision = "0041"


def upgrade() -> None:
    op.add_column("runs", Column("intake_at", Double))
    op.add_column("runs", Column("postponed", Id, nullable=False, server_default=text("0")))
