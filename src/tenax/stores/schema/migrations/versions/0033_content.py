"""A page is packed as one: text, links and images are its content. Stored pages stay as they are."""

from alembic import op

revision = "0033"
down_revision = "0032"


def upgrade() -> None:
    # Not a new column: SQLite would have to write every page again to allow NULL in the old one.
    op.execute("ALTER TABLE pages RENAME COLUMN text TO content")
