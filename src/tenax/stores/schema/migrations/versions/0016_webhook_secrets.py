"""Rotation of webhook secrets: the previous one stays valid for a while."""

from alembic import op
from sqlalchemy import Column, Double, Text

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("webhooks", Column("old_secret", Text))
    op.add_column("webhooks", Column("old_secret_until", Double))
