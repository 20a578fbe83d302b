"""Crawls of users have names, and urls that wait in a domain are kept when another crawl takes it over."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0032"
down_revision = "0031"

Id = BigInteger().with_variant(Integer(), "sqlite")
MIXED = text("mixed > 0")
DEFAULT = "default"
_OWNED = ("runs", "domains", "seeds")


def upgrade() -> None:
    op.add_column("sources", Column("kind", Text, server_default=text("'source'"), nullable=False))
    op.add_column("domains", Column("mixed", Integer, server_default=text("0"), nullable=False))
    op.create_index("domains_mixed", "domains", ["source_id"], sqlite_where=MIXED, postgresql_where=MIXED)
    op.create_table(
        "set_aside",
        Column("id", Id, nullable=False),
        Column("url_id", BigInteger, nullable=False),
        Column("source_id", Integer, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("depth", Integer, nullable=False),
        Column("priority", Integer, nullable=False),
        Column("due_at", Double, nullable=False),
        Column("revisit_since", Double),
        PrimaryKeyConstraint("id"),
    )
    op.create_index("set_aside_url", "set_aside", ["url_id", "source_id"], unique=True)
    op.create_index("set_aside_source", "set_aside", ["source_id", "domain_id"])
    _name_crawl()


def _name_crawl() -> None:
    """Everything that users have crawled so far becomes the crawl `default`."""
    bind = op.get_bind()
    if not any(
        bind.execute(text(f"SELECT 1 FROM {table} WHERE source_id = 0 LIMIT 1")).first() for table in _OWNED
    ):
        return
    taken = set(bind.execute(text("SELECT key FROM sources")).scalars())
    free = (
        name for name in (DEFAULT, *(f"{DEFAULT} {n}" for n in range(2, len(taken) + 3))) if name not in taken
    )
    # Since its first run; a list of seeds may have no run yet.
    crawl_id = bind.execute(
        text(
            """
            INSERT INTO sources (name, key, kind, definition, enabled, created_at, updated_at)
            SELECT :name, :name, 'crawl', '{}', 0, began.at, began.at
            FROM (
                SELECT coalesce(
                    (SELECT min(started_at) FROM runs WHERE source_id = 0),
                    (SELECT min(added_at) FROM seeds WHERE source_id = 0),
                    (SELECT min(first_seen_at) FROM domains WHERE source_id = 0)
                ) AS at
            ) AS began
            RETURNING id
            """
        ),
        {"name": next(free)},
    ).scalar_one()
    for table in _OWNED:
        bind.execute(text(f"UPDATE {table} SET source_id = :id WHERE source_id = 0"), {"id": crawl_id})
