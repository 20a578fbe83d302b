"""All tables together, and the DDL of SQLite: `python -m tenax.stores.schema.ddl` prints
sqlite/schema/schema.sql. Tests compare it and the migrations with the tables, on both databases.
"""

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from tenax.stores.schema import (
    accounts,
    change_log,
    domains,
    error_log,
    feeds,
    guesses,
    items,
    jobs,
    marks,
    pages,
    receipts,
    runs,
    seeds,
    sitemaps,
    stats,
    store,
    traps,
    urls,
    visits,
    webhooks,
)
from tenax.stores.schema.columns import metadata
from tenax.stores.schema.migrations import REVISION

# Importing the modules adds their tables to the metadata.
__all__ = [
    "accounts",
    "change_log",
    "domains",
    "error_log",
    "feeds",
    "format_sqlite_schema",
    "guesses",
    "items",
    "jobs",
    "marks",
    "metadata",
    "pages",
    "receipts",
    "runs",
    "seeds",
    "sitemaps",
    "stats",
    "store",
    "traps",
    "urls",
    "visits",
    "webhooks",
]


def format_sqlite_schema() -> str:
    dialect = sqlite.dialect()
    parts = []
    for table in metadata.sorted_tables:
        parts.append(str(CreateTable(table).compile(dialect=dialect)).strip())
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            parts.append(str(CreateIndex(index).compile(dialect=dialect)).strip())
    parts.append("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    parts.append(f"INSERT INTO alembic_version VALUES ('{REVISION}')")
    return ";\n".join(part.replace("\t", "  ").replace(" \n", "\n") for part in parts) + ";\n"


if __name__ == "__main__":
    print(format_sqlite_schema(), end="")
