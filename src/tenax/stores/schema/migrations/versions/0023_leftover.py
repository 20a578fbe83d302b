"""Runs say what they left behind, and why."""

from alembic import op
from sqlalchemy import Column, Text

revision = "0023"
down_revision = "0021"


def upgrade() -> None:
    # Of runs that have ended before, nobody knows.
    op.add_column("runs", Column("leftover", Text))
