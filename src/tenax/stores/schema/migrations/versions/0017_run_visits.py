"""Runs count their visits and failed visits, however long they last. Active runs have an index."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, text

revision = "0017"
down_revision = "0016"

Id = BigInteger().with_variant(Integer(), "sqlite")
UNDER_WAY = text("state IN ('running', 'paused')")


def upgrade() -> None:
    # An active run counts from now on: its earlier visits may not all be stored.
    for name in ("visits", "failed"):
        op.add_column("runs", Column(name, Id, server_default=text("0"), nullable=False))
    op.create_index("runs_under_way", "runs", ["id"], sqlite_where=UNDER_WAY, postgresql_where=UNDER_WAY)
