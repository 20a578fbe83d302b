"""What crawls have learned about the lists and archives of a domain, and how much was guessed. See
policy/guesses/pagination.py and policy/guesses/archives.py.
"""

from sqlalchemy import Column, Double, Index, Integer, Table, Text, text

from tenax.stores.schema.columns import Id, metadata

pagination_rules = Table(
    "pagination_rules",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("path", Text, nullable=False),
    Column("pattern", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("step", Integer, nullable=False, server_default=text("1")),
    Column("last_n", Integer, nullable=False, server_default=text("1")),
    Column("hits", Integer, nullable=False, server_default=text("0")),
    Column("misses", Integer, nullable=False, server_default=text("0")),
    Column("is_linked", Integer, nullable=False, server_default=text("0")),
    # the user who set the state, which is never changed by a crawl then; NULL: it was learned
    Column("set_by", Text),
    Column("changed_at", Double, nullable=False),
)
Index("pagination_rules_domain", pagination_rules.c.domain_id, pagination_rules.c.pattern, unique=True)

archive_patterns = Table(
    "archive_patterns",
    metadata,
    Column("id", Id, primary_key=True),
    Column("domain_id", Id, nullable=False),
    Column("pattern", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("hits", Integer, nullable=False, server_default=text("0")),
    Column("misses", Integer, nullable=False, server_default=text("0")),  # since the last hit
    Column("set_by", Text),
    Column("changed_at", Double, nullable=False),
)
Index("archive_patterns_domain", archive_patterns.c.domain_id, archive_patterns.c.pattern, unique=True)

guess_budgets = Table(
    "guess_budgets",
    metadata,
    Column("domain_id", Id, primary_key=True, autoincrement=False),
    Column("since", Double, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("archives", Integer, nullable=False),
    Column("searched_at", Double),
)
