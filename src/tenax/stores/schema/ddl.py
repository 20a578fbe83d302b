"""All tables together, and sqlite/schema/schema.sql from them: `python -m tenax.stores.schema.ddl >
…/schema.sql`.
"""

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from tenax.stores.schema import crawl as tables
from tenax.stores.schema import feeds as feed_tables
from tenax.stores.schema import jobs as job_tables
from tenax.stores.schema import receipts as receipt_tables
from tenax.stores.schema import webhooks as webhook_tables
from tenax.stores.schema.columns import metadata
from tenax.stores.schema.migrations import REVISION

__all__ = [
    "feed_tables",
    "format_sqlite_schema",
    "job_tables",
    "metadata",
    "receipt_tables",
    "tables",
    "webhook_tables",
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
