"""What was waiting when a run ended, and why."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0023"
down_revision = "0021"


def upgrade() -> None:
    # Unknown for runs that have already ended.
    op.add_column("runs", Column("leftover", Text))
