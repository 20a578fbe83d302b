"""The list that a seed comes from, its rank there, and its roots."""

from alembic import op
from sqlalchemy import Column, Integer, Text, text

from tenax.policy.roots import host_and_port
from tenax.web.urls import domain_of, registrable_domain

revision = "0007"
down_revision = "0006"

EMPTY = text("''")


def upgrade() -> None:
    op.add_column("seeds", Column("source", Text))
    op.add_column("seeds", Column("rank", Integer))
    op.add_column("seeds", Column("host", Text, server_default=EMPTY, nullable=False))
    op.add_column("seeds", Column("site", Text, server_default=EMPTY, nullable=False))
    connection = op.get_bind()
    # All at once: before seed lists, users gave few seeds.
    for (url,) in connection.execute(text("SELECT url FROM seeds")).fetchall():
        roots = {"url": url, "host": host_and_port(url), "site": registrable_domain(domain_of(url))}
        connection.execute(text("UPDATE seeds SET host = :host, site = :site WHERE url = :url"), roots)
    op.create_index("seeds_roots", "seeds", ["site", "host"])
