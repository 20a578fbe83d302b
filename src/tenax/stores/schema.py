"""Writes sqlite/schema.sql from tables.py: `python -m tenax.stores.schema > …/schema.sql`."""

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from tenax.stores.migrations import REVISION
from tenax.stores.tables import metadata


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
