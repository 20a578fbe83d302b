"""The class that merge rules assign to a url."""

from alembic import op
from sqlalchemy import BigInteger, Column, text

revision = "0030"
down_revision = "0029"


def upgrade() -> None:
    # There were no rules before, so there is nothing to fill in.
    op.add_column("urls", Column("class_key", BigInteger))
    op.add_column("urls", Column("merged_key", BigInteger))
    for name, columns in (("class", ["class_key"]), ("merged", ["merged_key", "id"])):
        where = text(f"{name}_key IS NOT NULL")
        op.create_index(
            f"urls_{name}", "urls", ["domain_id", *columns], sqlite_where=where, postgresql_where=where
        )
