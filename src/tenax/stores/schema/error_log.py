"""Errors that are kept for users to read, each and in groups of errors that are alike."""

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table, Text

from tenax.stores.schema.columns import COUNTER_STORAGE, Id, metadata

errors = Table(
    "errors",
    metadata,
    Column("id", Id, primary_key=True),
    Column("at", Double, nullable=False),
    Column("run_id", Integer, nullable=False),
    Column("source_id", Integer, nullable=False),
    Column("domain_id", Id, nullable=False),
    Column("url_id", BigInteger, nullable=False),
    Column("category", Text, nullable=False),  # records/items.py: ErrorCategory
    Column("type", Text, nullable=False),
    Column("message", Text, nullable=False),
    Column("stack", Text),
    Column("fingerprint", BigInteger, nullable=False),  # equal for errors that are alike
    Column("parser", Text),  # NULL: it is not the error of a parser
    Column("parser_version", Text),
)
Index("errors_group", errors.c.source_id, errors.c.fingerprint, errors.c.id)
Index("errors_domain", errors.c.domain_id, errors.c.id)
Index("errors_at", errors.c.at)

error_groups = Table(
    "error_groups",
    metadata,
    Column("id", Id, primary_key=True),
    Column("source_id", Integer, nullable=False),
    Column("fingerprint", BigInteger, nullable=False),
    Column("category", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("message", Text, nullable=False),  # of the newest
    Column("parser", Text),
    Column("count", Id, nullable=False),
    Column("first_at", Double, nullable=False),
    Column("last_at", Double, nullable=False),
    Column("last_error_id", Id, nullable=False),
    postgresql_with=COUNTER_STORAGE,
)
Index("error_groups_key", error_groups.c.source_id, error_groups.c.fingerprint, unique=True)
