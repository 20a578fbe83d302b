"""What pages showed of items, for their next visit; drops of parsers against their own past."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, Text

from tenax.stores.schema.columns import Id

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    op.add_column("parsed_urls", Column("items_hash", BigInteger))
    op.add_column("parsed_urls", Column("kinds", Text))
    op.create_table(
        "parser_alerts",
        Column("id", Id, primary_key=True),
        Column("parser", Text, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("measure", Text, nullable=False),
        Column("past", Double, nullable=False),
        Column("recent", Double, nullable=False),
        Column("past_count", Integer, nullable=False),
        Column("recent_count", Integer, nullable=False),
        Column("at", Double, nullable=False),
        Column("ended_at", Double),
        sqlite_autoincrement=True,
    )
    op.create_index("parser_alerts_parser", "parser_alerts", ["parser", "id"])
    op.create_index("parser_alerts_domain", "parser_alerts", ["domain_id"])
