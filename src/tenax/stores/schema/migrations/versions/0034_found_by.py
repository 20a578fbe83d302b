"""How a url was found."""

from alembic import op
from sqlalchemy import Column, Integer, text

revision = "0034"
down_revision = "0033"


def upgrade() -> None:
    op.add_column("urls", Column("found_by", Integer, nullable=False, server_default=text("0")))
    # Urls that users gave, and those of feeds; all others were links.
    op.execute("UPDATE urls SET found_by = 1 WHERE is_seed = 1 OR discovered_from IS NULL")
    op.execute("UPDATE urls SET found_by = 3 WHERE discovered_from = 0")
