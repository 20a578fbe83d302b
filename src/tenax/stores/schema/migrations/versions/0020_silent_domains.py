"""How many domains of each worker do not answer."""

from alembic import op
from sqlalchemy import Column, Integer, text

revision = "0020"
down_revision = "0018"


def upgrade() -> None:
    op.add_column("workers", Column("silent_domains", Integer, server_default=text("0"), nullable=False))
