"""Clusters of similar urls that bring little, and parameters that were found to change nothing."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text, text

from tenax.stores.schema.columns import Id, metadata

traps = Table(
    "traps",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("shape", Text, nullable=False),  # policy/guards/url_shapes.py
    Column("state", Text, nullable=False),
    Column("rule", Text),
    # the evidence
    Column("visits", Integer, nullable=False, server_default=text("0")),
    Column("novel", Integer, nullable=False, server_default=text("0")),
    Column("recent", BigInteger, nullable=False, server_default=text("0")),
    Column("spent", Integer, nullable=False, server_default=text("0")),
    Column("led_on", Integer, nullable=False, server_default=text("0")),
    Column("first_seen_at", Double, nullable=False),
    Column("last_seen_at", Double, nullable=False),
    Column("changed_at", Double, nullable=False),  # its state
    Column("decided_by", Text),  # NULL: the guard
)
Index("traps_shape", traps.c.domain_id, traps.c.shape, unique=True)
