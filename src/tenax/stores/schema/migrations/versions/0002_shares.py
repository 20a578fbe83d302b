"""Several workers share a run: pages granted to each, and which of them need domains."""

from alembic import op
from sqlalchemy import Column, Integer, text

revision = "0002"
down_revision = "0001"

ZERO = text("0")
LIVE = text("ended_at IS NULL")


def upgrade() -> None:
    op.add_column("workers", Column("granted", Integer, server_default=ZERO, nullable=False))
    op.add_column("workers", Column("is_hungry", Integer, server_default=ZERO, nullable=False))
    op.create_index("workers_live", "workers", ["run_id"], sqlite_where=LIVE, postgresql_where=LIVE)
