"""The change log: what has changed, in an order in which no reader misses a row. See stores/change_log.py."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from tenax.stores.schema.columns import Id, metadata

change_log = Table(
    "change_log",
    metadata,
    Column("id", Id, primary_key=True),
    Column("xid", BigInteger, nullable=False),  # the transaction that wrote it, in PostgreSQL; otherwise 0
    Column("at", Double, nullable=False),
    Column("topic", Text, nullable=False),
    Column("source_id", Integer, nullable=False),
    Column("subject_id", Id, nullable=False),  # the row that the topic names
    sqlite_autoincrement=True,  # readers remember how far they have read
)
Index("change_log_order", change_log.c.xid, change_log.c.id)
Index("change_log_at", change_log.c.at)

log_cursors = Table(
    "log_cursors",
    metadata,
    # How far the readers that have a name have read it.
    Column("name", Text, primary_key=True),
    Column("xid", BigInteger, nullable=False),
    Column("log_id", Id, nullable=False),
)
