"""The simhash of a page, and the page that it nearly repeats."""

from alembic import op
from sqlalchemy import BigInteger, Column, Integer, text

revision = "0040"
down_revision = "0039"


def upgrade() -> None:
    # Pages that were stored before are compared when they are fetched again.
    op.add_column("pages", Column("simhash", BigInteger))
    op.add_column("pages", Column("near_url_id", BigInteger))
    for number in (1, 2, 3, 4):
        op.add_column("pages", Column(f"band_{number}", Integer))
        columns = ["domain_id", f"band_{number}", "simhash", "url_id"]
        _create_index(f"band_{number}", f"band_{number}", columns)
    _create_index("near", "near_url_id", ["near_url_id"])
    count = BigInteger().with_variant(Integer(), "sqlite")
    op.add_column("stats", Column("near_duplicates", count, nullable=False, server_default=text("0")))


def _create_index(name: str, column: str, columns: list[str]) -> None:
    where = text(f"{column} IS NOT NULL")
    op.create_index(f"pages_{name}", "pages", columns, sqlite_where=where, postgresql_where=where)
