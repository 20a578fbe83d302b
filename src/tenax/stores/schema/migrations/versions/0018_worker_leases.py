"""How long each worker leases domains: a worker that is silent for longer has lost its leases."""

from alembic import op
from sqlalchemy import Column, Double, text

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    # Workers that are active during the migration get the time that all workers had before.
    op.add_column("workers", Column("lease_s", Double, server_default=text("600"), nullable=False))
