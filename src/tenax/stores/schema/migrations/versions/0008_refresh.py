"""Revisits of pages: when they are due, their history, and the changes they found."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0008"
down_revision = "0007"

ID = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")
KNOWN = text("first_fetched_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("domains", Column("revisit_at", Double))
    op.add_column("domains", Column("pages_changed", Integer, server_default=ZERO, nullable=False))
    op.add_column("urls", Column("revisit_at", Double))
    op.add_column("urls", Column("unchanged_count", Integer, server_default=ZERO, nullable=False))
    op.add_column("urls", Column("misses", Integer, server_default=ZERO, nullable=False))
    # Existing pages keep NULL: setting their first visit would rewrite them all.
    op.add_column("pages", Column("first_fetched_at", Double))
    op.create_index("pages_first", "pages", ["first_fetched_at"], sqlite_where=KNOWN, postgresql_where=KNOWN)
    op.create_table(
        "changes",
        Column("id", ID, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("domain_id", ID, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("at", Double, nullable=False),
        Column("kind", Text, nullable=False),
        Column("old_hash", BigInteger, nullable=False),
        Column("new_hash", BigInteger),
        Column("old_bytes", Integer, nullable=False),
        Column("new_bytes", Integer),
        Column("title", Text),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("changes_at", "changes", ["at"])
