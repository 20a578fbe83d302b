"""Sitemaps, and how many urls were found in which way."""

from alembic import op
from sqlalchemy import BigInteger, Column, Double, Integer, PrimaryKeyConstraint, Text, text

revision = "0037"
down_revision = "0036"

Id = BigInteger().with_variant(Integer(), "sqlite")
ZERO = text("0")
WAYS = ((1, "seed"), (2, "sitemap"), (3, "feed"), (4, "archive"), (5, "pagination"), (6, "probe"))


def upgrade() -> None:
    op.add_column("urls", Column("is_sitemap", Integer, nullable=False, server_default=ZERO))
    op.create_table(
        "sitemaps",
        Column("url_id", BigInteger, nullable=False),
        Column("domain_id", Id, nullable=False),
        Column("origin", Text, nullable=False),
        Column("hosts", Text, nullable=False, server_default=text("''")),
        Column("level", Integer, nullable=False, server_default=ZERO),
        Column("kind", Text),
        Column("entries", Integer, nullable=False, server_default=ZERO),
        Column("refused", Integer, nullable=False, server_default=ZERO),
        Column("added", Integer, nullable=False, server_default=ZERO),
        Column("images", Integer, nullable=False, server_default=ZERO),
        Column("body_bytes", BigInteger, nullable=False, server_default=ZERO),
        Column("lastmod", Text, nullable=False, server_default=text("'none'")),
        Column("fresh_reads", Integer, nullable=False, server_default=ZERO),
        Column("read_at", Double),
        Column("error", Text),
        PrimaryKeyConstraint("url_id"),
    )
    op.create_index("sitemaps_domain", "sitemaps", ["domain_id"])
    counters = [f"{name}_{what}" for _, name in WAYS for what in ("urls", "pages")]
    op.create_table(
        "yields",
        Column("domain_id", BigInteger, nullable=False),
        *(Column(name, Integer, nullable=False, server_default=ZERO) for name in counters),
        PrimaryKeyConstraint("domain_id"),
        postgresql_with={"fillfactor": 50},
    )
    _count(counters)


def _count(counters: list[str]) -> None:
    sums = []
    for number, _ in WAYS:
        is_so = f"CASE WHEN found_by = {number} THEN 1 ELSE 0 END"
        is_page = f"CASE WHEN found_by = {number} AND content_hash IS NOT NULL THEN 1 ELSE 0 END"
        sums += [f"sum({is_so})", f"sum({is_page})"]
    op.execute(
        f"INSERT INTO yields (domain_id, {', '.join(counters)}) SELECT domain_id, {', '.join(sums)} "
        "FROM urls WHERE found_by <> 0 GROUP BY domain_id"
    )
