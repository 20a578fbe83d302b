"""What workers report with their heartbeats: pages, rate, and failing services."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, Text, text

revision = "0005"
down_revision = "0004"

ID = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")


def upgrade() -> None:
    op.add_column("workers", Column("pages", ID, nullable=False, server_default=ZERO))
    op.add_column("workers", Column("pages_per_min", Double, nullable=False, server_default=ZERO))
    op.add_column("workers", Column("trouble", Text))
