"""Rules of single domains, and the site that a domain is part of."""

from alembic import op
from sqlalchemy import Column, Connection, Double, Integer, Text, text

from tenax.web.urls import registrable_domain

revision = "0029"
down_revision = "0026"

DOMAINS_AT_ONCE = 5_000
SOME = text("SELECT id, name FROM domains WHERE id > :last ORDER BY id LIMIT :limit")
FILL = text("UPDATE domains SET site = :site WHERE id = :id")
HAS_RULES = text("claimed_by IS NOT NULL AND rules_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("domains", Column("site", Text, server_default=text("''"), nullable=False))
    op.add_column("domains", Column("rule_delay_s", Double))
    op.add_column("domains", Column("rule_per_domain", Integer))
    op.add_column("domains", Column("rule_pages", Integer))
    op.add_column("domains", Column("is_active", Integer, server_default=text("1"), nullable=False))
    op.add_column("domains", Column("rules_by", Text))
    op.add_column("domains", Column("rules_at", Double))
    fill_sites(op.get_bind())
    op.create_index(
        "domains_ruled", "domains", ["claimed_by"], sqlite_where=HAS_RULES, postgresql_where=HAS_RULES
    )
    op.create_index("domains_site", "domains", ["site"])


def fill_sites(connection: Connection) -> None:
    """In batches: a store may have millions of domains."""
    last_id = 0
    while rows := connection.execute(SOME, {"last": last_id, "limit": DOMAINS_AT_ONCE}).all():
        connection.execute(FILL, [{"id": row.id, "site": registrable_domain(row.name)} for row in rows])
        last_id = rows[-1].id
