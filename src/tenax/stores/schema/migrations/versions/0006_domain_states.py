"""Domains record why their status changed, what their score is computed from, and their tier."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    PrimaryKeyConstraint,
    Text,
    text,
)

revision = "0006"
down_revision = "0005"

ZERO = text("0")
AVAILABLE = text("avail_at IS NOT NULL")
Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    for column in (
        Column("retries", Integer, server_default=ZERO, nullable=False),
        Column("login_streak", Integer, server_default=ZERO, nullable=False),
        Column("images_found", BigInteger, server_default=ZERO, nullable=False),
        Column("images_stored", BigInteger, server_default=ZERO, nullable=False),
        Column("seed_rank", Integer),
        Column("source", Text),
        Column("image_yield_rate", Double),
        Column("avg_images_per_page", Double),
        Column("error_rate", Double),
        Column("priority_score", Integer, server_default=ZERO, nullable=False),
        Column("priority_computed_at", Double),
        Column("tier", Integer, server_default=text("5"), nullable=False),
    ):
        op.add_column("domains", column)
    op.drop_index("domains_avail", "domains")
    op.create_index(
        "domains_avail",
        "domains",
        ["tier", "avail_at"],
        sqlite_where=AVAILABLE,
        postgresql_where=AVAILABLE,
    )
    op.create_table(
        "domain_events",
        Column("id", Id, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("at", Double, nullable=False),
        Column("from_status", Text, nullable=False),
        Column("to_status", Text, nullable=False),
        Column("cause", Text, nullable=False),
        Column("detail", Text, nullable=False),
        Column("run_id", Integer),
        Column("worker_id", Integer),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("domain_events_domain", "domain_events", ["domain_id", "id"])
