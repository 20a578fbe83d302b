"""Changes of stock can be listed by time."""

from alembic import op
from sqlalchemy import text

revision = "0049"
down_revision = "0048"

_DIFFERS = text("availability != old_availability")


def upgrade() -> None:
    op.create_index(
        "product_changes_stock",
        "product_changes",
        ["at", "id"],
        sqlite_where=_DIFFERS,
        postgresql_where=_DIFFERS,
    )
