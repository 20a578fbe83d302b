"""Workers say how long they lease domains: one that is silent for longer holds nothing that counts."""

from alembic import op
from sqlalchemy import Column, Double, text

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    # Those at work while this runs are given the time that was allowed to all before.
    op.add_column("workers", Column("lease_s", Double, server_default=text("600"), nullable=False))
