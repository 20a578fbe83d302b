"""The images of pages, and each image once."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, LargeBinary, PrimaryKeyConstraint, Text, text

revision = "0009"
down_revision = "0008"

Id = BigInteger().with_variant(Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("pages", Column("images_count", Integer, server_default=text("0"), nullable=False))
    op.add_column("pages", Column("images", LargeBinary))
    if op.get_bind().dialect.name == "postgresql":
        # Already compressed: the server need not try.
        op.execute("ALTER TABLE pages ALTER COLUMN images SET STORAGE EXTERNAL")
    op.create_table(
        "images",
        Column("id", Id, nullable=False),
        Column("key", BigInteger, nullable=False),
        Column("url", Text, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("run_id", Integer, nullable=False),
        Column("alt", Text, nullable=False),
        Column("discovery", Text, nullable=False),
        Column("first_seen_at", Double, nullable=False),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("images_key", "images", ["key"], unique=True)
    op.create_index("images_domain", "images", ["domain_id"])
