"""What was learned about the lists and archives of a domain by guessing."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0038"
down_revision = "0037"

Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "pagination_rules",
        Column("id", Id, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("path", Text, nullable=False),
        Column("pattern", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("step", Integer, server_default=text("1"), nullable=False),
        Column("last_n", Integer, server_default=text("1"), nullable=False),
        Column("hits", Integer, server_default=text("0"), nullable=False),
        Column("misses", Integer, server_default=text("0"), nullable=False),
        Column("is_linked", Integer, server_default=text("0"), nullable=False),
        Column("set_by", Text),
        Column("changed_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("pagination_rules_domain", "pagination_rules", ["domain_id", "pattern"], unique=True)
    op.create_table(
        "archive_patterns",
        Column("id", Id, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("pattern", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("hits", Integer, server_default=text("0"), nullable=False),
        Column("misses", Integer, server_default=text("0"), nullable=False),
        Column("set_by", Text),
        Column("changed_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("archive_patterns_domain", "archive_patterns", ["domain_id", "pattern"], unique=True)
    op.create_table(
        "guess_budgets",
        Column("domain_id", Id, nullable=False),
        Column("since", Double, nullable=False),
        Column("pages", Integer, nullable=False),
        Column("archives", Integer, nullable=False),
        Column("searched_at", Double),
        PrimaryKeyConstraint("domain_id"),
    )
