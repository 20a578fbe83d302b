"""Webhooks, and every message to them."""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, UniqueConstraint, text

from tenax.stores.schema.columns import Id, metadata

webhooks = Table(
    "webhooks",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("secret", Text, nullable=False),  # sealed; messages are signed with it
    Column("events", Text, nullable=False),  # separated by spaces
    Column("source_id", Integer),  # NULL: events of all sources, and of none
    Column("enabled", Integer, nullable=False),
    Column("enabled_at", Double, nullable=False),  # earlier events are not delivered
    Column("created_at", Double, nullable=False),
    # the previous one, sealed: for a while messages are signed with both
    Column("old_secret", Text),
    Column("old_secret_until", Double),
    Column("min_drop", Double),  # the least drop of a price that it is told of, as a share; NULL: any
    sqlite_autoincrement=True,  # deliveries refer to it
)

webhook_deliveries = Table(
    "webhook_deliveries",
    metadata,
    Column("id", Id, primary_key=True),
    Column("webhook_id", Integer, nullable=False),
    Column("event", Text, nullable=False),
    Column("subject", Text, nullable=False),  # what the event is about
    Column("payload", Text, nullable=False),  # JSON, as it is sent
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column("next_try_at", Double),  # NULL: never
    Column("last_status", Integer),  # NULL: there was no response
    Column("last_error", Text),
    Column("created_at", Double, nullable=False),
    Column("delivered_at", Double),
    # the server that sends it right now
    Column("lock_token", Text),
    Column("lock_until", Double),
    UniqueConstraint("webhook_id", "event", "subject"),  # delivered once, however often the event is found
    sqlite_autoincrement=True,  # receivers recognize repeated messages by it
)
Index(
    "webhook_deliveries_due",
    webhook_deliveries.c.next_try_at,
    sqlite_where=webhook_deliveries.c.next_try_at.isnot(None),
    postgresql_where=webhook_deliveries.c.next_try_at.isnot(None),
)
Index("webhook_deliveries_webhook", webhook_deliveries.c.webhook_id, webhook_deliveries.c.id)
Index("webhook_deliveries_created", webhook_deliveries.c.created_at)
