"""What a worker finds out about itself: its longest visit, a stall, and how it ended."""

from alembic import op
from sqlalchemy import Column, Double, Integer, Text

revision = "0036"
down_revision = "0034"


def upgrade() -> None:
    op.add_column("workers", Column("longest_url", Text))
    op.add_column("workers", Column("longest_started_at", Double))
    op.add_column("workers", Column("stall", Text))
    op.add_column("workers", Column("exit_code", Integer))
