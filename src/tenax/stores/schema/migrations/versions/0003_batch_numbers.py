"""The number of each worker's last batch, so that a repeated batch is not counted twice."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, text

revision = "0003"
down_revision = "0002"

ID = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("workers", Column("last_batch", ID, nullable=False, server_default=text("0")))
