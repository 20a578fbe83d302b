"""Runs count their visits and those that failed, however long they last. Those under way have an index."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, text

revision = "0017"
down_revision = "0016"

Id = BigInteger().with_variant(Integer(), "sqlite")
UNDER_WAY = text("state IN ('running', 'paused')")


def upgrade() -> None:
    # A run that is under way counts from now on: what it did before is not kept for all of it.
    for name in ("visits", "failed"):
        op.add_column("runs", Column(name, Id, server_default=text("0"), nullable=False))
    op.create_index("runs_under_way", "runs", ["id"], sqlite_where=UNDER_WAY, postgresql_where=UNDER_WAY)
