"""Politeness receipts of domains with a long log, as far as they are counted. See queries/receipts.py."""

from sqlalchemy import Column, Double, Integer, Table, Text, text

from tenax.stores.schema.columns import Id, metadata

receipts = Table(
    "receipts",
    metadata,
    Column("domain_id", Id, primary_key=True, autoincrement=False),
    Column("until", Double, nullable=False),  # all visits of the domain up to here are counted
    Column("requests", Id, nullable=False),
    Column("first_at", Double, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("smallest_gap_s", Double),
    Column("smallest_gap_at", Double),
    Column("gaps", Text, nullable=False),  # JSON: bucket number → its number of gaps, and their sum
    Column("failures", Text, nullable=False),  # JSON: FailureKind → requests
    # the difference between the domain's counter and its log, whatever the cause
    Column("unlogged", Integer, nullable=False, server_default=text("0")),
)
