"""What is counted already of the politeness receipts of domains with a long log. See queries/receipts.py."""

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
    Column("gaps", Text, nullable=False),  # JSON: number of a bucket → gaps in it, their sum
    Column("failures", Text, nullable=False),  # JSON: FailureKind → requests
    # by how many the counter of the domain differs from its log, however it came to that
    Column("unlogged", Integer, nullable=False, server_default=text("0")),
)
