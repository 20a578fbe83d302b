"""Marks: cursors that several servers share. See stores/cursors.py."""

from sqlalchemy import Column, Table, Text

from tenax.stores.schema.columns import Id, metadata

marks = Table(
    "marks",
    metadata,
    # One row per cursor.
    Column("name", Text, primary_key=True),
    Column("position", Id, nullable=False),
)
