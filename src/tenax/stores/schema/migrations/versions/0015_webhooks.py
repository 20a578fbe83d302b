"""Webhooks and their deliveries."""

from alembic import op
from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    PrimaryKeyConstraint,
    Text,
    UniqueConstraint,
    text,
)

revision = "0015"
down_revision = "0014"

Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "webhooks",
        Column("id", Integer, nullable=False),
        Column("name", Text, nullable=False),
        Column("url", Text, nullable=False),
        Column("secret", Text, nullable=False),
        Column("events", Text, nullable=False),
        Column("source_id", Integer),
        Column("enabled", Integer, nullable=False),
        Column("enabled_at", Double, nullable=False),
        Column("created_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "webhook_deliveries",
        Column("id", Id, nullable=False),
        Column("webhook_id", Integer, nullable=False),
        Column("event", Text, nullable=False),
        Column("subject", Text, nullable=False),
        Column("payload", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("attempts", Integer, server_default=text("0"), nullable=False),
        Column("next_try_at", Double),
        Column("last_status", Integer),
        Column("last_error", Text),
        Column("created_at", Double, nullable=False),
        Column("delivered_at", Double),
        Column("lock_token", Text),
        Column("lock_until", Double),
        PrimaryKeyConstraint("id"),
        UniqueConstraint("webhook_id", "event", "subject"),
        sqlite_autoincrement=True,
    )
    due = text("next_try_at IS NOT NULL")
    op.create_index(
        "webhook_deliveries_due",
        "webhook_deliveries",
        ["next_try_at"],
        sqlite_where=due,
        postgresql_where=due,
    )
    op.create_index("webhook_deliveries_webhook", "webhook_deliveries", ["webhook_id", "id"])
    op.create_index("webhook_deliveries_created", "webhook_deliveries", ["created_at"])
